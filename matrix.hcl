# The kernel matrix of d4r: every code object that must exist, and nothing else.
edition = 1

project "d4r-kernels" {
  licence = "Apache-2.0"
  version = var.version
  date    = "2026-11-30"
}

variable "version" {
  type        = string
  default     = "0.0.0-dev"
  env         = "KMX_VERSION"
  description = "names the release folder"
}
variable "dlss" {
  type        = list(string)
  default     = []
  env         = "D4R_DLSS_DLLS"
  machine     = true
  description = "DLSS libraries: their PTX modules stamp the sets, and the texture family is made from them"
}
variable "preset_l" {
  type        = bool
  default     = false
  description = "preset L: the thirteen unfolded enc0, dec0 and post kernels"
}
variable "zluda_emit" {
  type        = string
  default     = ""
  env         = "D4R_ZLUDA_EMIT"
  machine     = true
  description = "ZLUDA's emitter (d4r_emit); without it kmx's own makes objects of PTX"
}
variable "sust_kinds" {
  type        = list(string)
  default     = []
  env         = "D4R_SUST_KINDS"
  separator   = ","
  developer   = true
  description = "kinds of surface stores that recipes make calls (b32, p, v2b16, v4b16); without any, all"
}
variable "extra_flags" {
  type        = list(string)
  default     = []
  env         = "D4R_CFLAGS"
  separator   = " "
  developer   = true
  description = "compiler flags to try on every kernel"
}

# ---- GPUs
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

# ---- axes
axis "numerics" {
  values  = ["fast", "accuracy"]
  default = "fast"
}
axis "fp8" {
  values  = [false, true]
  default = false
  allow   = !fp8 || target.fp8
}

# Variants join no set: they exist for tests.
#   shim12          gfx11 computes in the register layout of gfx12
#   wave32, wave64  what does not depend on the wave size, in waves of 32 and 64
#   no_token_lanes  M with FP8: two waves a window where f16 builds have two
#   natural_order   M with FP8: channels in the order of ZLUDA's translation
#   keys_in_order   M: the tokens of a window in plain order
#   k32_mix         M with FP8: products summed from zero, then added
#   soft_e4m3       tex with FP8: e4m3 encoded by arithmetic, without the instructions for it
axis "variant" {
  values  = ["", "shim12", "wave32", "wave64", "no_token_lanes", "natural_order", "keys_in_order", "k32_mix", "soft_e4m3"]
  release = false
  allow = {
    shim12    = target.gen == "gfx11"
    soft_e4m3 = target.gen == "gfx12" && fp8
  }
}

library "dlss" {
  paths    = var.dlss
  match    = "nvngx_dlss.dll"
  approved = "modules.lock.hcl"
  without  = "nonvidia"
}

# Freestanding HIP: no ROCm headers, no host headers, no device libraries.
# -disable-machine-sink: LLVM 19 moves cross-lane operations and WMMA under
# divergent control flow, where they read inactive lanes.
toolchain "hip" {
  kind = "clang"
  flags = concat([
    "-std=c++20", "-O3", "-Wall", "-Wextra", "-Werror",
    "-nogpuinc", "-nogpulib", "-nostdlibinc",
    "-ffp-contract=off", "-fuse-cuid=none", "-mcode-object-version=5",
    "-mllvm", "-disable-machine-sink",
  ], var.extra_flags)
}

# From PTX to an object. The environment is that of ZLUDA's emitter; kmx's own
# goes by IGNORE_DENORMAL, IMPLICIT_MAX_BLOCK and WAVE64. SUST_KINDS is for the
# recipes.
toolchain "emit" {
  kind = "emitter"
  env = {
    D4R_ZLUDA_WMMA               = true
    D4R_ZLUDA_WMMA_FP8           = true
    D4R_ZLUDA_WMMA_FP8_NATIVE    = fp8
    D4R_ZLUDA_IGNORE_DENORMAL    = numerics == "fast"
    D4R_ZLUDA_WMMA_F32ACC        = false
    D4R_ZLUDA_FAST_MATH          = false
    D4R_ZLUDA_IMPLICIT_MAX_BLOCK = 256
    D4R_ZLUDA_WAVE64             = wave64
    D4R_SUST_KINDS               = length(var.sust_kinds) == 0 ? null : join(",", var.sust_kinds)
  }
}

# ---- K
family "k" {
  title     = "DLSS 4, preset K"
  toolchain = toolchain.hip
  library   = library.dlss
  axes      = [axis.numerics, axis.variant]
  include   = ["kernels/common", "kernels/k"]
  let {
    exact = numerics == "accuracy"
  }
  defines = {
    D4R_ACCURACY    = exact
    D4R_WMMA_LAYOUT = variant == "shim12" ? 12 : null
  }
  kernels "layers" {
    # f32: fast builds keep f32 through a chain of products.
    for = { layer = [
      { id = "enc0", waves = 2, prep = 21, f32 = true, cu = false },
      { id = "enc1", waves = 4, prep = 40, f32 = true, cu = true },
      { id = "enc2", waves = 4, prep = 44, f32 = true, cu = false },
      { id = "enc3", waves = 8, prep = 100, f32 = false, cu = false },
      { id = "enc4", waves = 16, prep = 160, f32 = false, cu = false },
      { id = "dec5", waves = 16, prep = 212, f32 = false, cu = false },
      { id = "dec4", waves = 16, prep = 152, f32 = false, cu = false },
      { id = "dec3", waves = 8, prep = 100, f32 = false, cu = false },
      { id = "dec2", waves = 4, prep = 44, f32 = true, cu = true },
      { id = "dec1", waves = 4, prep = 40, f32 = true, cu = true },
      { id = "dec0", waves = 2, prep = 21, f32 = true, cu = false },
    ] }
    when    = variant == "" || variant == "shim12"
    name    = "dltss_pwin_${layer.id}_layer"
    source  = "kernels/k/${layer.id}.hip"
    flags   = layer.cu ? ["-mcumode"] : []
    defines = { PWIN_F32ACC = layer.f32 && !exact }
    hook    = { prep_blocks = layer.prep, prep_key_offset = 64, block_z = layer.waves }
    expect  = 11
  }
  # The preparation of weights alone, to memory.
  kernel "k_prepare" {
    when   = !exact && (variant == "wave32" || variant == "wave64")
    wave64 = variant == "wave64"
    source = "kernels/k/prepare.hip"
  }
  # Eight waves on each SIMD of gfx1100 and gfx1101, ten on those of gfx12.
  limit {
    when    = variant == "" && target.gen == "gfx11"
    vgprs   = 192
    spills  = 0
    scratch = 0
  }
  limit {
    when    = variant == "" && target.gen == "gfx12"
    vgprs   = 144
    spills  = 0
    scratch = 0
  }
}

# ---- M
family "m" {
  title     = "DLSS 4.5, presets M and L"
  toolchain = toolchain.hip
  library   = library.dlss
  axes      = [axis.numerics, axis.fp8, axis.variant]
  include   = ["kernels/common", "kernels/m"]
  let {
    exact = numerics == "accuracy"
  }
  defines = {
    D4R_ACCURACY        = exact
    D4R_FP8_WMMA        = fp8
    D4R_WMMA_LAYOUT     = variant == "shim12" ? 12 : null
    SWIN_NO_TOKEN_LANES = variant == "no_token_lanes"
    SWIN_NATURAL_ORDER  = variant == "natural_order"
    SWIN_KEYS_IN_ORDER  = variant == "keys_in_order"
    SWIN_K32_MIX        = variant == "k32_mix"
  }
  # waves: of the f16 builds. With FP8 a wave has a window to itself.
  # key: the offset of the weights' address + 1; 0 prepares on every launch.
  kernels "layers" {
    for = { layer = [
      { id = "enc1", waves = 4, prep = 34, key = 1, vgprs = 192 },
      { id = "enc2", waves = 8, prep = 78, key = 1, vgprs = 192 },
      { id = "enc3_tube", waves = 8, prep = 88, key = 0, vgprs = 192 },
      { id = "dec2", waves = 8, prep = 78, key = 1, vgprs = 192 },
      { id = "dec1", waves = 8, prep = 34, key = 1, vgprs = 128 },
    ] }
    when = (
      variant == "" || variant == "shim12" || variant == "keys_in_order" ||
      fp8 && variant == "natural_order" ||
      fp8 && variant == "no_token_lanes" && layer.waves == 8 ||
      fp8 && exact && variant == "k32_mix"
    )
    name   = "rrlite_${layer.id}_4x4"
    source = "kernels/m/${layer.id}.hip"
    hook = {
      prep_blocks      = layer.prep
      prep_key_at      = layer.key
      prep_key_slots   = 0
      prep_identity_at = 0
      block_z          = fp8 && variant != "no_token_lanes" ? 4 : layer.waves
      grid_x           = 0
    }
    limit  = { vgprs = variant == "" ? layer.vgprs : 256 }
    expect = 5
  }
  limit {
    when    = variant == ""
    spills  = 0
    scratch = 0
  }
  adjust "LDS allows dec1 ten waves on a SIMD, and 144 registers are as many" {
    match = "m/rrlite_dec1_4x4@gfx1100+numerics=*,m/rrlite_dec1_4x4@gfx1101+numerics=*"
    limit = { vgprs = 144 }
  }
}

# ---- tex: NVIDIA's kernels around the networks, with parts replaced
family "tex" {
  title     = "texture kernels: NVIDIA's PTX, edited"
  toolchain = toolchain.emit
  library   = library.dlss
  requires  = library.dlss
  licence   = "LicenseRef-NVIDIA-derived"
  axes      = [axis.numerics, axis.fp8, axis.variant]
  let {
    fast  = numerics == "fast"
    gfx12 = target.gen == "gfx12"
    hw8   = fp8 && target.gen == "gfx12"
  }
  # What the edited code calls: one source a recipe, with all of it. A head or
  # tail exports NAME_prep and what the hook reads.
  bitcode "tex" {
    toolchain = toolchain.hip
    source    = "tex/${replace(recipe, "-", "_")}.hip"
    include   = ["kernels/common", "kernels/m", "tex"]
    flags     = ["-fgpu-rdc", "-fdenormal-fp-math=dynamic"]
    defines = {
      D4R_ACCURACY      = !fast
      D4R_TEX_FP8       = hw8 && recipe != "stores"
      D4R_TEX_SOFT_E4M3 = variant == "soft_e4m3"
      D4R_KERNEL_NAME   = recipe == "stores" ? null : name
    }
  }
  # round: each rounding of half away from zero, without directed rounding.
  kernels "k_output" {
    for = {
      depth = ["depthinv", "depthreg"]
      mv    = ["mvhi", "mvlo"]
      range = ["hdr", "ldr"]
      kind  = ["v1", "v2", "max_v2"]
    }
    when     = variant == ""
    name     = "hiluma_engine_output_${depth}_${mv}_${range}_${kind}_rel"
    recipe   = "stores"
    counts   = { round = "pairs" }
    wave64   = fast
    redirect = true
    expect   = 24
  }
  kernels "m_post" {
    for    = { tile = ["3_1", "3_2"], mv = ["mvhi", "mvlo"], range = ["hdr", "ldr"] }
    when   = variant == ""
    name   = "rrlite_post_${tile}_${mv}_${range}_folded"
    recipe = "stores"
    wave64 = fast || gfx12
    expect = 8
  }
  kernels "m_downsample" {
    for      = { scene = ["static", "dynamic"], range = ["hdr", "ldr"] }
    when     = variant == ""
    name     = "rrlite_downsample_kernel_${scene}_${range}"
    recipe   = "stores"
    wave64   = gfx12
    redirect = true
    expect   = 4
  }
  # The tail is found by comparing each variant with the reference.
  kernels "m_enc0" {
    for       = { mv = ["mvhi", "mvlo"], range = ["hdr", "ldr"] }
    when      = variant == "" || hw8 && variant == "soft_e4m3"
    name      = "rrlite_enc0_4x4_${mv}_${range}_folded"
    recipe    = "enc0-tail"
    reference = "rrlite_enc0_4x4_mvhi_hdr_folded"
    hook      = { prep_blocks = 4, prep_key_at = 1 }
    expect    = 4
  }
  kernel "rrlite_dec0_4x4_folded" {
    when   = variant == "" || hw8 && variant == "soft_e4m3"
    recipe = "dec0-head"
    counts = { e4m3 = hw8 ? 32 : 0 }
    hook   = { prep_blocks = 4, prep_key_at = 1 }
  }
}

# ---- L: the kernels of M's preset that preset L has unfolded
family "l" {
  extends = family.tex
  title   = "DLSS 4.5, preset L: unfolded texture kernels"
  when    = var.preset_l
  # With FP8 instructions the window attention behind the first barrier is
  # native too.
  kernels "enc0" {
    for       = { mv = ["mvhi", "mvlo"], range = ["hdr", "ldr"] }
    when      = variant == ""
    name      = "rrlite_enc0_4x4_${mv}_${range}"
    recipe    = hw8 ? "l-enc0-tail" : "stores"
    reference = hw8 ? "rrlite_enc0_4x4_mvhi_hdr" : null
    hook      = hw8 ? { prep_blocks = 12, prep_key_at = 1 } : {}
    expect    = 4
  }
  kernel "rrlite_dec0_4x4" {
    when   = variant == ""
    recipe = hw8 ? "l-dec0-block" : "stores"
    hook   = hw8 ? { prep_blocks = 11, prep_key_at = 1 } : {}
  }
  kernels "post" {
    for    = { tile = ["3_1", "3_2"], mv = ["mvhi", "mvlo"], range = ["hdr", "ldr"] }
    when   = variant == ""
    name   = "rrlite_post_${tile}_${mv}_${range}"
    recipe = "stores"
    wave64 = fast || gfx12
    expect = 8
  }
}

# Without FP8 their matrix products stay in the PTX. The block of dec0 has shared
# memory of its own, which a function that is linked in cannot have.
exclude "matrix products of preset L" {
  match  = "l/rrlite_enc0_4x4_*+numerics=*,l/rrlite_dec0_4x4+*"
  reason = "kmx's own emitter cannot make them; ZLUDA's does (D4R_ZLUDA_EMIT)"
  when   = var.zluda_emit == ""
}

# ---- a set joins every cell that agrees with it on the axes the cell has
release "d4r" {
  sets {
    for    = { numerics = axis.numerics, target = "*", fp8 = axis.fp8 }
    path   = "${numerics == "accuracy" ? "accuracy/" : ""}${target.name}${fp8 ? "-fp8" : ""}"
    marker = numerics == "accuracy" ? { "d4r-accuracy.txt" = "1\n" } : {}
    expect = 16
  }
  kernels_per_set = 16 + 41 + (var.preset_l ? 13 : 0)

  # What a distribution may carry: the networks, which are written here.
  archive "network" {
    families = ["k", "m"]
    formats  = ["tar.zst"]
  }
  # To be unpacked over an installed d4r. With a DLSS library given it holds
  # objects made of NVIDIA's code, and is for whoever made it.
  archive "full" {
    families        = "*"
    formats         = ["zip"]
    redistributable = false
  }
}
