edition = 1

project "example" {
  licence = "Apache-2.0"
  version = var.version
  date    = "2026-11-30"
}
variable "version" {
  type    = string
  default = "0.0.0-dev"
}
variable "native_inputs" {
  type    = bool
  default = false
  env     = "NATIVE"
}
variable "extra_flags" {
  type      = list(string)
  default   = []
  env       = "FLAGS"
  separator = " "
}
locals {
  tune = concat(local.base, ["-funroll"])
  base = ["-O3"]
}
generation "gfx11" {
  targets = ["gfx1100", "gfx1101", "gfx1102", "gfx1103"]
  waves   = [32, 64]
  fp8     = false
}
generation "gfx12" {
  targets = ["gfx1200", "gfx1201"]
  waves   = [32, 64]
  fp8     = true
}
axis "numerics" {
  values  = ["fast", "accuracy"]
  default = "fast"
}
axis "fp8" {
  values  = [false, true]
  default = false
  allow   = !fp8 || target.fp8
}
axis "variant" {
  values  = ["", "shim12", "no_token_lanes", "k32_mix", "soft_e4m3"]
  default = ""
  release = false
  allow = {
    shim12         = target.gen == "gfx11"
    no_token_lanes = target.gen == "gfx12" && fp8
    k32_mix        = target.gen == "gfx12" && fp8
    soft_e4m3      = target.gen == "gfx12" && fp8
  }
}
# axes that address spelling must tell apart
axis "folded" {
  values  = [true, false]
  release = false
}
axis "tile" {
  values  = [16, 32, 64]
  default = 32
  release = false
}
axis "mode" {
  values  = ["plain", "accuracy", "fp8", "empty"]
  release = false
}
library "dlss" {
  paths = []
  match = "nvngx_dlss.dll"
}
toolchain "hip" {
  kind  = "clang"
  flags = concat(local.tune, var.extra_flags, fp8 ? ["-mfp8"] : [])
}
toolchain "emit" {
  kind = "emitter"
  env = {
    NATIVE_FP8 = fp8
    DENORMAL   = numerics == "fast"
    MAX_BLOCK  = 256
    WAVE64     = wave64
    NAME       = name
    NOTHING    = null
  }
}
family "k" {
  title     = "preset K"
  toolchain = toolchain.hip
  library   = library.dlss
  axes      = [axis.numerics, axis.variant]
  include   = ["kernels/common"]
  let {
    exact = numerics == "accuracy"
  }
  defines = {
    D4R_ACCURACY    = exact
    D4R_WMMA_LAYOUT = variant == "shim12" ? 12 : null
  }
  kernels "layers" {
    for = { layer = [
      { id = "enc0", waves = 2, prep = 21, fast = true, cu = false },
      { id = "enc1", waves = 4, prep = 40, fast = true, cu = true },
      { id = "dec0", waves = 2, prep = 21, fast = false, cu = false },
    ] }
    name    = "dltss_pwin_${layer.id}_layer"
    source  = "kernels/k/${layer.id}.hip"
    flags   = layer.cu ? ["-mcumode"] : []
    defines = merge({ PWIN_F32ACC = layer.fast && !exact }, layer.cu ? { CU = true, N = 4 } : {})
    hook    = { prep_blocks = layer.prep, prep_key_offset = 64, block_z = layer.waves }
    expect  = 3
  }
  limit {
    spills  = 0
    scratch = 0
    when    = target.gen == "gfx12"
  }
}
family "m" {
  toolchain = toolchain.hip
  library   = library.dlss
  axes      = [axis.numerics, axis.fp8, axis.variant]
  let {
    tok = fp8 && target.gen == "gfx12" && variant != "no_token_lanes"
  }
  defines = {
    D4R_ACCURACY = numerics == "accuracy"
    D4R_FP8_WMMA = fp8
  }
  kernels "layers" {
    for = { layer = [
      { id = "enc1", waves = 4, prep = 34, vgprs = 192, sbload = true },
      { id = "enc3_tube", waves = 8, prep = 88, vgprs = 192, sbload = false },
    ] }
    name    = "rrlite_${layer.id}_4x4"
    source  = "kernels/m/${layer.id}.hip"
    defines = { SWIN_SCALAR_BLOAD = layer.sbload }
    hook    = { block_z = tok ? 4 : layer.waves, prep_key_at = layer.id == "enc3_tube" ? 0 : 1 }
    limit   = { vgprs = layer.vgprs }
    expect  = 2
  }
}
family "tex" {
  toolchain = toolchain.emit
  licence   = "LicenseRef-Derived"
  axes      = [axis.numerics, axis.fp8]
  let {
    fast  = numerics == "fast"
    gfx12 = target.gen == "gfx12"
  }
  source = "tex/${name}.ptx"
  kernels "k_output" {
    for    = { depth = ["depthinv", "depthreg"], mv = ["mvhi", "mvlo"], range = ["hdr", "ldr"], kind = ["v1", "v2", "max_v2"] }
    name   = "hiluma_engine_output_${depth}_${mv}_${range}_${kind}_rel"
    wave64 = fast
    expect = 24
  }
  kernels "m_post" {
    for    = { part = ["3_1", "3_2"], mv = ["mvhi", "mvlo"], range = ["hdr", "ldr"] }
    name   = "rrlite_post_${part}_${mv}_${range}_folded"
    wave64 = fast || gfx12
    expect = 8
  }
  kernel "rrlite_dec0_4x4_folded" {
    source = "tex/dec0.ptx"
    hook   = { prep_blocks = 4, prep_key_at = 1 }
  }
}
family "native" {
  toolchain = toolchain.hip
  axes      = [axis.numerics]
  when      = var.native_inputs && numerics == "fast"
  kernels "input" {
    for    = { depth = ["depthinv", "depthreg"], range = ["hdr", "ldr"] }
    name   = "hiluma_engine_input_${depth}_${range}_v2_rel"
    source = "kernels/native/input.hip"
    twin   = "none"
    expect = 4
  }
}
family "odd" {
  toolchain = numerics == "fast" ? toolchain.hip : toolchain.emit
  axes      = [axis.mode, axis.tile, axis.folded, axis.numerics]
  source    = "odd.hip"
  kernel "odd" {
    flags = [for w in target.waves : "-w${w}"]
  }
}
release "example" {
  sets {
    for    = { numerics = axis.numerics, target = "*", fp8 = axis.fp8 }
    path   = "${numerics == "accuracy" ? "accuracy/" : ""}${target.name}${fp8 ? "-fp8" : ""}"
    marker = numerics == "accuracy" ? { "d4r-accuracy.txt" = "1\n" } : {}
    expect = 16
  }
  kernels_per_set = 3 + 2 + 33 + 1 + (var.native_inputs && numerics == "fast" ? 4 : 0)
}
