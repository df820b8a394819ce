edition = 1

project "d4r-kernels" {
  licence = "Apache-2.0"
  version = var.version
  date    = "2026-11-30"
}

variable "version" {
  type    = string
  default = "0.0.0-dev"
}
variable "preset_l" {
  type        = bool
  default     = true
  description = "preset L: the 13 unfolded enc0, dec0 and post kernels"
}
variable "rr" {
  type        = bool
  default     = false
  description = "Ray Reconstruction (needs the DLSSD library)"
}
variable "native_inputs" {
  type        = bool
  default     = false
  description = "8 K inputs and 4 HDR max outputs translated natively (fast only)"
}
variable "dlss" {
  type    = list(string)
  default = []
  env     = "D4R_DLSS_DLLS"
}
variable "extra_flags" {                       # ad-hoc flags of the inner loop; change the key, mark the set as developer
  type    = list(string)
  default = []
  env     = "D4R_CFLAGS"
}

# ---- GPUs. a generation carries what its targets share; per-target blocks would repeat it six times,
# and a one-line HCL block may hold ONE attribute only.
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

# ---- axes. an axis with a domain: no gfx11 cell has fp8 = true (an `exclude` would be a lie: nothing is left out)
axis "numerics" {
  values  = ["fast", "accuracy"]
  default = "fast"
}
axis "fp8" {
  values  = [false, true]
  default = false
  allow   = !fp8 || target.fp8
}
# an axis that exists for tests and people, never for a release set (shim, opt-outs of the seeds)
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

# ---- what users bring. A library is an input like a toolchain: named, optional, fingerprinted, with approved modules
library "dlss" {
  paths    = var.dlss
  match    = "nvngx_dlss.dll"
  approved = "modules.lock.hcl"                # FNV-1a 64 AND BLAKE3 of each module a human has compared
}
library "dlssd" {
  paths = var.dlss
  match = "nvngx_dlssd.dll"
}

toolchain "hip" {
  kind  = "clang"
  flags = ["-std=c++20", "-O3", "-nogpuinc", "-nogpulib", "-nostdlibinc", "-ffp-contract=off", "-fuse-cuid=none"]
}
toolchain "emit" {
  kind = "emitter"
  env = {
    D4R_ZLUDA_WMMA            = 1
    D4R_ZLUDA_WMMA_FP8        = 1
    D4R_ZLUDA_WMMA_FP8_NATIVE = fp8
    D4R_ZLUDA_IGNORE_DENORMAL = numerics == "fast"
    D4R_ZLUDA_WMMA_F32ACC     = 0
    D4R_ZLUDA_FAST_MATH       = 0
    D4R_ZLUDA_IMPLICIT_MAX_BLOCK = 256
    D4R_ZLUDA_WAVE64          = wave64           # one derived attribute read by another
  }
}

# ---- K
family "k" {
  title     = "DLSS 4, preset K"
  toolchain = toolchain.hip
  library   = library.dlss
  axes      = [axis.numerics, axis.variant]      # no fp8: one object is placed in gfx12xx and gfx12xx-fp8
  include   = ["kernels/common"]
  let {                                          # locals per cell (top-level `locals` cannot see numerics or target)
    exact = numerics == "accuracy"
  }
  defines = {
    D4R_ACCURACY    = exact                      # true -> -DX=1, false/null -> absent (sources use #ifdef)
    D4R_WMMA_LAYOUT = variant == "shim12" ? 12 : null
  }
  # a table. One row a kernel, ordered (a tuple keeps its order, an object does NOT: cty sorts its keys)
  kernels "layers" {
    for = { layer = [
      { id = "enc0", waves = 2,  prep = 21,  fast = true,  cu = false },
      { id = "enc1", waves = 4,  prep = 40,  fast = true,  cu = true },
      { id = "enc2", waves = 4,  prep = 44,  fast = true,  cu = false },
      { id = "enc3", waves = 8,  prep = 100, fast = false, cu = false },
      { id = "enc4", waves = 16, prep = 160, fast = false, cu = false },
      { id = "dec5", waves = 16, prep = 252, fast = false, cu = false },
      { id = "dec4", waves = 16, prep = 152, fast = false, cu = false },
      { id = "dec3", waves = 8,  prep = 100, fast = false, cu = false },
      { id = "dec2", waves = 4,  prep = 44,  fast = true,  cu = true },
      { id = "dec1", waves = 4,  prep = 40,  fast = true,  cu = true },
      { id = "dec0", waves = 2,  prep = 21,  fast = true,  cu = false },
    ] }
    name    = "dltss_pwin_${layer.id}_layer"
    source  = "kernels/k/${layer.id}.hip"
    flags   = layer.cu ? ["-mcumode"] : []
    defines = { PWIN_F32ACC = layer.fast && !exact }
    # the hook ABI is part of the declaration and codeobj checks it, per cell
    hook    = { prep_blocks = layer.prep, prep_key_offset = 64, block_z = layer.waves }
    expect  = 11
  }
  limit {
    spills  = 0
    scratch = 0
    when    = target.gen == "gfx12"
  }
}

# ---- M
family "m" {
  title     = "DLSS 4.5, presets M and L"
  toolchain = toolchain.hip
  library   = library.dlss
  axes      = [axis.numerics, axis.fp8, axis.variant]
  include   = ["kernels/common"]
  let {
    tok    = fp8 && target.gen == "gfx12" && variant != "no_token_lanes"
    g1101  = target.name == "gfx1101" && numerics == "fast" && !fp8
  }
  defines = {
    D4R_ACCURACY         = numerics == "accuracy"
    D4R_FP8_WMMA         = fp8
    SWIN_NO_TOKEN_LANES  = variant == "no_token_lanes"
    D4R_SWIN_K32_MIX     = variant == "k32_mix"
    D4R_WMMA_LAYOUT      = variant == "shim12" ? 12 : null
  }
  kernels "layers" {
    for = { layer = [
      { id = "enc1",      waves = 4, prep = 34, tok_prep = 34, vgprs = 192, sbload = true },
      { id = "enc2",      waves = 8, prep = 78, tok_prep = 78, vgprs = 192, sbload = false },
      { id = "enc3_tube", waves = 8, prep = 88, tok_prep = 88, vgprs = 192, sbload = false },
      { id = "dec2",      waves = 8, prep = 78, tok_prep = 78, vgprs = 192, sbload = false },
      { id = "dec1",      waves = 8, prep = 34, tok_prep = 34, vgprs = 128, sbload = false },
    ] }
    name    = "rrlite_${layer.id}_4x4"
    source  = "kernels/m/${layer.id}.hip"
    defines = { SWIN_SCALAR_BLOAD = layer.sbload }
    hook    = { prep_blocks = tok ? layer.tok_prep : layer.prep, block_z = tok ? 4 : layer.waves, prep_key_at = layer.id == "enc3_tube" ? 0 : 1 }
    limit   = { vgprs = layer.vgprs }
    expect  = 5
  }
  # an adjustment of named cells, after the family: one reason, one place, blame shows it. `set` merges, `replace` replaces.
  adjust "dec1 keeps 160 registers on gfx1101" {
    match   = "m/rrlite_dec1_4x4@gfx1101+*"
    limit   = { vgprs = 160 }
    defines = { SWIN_VGPRS = 160 }
  }
  adjust "dec2 memory clauses" {
    match   = "m/rrlite_dec2_4x4@gfx1101"
    replace = { flags = ["-O3", "-mllvm", "-misched=gcn-max-memory-clause"] }
  }
  adjust "enc2 packed input" {
    match   = "m/rrlite_enc2_4x4@gfx1101"
    defines = { SWIN_PACKED_INPUT = true, SWIN_BPERMUTE = true, SWIN_MLP_UNROLL = 4 }
  }
}

# ---- tex
family "tex" {
  title     = "NVIDIA's PTX, edited"
  toolchain = toolchain.emit
  library   = library.dlss
  requires  = library.dlss                       # absent: the family is left out by this rule, which the manifest names
  licence   = "LicenseRef-NVIDIA-derived"        # packages refuse it unless told
  axes      = [axis.numerics, axis.fp8, axis.variant]
  let {
    fast  = numerics == "fast"
    gfx12 = target.gen == "gfx12"
    hw8   = fp8 && target.gen == "gfx12"
  }
  bitcode "tex" {                                # a helper compiled to bitcode by another toolchain and linked in
    toolchain = toolchain.hip
    source    = "tex/stores.hip"
    defines   = { D4R_TEX_FP8 = fp8, D4R_ACCURACY = !fast, D4R_TEX_SOFT_E4M3 = variant == "soft_e4m3", D4R_KERNEL_NAME = name }
  }
  kernels "k_output" {
    for      = { depth = ["depthinv", "depthreg"], mv = ["mvhi", "mvlo"], range = ["hdr", "ldr"], kind = ["v1", "v2", "max_v2"] }
    name     = "hiluma_engine_output_${depth}_${mv}_${range}_${kind}_rel"
    recipe   = "stores"
    counts   = { round = "pairs" }               # edit counts asserted per recipe, pinned in modules.lock.hcl
    # built by another recipe in fast than in accuracy
    override = [{ when = fast && var.native_inputs && range == "hdr" && kind == "max_v2", recipe = "native", source = "kernels/native/max_hdr.hip" }]
    wave64   = fast
    redirect = true
    expect   = 24
  }
  kernels "m_post" {
    for    = { tile = ["3_1", "3_2"], mv = ["mvhi", "mvlo"], range = ["hdr", "ldr"] }
    name   = "rrlite_post_${tile}_${mv}_${range}_folded"
    recipe = "stores"
    wave64 = fast || gfx12
    expect = 8
  }
  kernels "m_downsample" {
    for      = { scene = ["static", "dynamic"], range = ["hdr", "ldr"] }
    name     = "rrlite_downsample_kernel_${scene}_${range}"
    recipe   = "stores"
    wave64   = gfx12
    redirect = true
    expect   = 4
  }
  kernels "m_enc0" {
    for    = { mv = ["mvhi", "mvlo"], range = ["hdr", "ldr"] }
    name   = "rrlite_enc0_4x4_${mv}_${range}_folded"
    recipe = "enc0-tail"
    hook   = { prep_blocks = 4, prep_key_at = 1 }
    expect = 4
  }
  kernel "rrlite_dec0_4x4_folded" {
    recipe = "dec0-head"
    counts = { e4m3 = hw8 ? 32 : 0 }
    hook   = { prep_blocks = 4, prep_key_at = 1 }
  }
}

# ---- L: same family rules as tex. extends, or 60 lines are said twice
family "l" {
  extends = family.tex
  title   = "DLSS 4.5, preset L (unfolded)"
  when    = var.preset_l
  kernels "enc0" {
    for    = { mv = ["mvhi", "mvlo"], range = ["hdr", "ldr"] }
    name   = "rrlite_enc0_4x4_${mv}_${range}"
    recipe = hw8 ? "l-enc0-tail" : "stores"      # the native part depends on target and FP8
    hook   = hw8 ? { prep_blocks = 12, prep_key_at = 1 } : {}
    expect = 4
  }
  kernel "rrlite_dec0_4x4" {
    recipe = hw8 ? "l-dec0-block" : "stores"
    hook   = hw8 ? { prep_blocks = 11, prep_key_at = 1 } : {}
  }
  kernels "post" {
    for    = { tile = ["3_1", "3_2"], mv = ["mvhi", "mvlo"], range = ["hdr", "ldr"] }
    name   = "rrlite_post_${tile}_${mv}_${range}"
    recipe = "stores"
    wave64 = fast || gfx12
    expect = 8
  }
}

# ---- kernels that exist only in fast sets
family "native" {
  title     = "K inputs translated by hand"
  toolchain = toolchain.hip
  library   = library.dlss
  axes      = [axis.numerics]
  when      = var.native_inputs && numerics == "fast"   # `when` on a cell value AND on a variable: two meanings, one word
  kernels "input" {
    for    = { depth = ["depthinv", "depthreg"], mv = ["mvhi", "mvlo"], range = ["hdr", "ldr"] }
    name   = "hiluma_engine_input_${depth}_${mv}_${range}_v2_rel"
    source = "kernels/native/input.hip"
    twin   = "none"                              # "every fast kernel has an accuracy twin" is a checked rule with exemptions
    expect = 8
  }
}

# ---- Ray Reconstruction: hashes from one library only
family "rr" {
  title     = "Ray Reconstruction"
  when      = var.rr
  toolchain = toolchain.emit
  library   = library.dlssd                      # and never from library.dlss
  requires  = library.dlssd
  licence   = "LicenseRef-NVIDIA-derived"
  axes      = [axis.numerics, axis.fp8]
  kernels "hkpn" {
    for    = { kind = ["transformer", "diamond_wallaby"] }
    name   = kind == "transformer" ? "cuda_dldn_engine_hkpn_output_kernel_transformer" : "cuda_dldn_engine_hkpn_output_kernel_diamond_wallaby"
    recipe = "stores"
    wave64 = numerics == "fast"
    expect = 2
  }
}

exclude "gfx1103 FP spike" {
  match  = "m/rrlite_enc1_4x4@gfx1103+accuracy+k32_mix"
  reason = "example of the ledger"
  issue  = "https://example.invalid/1"
  until  = "2027-03-01"
}

# ---- a set is a rule over axes, not sixteen blocks; every cell that agrees on the axes it HAS joins it
release "d4r" {
  sets {
    for    = { numerics = axis.numerics, target = "*", fp8 = axis.fp8 }
    path   = "${numerics == "accuracy" ? "accuracy/" : ""}${target.name}${fp8 ? "-fp8" : ""}"
    marker = numerics == "accuracy" ? { "d4r-accuracy.txt" = "1\n" } : {}
    expect = 16
  }
  kernels_per_set = 11 + 5 + 41 + (var.preset_l ? 13 : 0)     # 57, 70 with L
  archive "network" {
    families = ["k", "m"]                        # the one a distribution may carry
    formats  = ["tar.zst"]
  }
  archive "full" {
    families        = "*"
    redistributable = false
    formats         = ["zip"]
  }
}
