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
  description = "DLSS libraries whose PTX modules stamp the sets"
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
axis "variant" {
  values  = ["", "shim12", "wave32", "wave64", "no_token_lanes", "natural_order", "keys_in_order", "k32_mix"]
  release = false
  allow   = { shim12 = target.gen == "gfx11" }
}

library "dlss" {
  paths = var.dlss
  match = "nvngx_dlss.dll"
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

# ---- a set joins every cell that agrees with it on the axes the cell has
release "d4r" {
  sets {
    for    = { numerics = axis.numerics, target = "*", fp8 = axis.fp8 }
    path   = "${numerics == "accuracy" ? "accuracy/" : ""}${target.name}${fp8 ? "-fp8" : ""}"
    marker = numerics == "accuracy" ? { "d4r-accuracy.txt" = "1\n" } : {}
    expect = 16
  }
  kernels_per_set = 16
}
