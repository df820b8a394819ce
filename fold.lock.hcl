# Cells whose objects are the same but for the name of their GPU: all of them were compiled and compared.
# object: the bytes without that name. cells: what each proof depends on, flags, sources and compiler.
# Written by: go tool mage fold:prove
edition = 1

compiler "clang 19.1.7" {
  core = "blake3:e0185dbff5064776bfccb90b14e980be8a4a6cca85a245c84f4bc7f6772ac01e"

  equal "k/dltss_pwin_dec0_layer" {
    object = "blake3:6839367d769b96fe18b272de5d5c02c0db054fac9e7a6f988c1e82cce5fa0ed7"
    cells = {
      "gfx1100+accuracy" = "blake3:44c0778d52a43be3cf7d61cdf63b07ab8a912f5cc8c56bcb8b20bdee3ea4fd7b"
      "gfx1102+accuracy" = "blake3:145b190157fcf2e3e6929be9d249b22b20235160cfd8d9ebdbcf8261a43ba152"
    }
  }

  equal "k/dltss_pwin_dec0_layer" {
    object = "blake3:ecd452fb2efbfb45f5510c4b5303af214679011cc72d1236268e2c98ce0d3079"
    cells = {
      "gfx1101+accuracy" = "blake3:7eb1ea3a97033e70643194a13068111fbe650ace39416230823abd5ab143c59e"
      "gfx1103+accuracy" = "blake3:a5b43733945fd22f3456f03643fec34aa900dbcafae890491d1faefa02f7c658"
    }
  }

  equal "k/dltss_pwin_dec0_layer" {
    object = "blake3:7b9619c7f5eb8876a31b945b236c240b0c00757406dd481da80e0da470dc22bb"
    cells = {
      "gfx1200" = "blake3:a18ce479fec93fd23d212d5473e88d99d3a3f9c5d7c09c191ba0a9941c3d7240"
      "gfx1201" = "blake3:439c073dc1b843d4ef4990a615876fb0272df6899a3dd6414e5a4dbb3d3b40b4"
    }
  }

  equal "k/dltss_pwin_dec0_layer" {
    object = "blake3:7871fefae4fa5f822db3d2a8676bc0c62fda031bd00182def3fffbf746056108"
    cells = {
      "gfx1200+accuracy" = "blake3:d85d9b7230baac9ddb062ef9370e7dd2bf7c1cf183efa507fe7e9c510d24ddb3"
      "gfx1201+accuracy" = "blake3:e047bc16dd0f8fc6c5b8a70785845dab76431a50c2229eb92a3eb46643bb0a6f"
    }
  }

  equal "k/dltss_pwin_dec1_layer" {
    object = "blake3:665a44f838de7d5acbf699398e924ad99c1606b5f60d5b3363e814b0582738a5"
    cells = {
      "gfx1200" = "blake3:67bc8b643e4f65aa43253a0aa5b3663d02f6560df01ce3e59d2c66e21075bfed"
      "gfx1201" = "blake3:defbfcc5eee453879243e16eab512ea0a8e4cc2fceba66937cec958112ec2914"
    }
  }

  equal "k/dltss_pwin_dec1_layer" {
    object = "blake3:ea457adb5fc91526e416fcf5d0756ad29e6777d2ef598a5c99189e3b25b6f1ec"
    cells = {
      "gfx1200+accuracy" = "blake3:dbf8694b3f9924f9698b1c9392be4959d33bde9433664a4df12140f963221032"
      "gfx1201+accuracy" = "blake3:a9c72f9e4e3d87b952e78275aedea09d6ae27f5e34753bd0a8d9b715c7328389"
    }
  }

  equal "k/dltss_pwin_dec2_layer" {
    object = "blake3:9855c3851e19d9defcc286212220f0bbd3da45bdb4abd6233cb56d368be69519"
    cells = {
      "gfx1200" = "blake3:6265d6405ba1122eccfc405775ecd3cbd56c4e36d4806d51a529a9709e998943"
      "gfx1201" = "blake3:1360a9aa19fa63a7fdf4cc4b2d2ba87af5b93aa25f55542567f94d892e13bb23"
    }
  }

  equal "k/dltss_pwin_dec2_layer" {
    object = "blake3:d7efaba47169ab0ba74df6b1d8d3b6d089b2f4c84c7a7993b7996e3b5100030e"
    cells = {
      "gfx1200+accuracy" = "blake3:6929aba9d26f80353634d08568db675b77a0d99aa2f16f38cccc4f6c1810c1d3"
      "gfx1201+accuracy" = "blake3:fcc86d716adb6a8b8566c145ca39e5dd1962bf46c96b755a51be67bff979869f"
    }
  }

  equal "k/dltss_pwin_dec3_layer" {
    object = "blake3:69ed2cc378248e039af068efa9ccf7c62eb475a0a4e4846c73789c606a81a781"
    cells = {
      "gfx1100"          = "blake3:73a5c5f0b671eec7c4829c3cd6223d1eec5fafc7e9835fc3849ded59b9b1cdc6"
      "gfx1100+accuracy" = "blake3:ae864fa31a5b0eebf726a020f630387d3984657abc17cf41701554a16039f0d2"
    }
  }

  equal "k/dltss_pwin_dec3_layer" {
    object = "blake3:0d3e2e528c8514e9d6c132fc34202f6e1d3ff6c8d2b427c946c465ecccd6a491"
    cells = {
      "gfx1101"          = "blake3:48a142a2d765baa28a8d1e3fb6ba8672193e1b5e6db44d69d73b60b9234a6520"
      "gfx1101+accuracy" = "blake3:967c763d35bcc30c16659f085cbb0909aa5abba1b8c102dc3747579991df699d"
    }
  }

  equal "k/dltss_pwin_dec3_layer" {
    object = "blake3:732629210e5257fc38f424c23171ff2016480505d4d7c7b415547039ee5a4108"
    cells = {
      "gfx1102"          = "blake3:436ad5e1c44ee4d07e595cb87d9c4617dfb7426c69187b4fb3ebd25d137f03cf"
      "gfx1102+accuracy" = "blake3:27969bb892462f903a7271f5197906cbd622c9c4123344b9a4fcb1cc1d85822c"
    }
  }

  equal "k/dltss_pwin_dec3_layer" {
    object = "blake3:79c1fc05e780f982f1b154aeb7804312b6bfed9a33ae1b5a64a1ccb8a3af0f6d"
    cells = {
      "gfx1103"          = "blake3:3987ca20cf69033700da94161a0f9cb75e433a39067a160cdfa8094f0a8ddbad"
      "gfx1103+accuracy" = "blake3:5ca327a0d537195deabce12c5b8edde85fa64751d2c9ebf825c12dc63c271040"
    }
  }

  equal "k/dltss_pwin_dec3_layer" {
    object = "blake3:c186fae43ada891e8e6fe83de90f438b2e3999f6cfe660cb6449d031cef69765"
    cells = {
      "gfx1200"          = "blake3:6f62e7f28e43fbc51443a043fac6a4d263419dd2eab57a329ba1fead685f73a5"
      "gfx1200+accuracy" = "blake3:524baa34de72e145125d7fa5c188bf7e856ac7837fd0d82d1b001dc0f43644f5"
      "gfx1201"          = "blake3:d5f30a7ae7dbec02dc404df577167cd6613023cc49d3938444379c4ce6a0300d"
      "gfx1201+accuracy" = "blake3:7a88f33ebf64c9ee27892a5745056edc9d0aaac3da40813b45c6fa6a35127043"
    }
  }

  equal "k/dltss_pwin_dec4_layer" {
    object = "blake3:7a854384aef6b037b37daedbf2840f3c4eb96a230fd47b8edee6708ac769f0f8"
    cells = {
      "gfx1100"          = "blake3:c83883dbf50755bf36a4b905938769e9386c310d0900b1738c724d31fd97d6d3"
      "gfx1100+accuracy" = "blake3:a676880e0a138d650af3b9b5dafdd37923b59901f8a560368cd85d4db5026677"
    }
  }

  equal "k/dltss_pwin_dec4_layer" {
    object = "blake3:91db0cf6a6552ec576c2e73af1818e325c9b558833441f05171c179984de7d44"
    cells = {
      "gfx1101"          = "blake3:0c1bbf6b3d3cca09dc5589188f78ef992a9a8b7958adc0c123e2bbf6b3111548"
      "gfx1101+accuracy" = "blake3:02683461dc09d437f2b0533f1be8aa7949e1599c66f3f0dfee68e4b7a81fb994"
    }
  }

  equal "k/dltss_pwin_dec4_layer" {
    object = "blake3:b9db9e39dd647f6ef641ca27cfe73e3fbac920d1fdaa8c0c24f3f6958913b755"
    cells = {
      "gfx1102"          = "blake3:c259ec98f78e856fda29fedfd89a46f4a5fa39cb1eb2d43375b4917563115cba"
      "gfx1102+accuracy" = "blake3:c392a8ec880fc7c471158b415b049c085947b3ab8a095c18912486065a1c09b2"
    }
  }

  equal "k/dltss_pwin_dec4_layer" {
    object = "blake3:1e50eba99579e593fa88af79be95c3b90042b50abc1932541ae2ee04a512cdf1"
    cells = {
      "gfx1103"          = "blake3:0c29a79d644a0063b82221472a17113284135717d3ace5dccb307abd904901a4"
      "gfx1103+accuracy" = "blake3:57e67df909a5f78da862fcbef952098d1ac9425cf7ad5c4cf659957aee71926e"
    }
  }

  equal "k/dltss_pwin_dec4_layer" {
    object = "blake3:bf57ab05deaf428b2c31d1777d450174ff23cda1c438f3edd066841ed6bb6266"
    cells = {
      "gfx1200"          = "blake3:b96e17706c13333e72b784daa7bfad9bc75c601c5fa96fd506eccbc446306883"
      "gfx1200+accuracy" = "blake3:f2c6bcefa2fb423e6da3467aba421b2de7076d21e529d6ae060e348e800915cf"
      "gfx1201"          = "blake3:82f795f16c54e7444baf9c66b64aa41540af88eecd58787e33e9ffe1af53e106"
      "gfx1201+accuracy" = "blake3:ce7049f08b625686892871c3882a2a00f124fdccc04e96784456bd63197c4254"
    }
  }

  equal "k/dltss_pwin_dec5_layer" {
    object = "blake3:ba242d74bb6d8b226b984f33355824bcf12b3b7b5505f0d1ac6774ae6e9a64f7"
    cells = {
      "gfx1100"          = "blake3:ef43fd1618331de36155593444eec99fd8517adfb8111536f8e2b1df8cca215d"
      "gfx1100+accuracy" = "blake3:2e4700c7ff8a067c0a925cf2f6b910430c65bdded27b2912edbc57c96b703343"
      "gfx1102"          = "blake3:c35f41a95627d65353f34ab1e5543f9fabccbabd58ee7cf5572ef00832905c4f"
      "gfx1102+accuracy" = "blake3:458c6cf66bab2d9076c3f86bbae4114891f0cebed200a6f9eb4d68997a56bfcc"
    }
  }

  equal "k/dltss_pwin_dec5_layer" {
    object = "blake3:b32d4784e70bb435bc7d95f99286be2d3737bb43c13c1d5bdf3d5b29eb1e3912"
    cells = {
      "gfx1101"          = "blake3:4ce87bbd5bc208fbdbc7ee80adb5dc3f815adbcfe69937ad2a144e757185e9ee"
      "gfx1101+accuracy" = "blake3:55b3f2e6c5c96a3b9578695f214d12b11d3cb635a18ace3f1470bfb034b92c2e"
      "gfx1103"          = "blake3:5a7b4bdd45cc22efb47736a0f931ebb069496978a3d2d450d256e231076b753c"
      "gfx1103+accuracy" = "blake3:faf4d10269fd49762b7da8d53dd87650d871e10c345a6f2f2200b992f77a2b8b"
    }
  }

  equal "k/dltss_pwin_dec5_layer" {
    object = "blake3:d159bf9d738d46dea51d0a5f8396d4085668743da6013057a38581794c127801"
    cells = {
      "gfx1200"          = "blake3:8b511baed71bdaf51d77c50698ebafb4a9d3ba20495ac0619d043b4bf19ca739"
      "gfx1200+accuracy" = "blake3:72c3f72d2570bf316d2e0c4ef79b75f9aa10f6bd6eceab3e4afa308d37220e0b"
      "gfx1201"          = "blake3:5b5b577ee42385aa54eff65a63d50917c82a6bf494ac64b8eda34233b71b2b36"
      "gfx1201+accuracy" = "blake3:3f13133710ef861256aa2032431ba9155efb0cd284d119e8723693fb92625359"
    }
  }

  equal "k/dltss_pwin_enc0_layer" {
    object = "blake3:e00bb4b1de553e20c0dfaca9aa6b6bf4cb6f282750bc80875824aa1cd2d660fd"
    cells = {
      "gfx1100" = "blake3:29d19a31b2a0e6f67e8270463e9d0a293a49cc2824f92666839b1f4bb6d6ac5c"
      "gfx1102" = "blake3:d45c232863d49220fb2f356f58951d88dcedcbd1bf4277b50328c3758873326a"
    }
  }

  equal "k/dltss_pwin_enc0_layer" {
    object = "blake3:a95b4c08f1515f3e625034c1e851c762acbb28993200040e215cbc1c18bedcf2"
    cells = {
      "gfx1100+accuracy" = "blake3:3808f685bfe855740ab6b313825d427c49dddc51f0194db2bc69c7637d9866b9"
      "gfx1102+accuracy" = "blake3:53bd10cc88e5c26d89a689e08c2e83b43e478eab6d298275cde63632758d2a4a"
    }
  }

  equal "k/dltss_pwin_enc0_layer" {
    object = "blake3:f423373d86fbbd43d97633367bc03257f2258203aba1a15c851f3b680390931d"
    cells = {
      "gfx1101" = "blake3:72e0f199537c8d3fb0c8bdbef85f165580664d5183d65a3736cc98c1c24c542d"
      "gfx1103" = "blake3:25492f5d0c9998e7e6dee586e05b661025a5aa251e848175395ba5ed6cb990bf"
    }
  }

  equal "k/dltss_pwin_enc0_layer" {
    object = "blake3:6cda3f62062d6e5ca59f5dce3223eae23d576a6c33ddecbe51f12a36f600bddb"
    cells = {
      "gfx1101+accuracy" = "blake3:7e6caa28bdad0757110602c31583826ab3432f7e9deb4a64fcee98110f3e890f"
      "gfx1103+accuracy" = "blake3:460c9cc2f81bd143b2088ecce309ced1ff76cd192d75e8a23d67c162bc2fa5ad"
    }
  }

  equal "k/dltss_pwin_enc0_layer" {
    object = "blake3:74b1509cbbf5cd0a600d2802eef3b8b58a1046e964cf3e3906023532c6649780"
    cells = {
      "gfx1200" = "blake3:b28dddb14640b97627ecdd81985651e83b2f38ccc49913c361a67928bcc5f719"
      "gfx1201" = "blake3:051ea8a831840259b544e0e356f7f5024a6bb3e1dab09100bb41df2abda63e81"
    }
  }

  equal "k/dltss_pwin_enc0_layer" {
    object = "blake3:26a4bce68e91ee9249f6e7b290d54cba2cd0977b07654121278b8e988e65bc6d"
    cells = {
      "gfx1200+accuracy" = "blake3:334987707fb63d4b22d1cb5b4ea7461a8f21c1e9d882d5cdc279c05f05c129ad"
      "gfx1201+accuracy" = "blake3:7df77777c437f3ee53496f6eb1af460f1efb0b593a143051696038ac5c5d331d"
    }
  }

  equal "k/dltss_pwin_enc1_layer" {
    object = "blake3:10ba116c2441d7b7b390e3fe7f6144e15aaf8840dd6327162e727e21ec2b7e25"
    cells = {
      "gfx1200" = "blake3:672844d64dddb9d6a96a1de3df7fba1aced6bdff0ac7fce421c1420251151161"
      "gfx1201" = "blake3:1c6745283f2d6ab21c77830a3b8d5aefe64d497d0d705d2da07e81fd565d026b"
    }
  }

  equal "k/dltss_pwin_enc1_layer" {
    object = "blake3:5ec450e15ed488d94f4cc55f73e40d35689606b5c216260aefacbf056c6ef669"
    cells = {
      "gfx1200+accuracy" = "blake3:8ba500ba156cc8d8130a531bdc4cf05684003c2f22a0269dfa62b623d4126033"
      "gfx1201+accuracy" = "blake3:8ddd4b6e2f681f4f433724508a1fafde73b0764014017e3ee1146ab0974dd49b"
    }
  }

  equal "k/dltss_pwin_enc2_layer" {
    object = "blake3:9c0eed3a854e6ca8f98541280343383e9954598747290498ca70157c9206a810"
    cells = {
      "gfx1100" = "blake3:45c9f554efdc427fd8da1542c370c3e97c28128912f99d2f6352083f05f5d950"
      "gfx1102" = "blake3:efcde47ab499f4524fb09da3b0c270db09201c874395ca1f5cd7c3e5393abab4"
    }
  }

  equal "k/dltss_pwin_enc2_layer" {
    object = "blake3:72c5ed76348ec8c78b353ded0125680c0f267d6ab708678a0739e3b74b6b625d"
    cells = {
      "gfx1100+accuracy" = "blake3:7e327e4c69fbdb417b48420d7b3c359dacdcb67b685872298d1c62d20412afcb"
      "gfx1102+accuracy" = "blake3:1cee0d84447f9b1e0882e491cea6eceb6b50e8d0992705e003d2d350f8d772ba"
    }
  }

  equal "k/dltss_pwin_enc2_layer" {
    object = "blake3:a970333fba2cc56092c23a0bed6eaaa5167db8a2ee7628b30cb4c069a6bd9840"
    cells = {
      "gfx1101" = "blake3:31e0299dddbb343e2f222a88a4a838c0103c4b0112f08574872470ca12f8df20"
      "gfx1103" = "blake3:0102f6f9d7328d11e561cfba8f87c1b0b0bf7e31cd3d38f75cd6efd893aaac44"
    }
  }

  equal "k/dltss_pwin_enc2_layer" {
    object = "blake3:9f6ffe88cd7b7508554ef4305bf1d843ff2d948a1a1c618e9bce587e94834f4f"
    cells = {
      "gfx1101+accuracy" = "blake3:56c183695760c5472609edadada96faee58a148b20aaaf3bac238ca68183db8f"
      "gfx1103+accuracy" = "blake3:dbb16bf4b7b4c0836e1173e3a2b416018e14b6809f7303878322d78822eb1245"
    }
  }

  equal "k/dltss_pwin_enc2_layer" {
    object = "blake3:4fcd637ca0da740b95de0b3bdf4d73346601826387c46ad7a5c60a9c7aab6119"
    cells = {
      "gfx1200" = "blake3:cbcafb628f12c7eba7e91bda43cde786f64675ab346a31cdb246c24a21c9dc01"
      "gfx1201" = "blake3:4a2952038af6fa2e0e6bce80099deeaab9e374e42e76e27410e8e3fea44c1c2b"
    }
  }

  equal "k/dltss_pwin_enc2_layer" {
    object = "blake3:458b52d935e99ca61391ac14ee58f07dfabd0bf537ca7af9472e0d029cf3a198"
    cells = {
      "gfx1200+accuracy" = "blake3:80938bc8057e6e338cabeb932122ea6873e8c5152a43d77b5d2b16b6db5ee2c9"
      "gfx1201+accuracy" = "blake3:03d30c95ef311bad7df80b7b314ee3cfb25977fd8f2a73b8c1bda46449825763"
    }
  }

  equal "k/dltss_pwin_enc3_layer" {
    object = "blake3:2f46593b62ba5f1a8d96ca4b7ba6f8ea199b06cdfa03bebd9932eab8a79d2d41"
    cells = {
      "gfx1100"          = "blake3:34d09dcfa73544888b2be90506ddc93c36a88a4c191baeb8b8448e5833f32fc2"
      "gfx1100+accuracy" = "blake3:4ddc6b2455e5a4ec1ec54d4916d8f63ff88af19dfaecbeb8d3a0efcdafcaac1d"
      "gfx1102"          = "blake3:0682342a7c76e08b6fd0aad831fb7ca5e72c8205031f2df92654af1208a68688"
      "gfx1102+accuracy" = "blake3:b5809d64f74363b8189bddcae25a3988ad5c761380b5d5ae9b29f09c859dd4e1"
    }
  }

  equal "k/dltss_pwin_enc3_layer" {
    object = "blake3:2e00d668b0a908705f4b4c5fe7f23d8b93483accd3106d29828a0bed976f1e2d"
    cells = {
      "gfx1101"          = "blake3:078ae5f76409a31c03c755277ba751c710f7837097f3a713bd15fd88facb9dfc"
      "gfx1101+accuracy" = "blake3:b8e917ff68a2e4e14fb0a587ca27ce5a2988ca7a336aa42cd160a65e6c6e3db5"
      "gfx1103"          = "blake3:bf3f11470663ed50b7dfd3d64e49ca3cbbb08b86e8412fe1a263e7c6d5364209"
      "gfx1103+accuracy" = "blake3:7b6c6af814bd1741e38edccbb8bf4588da4d64f0287f06012de1529ff6b3ac9d"
    }
  }

  equal "k/dltss_pwin_enc3_layer" {
    object = "blake3:54704198880b124fe43e0db0b2b47d5e44a0ec20f3ce86bd896466528801046f"
    cells = {
      "gfx1200"          = "blake3:9286760805f9ae992181692925ee6ce9fcc41e7e97b5a2cbdf1360822172b236"
      "gfx1200+accuracy" = "blake3:613f18527c13dbbab41fad7c9b73ba806b16bda5e618dbddadbe38246d908377"
      "gfx1201"          = "blake3:7f1a0850de816f9aa77f100e42d11139691b2872846ad3b9ca96b85a6ee9caa2"
      "gfx1201+accuracy" = "blake3:32b7bf817f0f629bb8731f19a1a671f1acaa48bcbf386d6517e99e262ef44939"
    }
  }

  equal "k/dltss_pwin_enc4_layer" {
    object = "blake3:e0204ebcadcd23bdb1dad3ba864d699d27cdbe117fcb053f145f290fe926146d"
    cells = {
      "gfx1100"          = "blake3:42bf134716d430606375e8ddf95ce8921b3fa576209c8d4fb79b113808b42bfb"
      "gfx1100+accuracy" = "blake3:be86acc5f3454269adb77a197d4c012c939eead735a9eda4c38ced12e9c7c444"
    }
  }

  equal "k/dltss_pwin_enc4_layer" {
    object = "blake3:eebebd062f600a151d7f457564e7ddd8c3e4d2a3f36d554db29db57b67ef12c6"
    cells = {
      "gfx1101"          = "blake3:99436c7a1cc514b2cf84663eb7028bca0f674ec6e8c1ba609d6aea376921f667"
      "gfx1101+accuracy" = "blake3:17af74ea6ba2ae59b8d4227097aba3b711739f190a4358c02fa53bfd47ed61f2"
    }
  }

  equal "k/dltss_pwin_enc4_layer" {
    object = "blake3:644b5a0cbc4e11effdd475a2d74ec0735d83800c14376eadb797bf4427ad0750"
    cells = {
      "gfx1102"          = "blake3:ae2ad51951f89cfa6865ce8eee92a36c1e0aecc166e7c4a4a706d0abf39c5318"
      "gfx1102+accuracy" = "blake3:d2f3c1804e2eeb71ca8125c565c05a4808aa30e75c8ad447963f42b54c22c5b5"
    }
  }

  equal "k/dltss_pwin_enc4_layer" {
    object = "blake3:5962aedb7a18fbc6e56f03dee00e39245f1d09973455131a2b07394415e78471"
    cells = {
      "gfx1103"          = "blake3:10e8bed08aea994d0b853814a0ec0a0f3704ae62ded2a2635ac577212b1e3e63"
      "gfx1103+accuracy" = "blake3:eae03e0ed61ae9d6a54506b04308334763b590cea815af3f745451d9a0c34bd7"
    }
  }

  equal "k/dltss_pwin_enc4_layer" {
    object = "blake3:22e558bafa47fa5f2c1cfbb26d8ebb7a99745a7ed88eb0873cc65a30354591a0"
    cells = {
      "gfx1200"          = "blake3:1702a479831a36b38cc6028322ea754ed1cade1436d530eb3a8eac45977602f7"
      "gfx1200+accuracy" = "blake3:39a2c3e453b049fc0703a88cc7fb5a489eb665195a30388f0493a05d653186c7"
      "gfx1201"          = "blake3:ba29312c041c1922980ce3bddb6580247bd68f64b57095be7f890e3ddaa79c0c"
      "gfx1201+accuracy" = "blake3:9d1281dd882d720b40521ca927dc1f88b8c0685a9736df8c51efebafc545cd77"
    }
  }

  equal "m/rrlite_dec1_4x4" {
    object = "blake3:acd4e6dc471df1331db9b4c97bf44bc8b43e0bceb7d37ab7bc3e8ad7064133f7"
    cells = {
      "gfx1200" = "blake3:13915b871f638200ad57a378900c9786997c34a2db452fa4b9d3a9aa9033d4cc"
      "gfx1201" = "blake3:39988850cb2319af145ba83cc8171077abdfe5a761d1f9783bc8809a1f7eef6d"
    }
  }

  equal "m/rrlite_dec1_4x4" {
    object = "blake3:d58b6c69e3c488f104b24c78b26436512bc01b48d1fc32e1b6522673ecdadb34"
    cells = {
      "gfx1200+accuracy" = "blake3:d17f70950750bfacd757553c0b537a0cc34cd6ed978b171be3558eeefe609aa9"
      "gfx1201+accuracy" = "blake3:9e14f4af16b8d83c607de024ec9224c76e50edf9c8b9d1fd42adb29d9a362822"
    }
  }

  equal "m/rrlite_dec1_4x4" {
    object = "blake3:a0a02c5d7ad1ccf646bf6cfe2db77ccdc5c3766568bfe2f3ac574c035d39b566"
    cells = {
      "gfx1200+fp8" = "blake3:8716b1b4ab914dd7218a952587e25dcb59f5a776a9cd262250ca6e0bd85fc94c"
      "gfx1201+fp8" = "blake3:1af0b35f34351317b298140f7193d2b2adccc3d72c4aa112333b357baf35020f"
    }
  }

  equal "m/rrlite_dec1_4x4" {
    object = "blake3:05dd74f26652e5a14b3fdce130bd29a8befd95a90f4edb4c3d18220fe306e292"
    cells = {
      "gfx1200+fp8+accuracy" = "blake3:e105302b1a8d96b0ce2f96126197caf5777c44b2afb41e1e4abf927d47fe0a19"
      "gfx1201+fp8+accuracy" = "blake3:d05b77633c66e9cb7f705b3ec6d59d7a24e523b10a6518531961b268f154d7ce"
    }
  }

  equal "m/rrlite_dec2_4x4" {
    object = "blake3:418639f5df2df4ec327f1cef71e6247f4bc516dce8f5deebff4fd7edca408b42"
    cells = {
      "gfx1200" = "blake3:a3a6995064e423a901b7757aef5d77a617d1fb7ebbb8b3c810abe3dd15900ce5"
      "gfx1201" = "blake3:7713d821e1125bec391a0b3cfb3b7c3ae99198bea517777798feb50c46406199"
    }
  }

  equal "m/rrlite_dec2_4x4" {
    object = "blake3:594d171ccfd37169dd1ea4615d866d2cc8b69ecb4ebd90fa5e026dc47477ea02"
    cells = {
      "gfx1200+accuracy" = "blake3:e90c6a7e712087011d6a0460480b89fc6c92dde8c44b3735cfe322b93c89a042"
      "gfx1201+accuracy" = "blake3:8f1b3a413fd350a9a1acbd45ddfb23bf5ff6bcde714cc506819a4017ed861e63"
    }
  }

  equal "m/rrlite_dec2_4x4" {
    object = "blake3:4afffee951ab0f23e1f0eda64c2ca8ae94289d4b78899b447e6e8667eb1b3616"
    cells = {
      "gfx1200+fp8" = "blake3:aad1ee66c3831c563a2c5badf6ba8fc24dd950bfc97e8d1074c677f5ae280201"
      "gfx1201+fp8" = "blake3:c0c74310b307b2ea6ffb27e3df526935e1370254e70d01ac386649e7016215a2"
    }
  }

  equal "m/rrlite_dec2_4x4" {
    object = "blake3:0543a82f87ea5d788d7898372e7d3c0c3e1a93cfa5524655643af623315d2df3"
    cells = {
      "gfx1200+fp8+accuracy" = "blake3:92b47cc80f8a163bf3b4b9af659aded3b688676bd79426407680ceddf90227ba"
      "gfx1201+fp8+accuracy" = "blake3:0f232fa50aa023ef88378c4e7f832ac416e9dae09f10922c152b51dbbc71622e"
    }
  }

  equal "m/rrlite_enc1_4x4" {
    object = "blake3:5d2b4c64d09312a074c1bf38216197f032ac0b04945267dcae6bdfcf34adc3c2"
    cells = {
      "gfx1200" = "blake3:51adf96ab35d2257f62ef0ff73f20907135fd8516c0b9e7c8d891a3472792e35"
      "gfx1201" = "blake3:8135e9d383602de62b216a3e6c76428a38045a73e88ff66a9d1678bdfe25ddea"
    }
  }

  equal "m/rrlite_enc1_4x4" {
    object = "blake3:55ad25520bc761255ea60340217408c4a85a0a9be1b7b42d3e1a0b61ce809d9e"
    cells = {
      "gfx1200+accuracy" = "blake3:7e89b6a497afe70cfe9e67b169188477793cba1d2a610ef9a9c68cf78cecbc45"
      "gfx1201+accuracy" = "blake3:3b4984dfe691193d32351ac9b2b1886dcdee25bf62fd88f7b3dc7c3cd84cf3e0"
    }
  }

  equal "m/rrlite_enc1_4x4" {
    object = "blake3:367311b322ebb20ad3bae3de3dea806f29f8baae583c6ec113bc5b76241a015f"
    cells = {
      "gfx1200+fp8" = "blake3:87a4fa21d19891ed717d1f89725bbc78c14952aebd0cee0c4106fa662f676721"
      "gfx1201+fp8" = "blake3:0c9511a2b4c8e9ba7d4535643239693036b64866e0f218bedb4d936e69164a1b"
    }
  }

  equal "m/rrlite_enc1_4x4" {
    object = "blake3:6319fda23cb3961e57ef685d61337ab432598bbd9f0c30f6cde4e0d4df55e36c"
    cells = {
      "gfx1200+fp8+accuracy" = "blake3:a417015b700e9bab5d7f1f39af5ccb7597b8ae667bbbc988968b20b5e015befa"
      "gfx1201+fp8+accuracy" = "blake3:7496be3fbf69d827f12267c6a42f62172d0f64f467a3b3d63268e12e14b103e5"
    }
  }

  equal "m/rrlite_enc2_4x4" {
    object = "blake3:eb25d54cc739a9e9bfcdd5a92ba91abf64915241ae882eade7374b2b2dbfb187"
    cells = {
      "gfx1200" = "blake3:4a0945799af904d82cb2aa12d4d16b18b9a8dd386f75b9d5b5df557bcb3edfda"
      "gfx1201" = "blake3:d6ea25d96bc5ff102734e22437cf30f88c582f18aac34e0600709ea3483151f3"
    }
  }

  equal "m/rrlite_enc2_4x4" {
    object = "blake3:8797f2354cdc7fa03fd879c4e9feef8ad63a38200dda0b409b4f5183dfa58adb"
    cells = {
      "gfx1200+accuracy" = "blake3:0842b36e688328fcbb1a68f49840796b7a2b9ce7f1f43285fa416bbc60d30068"
      "gfx1201+accuracy" = "blake3:644d60ba823b7b81d45155f85e06036afde58f1dad262be74eeae6bcc5899647"
    }
  }

  equal "m/rrlite_enc2_4x4" {
    object = "blake3:efe9ff0ad247c5737adc4158de62074018695324ea0000d8bcf15e75a4143359"
    cells = {
      "gfx1200+fp8" = "blake3:4aaa502012742b02461c995d16d853f3ec3b25434e8c62a99a345e03a9ff98f5"
      "gfx1201+fp8" = "blake3:ea14dc3a626f892e4a0cad3b97ecc1efdf72fc448d70dcd3349c7c076181086d"
    }
  }

  equal "m/rrlite_enc2_4x4" {
    object = "blake3:027265ebd64327c778f52d5b6763a51316ea4e2d0cb53218bfc54538be6bc6db"
    cells = {
      "gfx1200+fp8+accuracy" = "blake3:a9c1c98e03dbc3f210e63c209a59a6eef55f78098045258ea5ead71eddf3492a"
      "gfx1201+fp8+accuracy" = "blake3:711eb1bc4a7b56ba2c38cbba52467299104384ab5260630e182069132865755f"
    }
  }

  equal "m/rrlite_enc3_tube_4x4" {
    object = "blake3:513b7b2e74edcf49f07156708c49d0ff4deac3b95f701c33898fe4836ab23327"
    cells = {
      "gfx1200" = "blake3:e333d501ffc20139e85d4842e5542dcd22822e0b269bd511a0bb37a5bf71d906"
      "gfx1201" = "blake3:daba1f83c90716d69015b3b02996cd8d9dbf075df04120f21208ea57d5ba8dfb"
    }
  }

  equal "m/rrlite_enc3_tube_4x4" {
    object = "blake3:1ef7fa7db3075d057bcbe4231f955a77de2ea41eb4e020333cead2349c51ce59"
    cells = {
      "gfx1200+accuracy" = "blake3:9d8631522a279fe54853cc56a2e5cf078b923215261cbb49927da67c88d66cc7"
      "gfx1201+accuracy" = "blake3:720fd154afb53666d97ef0686fa7da6571fd3006c4d1fb89f8d8ab9110b3755d"
    }
  }

  equal "m/rrlite_enc3_tube_4x4" {
    object = "blake3:bac6c0844e24e5e6f4885efff9a1d6fc1412d17c82cf7de97924ca92346763c2"
    cells = {
      "gfx1200+fp8" = "blake3:a4c4e122f67504856ebd1f677af674808d0282a5d58a778ecc9b772f888fc539"
      "gfx1201+fp8" = "blake3:7258db478bd2cfed738b287ea502f8f6c5cbc8d6cb2b672b0d08c392fb50735a"
    }
  }

  equal "m/rrlite_enc3_tube_4x4" {
    object = "blake3:191e19f2b4f13c39a903da33a580d13ec23b0275dc6eda77316acf2965b2d704"
    cells = {
      "gfx1200+fp8+accuracy" = "blake3:2aefe59a47eb4255616bd953646a175db5c5033b91803e63c7e410a3f1dee983"
      "gfx1201+fp8+accuracy" = "blake3:a92c5934ba300a35e10254824b13f1cad1ab9bc4cf4f6d6863516eee018755b7"
    }
  }
}
