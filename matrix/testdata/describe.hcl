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
variable "native" {
  type        = bool
  default     = false
  env         = "NATIVE"
  description = "inputs\ttranslated\nby hand"
}
variable "extra_flags" {
  type      = list(string)
  default   = []
  env       = "FLAGS"
  separator = " "
  developer = true
}
generation "gfx11" {
  targets = ["gfx1100", "gfx1101"]
  waves   = [32, 64]
}
generation "gfx12" {
  targets = ["gfx1200", "gfx1201"]
  waves   = [32]
  fp8     = true
}
axis "numerics" {
  values = ["fast", "accuracy"]
}
axis "fp8" {
  values = [false, true]
  allow  = !fp8 || target.fp8
}
axis "variant" {
  values  = ["", "soft"]
  release = false
}
library "dlss" {
  paths = []
  match = "x.dll"
}
toolchain "hip" {
  kind  = "clang"
  flags = concat(["-O3"], var.extra_flags)
}
toolchain "other" {
  kind = "clang"
}
family "k" {
  title     = "preset K"
  toolchain = toolchain.hip
  library   = library.dlss
  axes      = [axis.numerics, axis.variant]
  defines   = { EXACT = numerics == "accuracy" }
  kernels "layers" {
    for    = { layer = ["enc0", "enc1", "enc2", "dec2", "dec1", "dec0", "post"], side = ["left", "right"] }
    name   = "a_rather_long_${layer}_${side}_layer"
    source = "k/${layer}.hip"
    hook   = { n = layer == "enc1" ? 2 : 1 }
  }
}
family "m" {
  toolchain = numerics == "fast" ? toolchain.hip : toolchain.other
  licence   = "MIT"
  axes      = [axis.numerics, axis.fp8]
  kernel "mlp" {
    source = "m/mlp.hip"
  }
}
family "native" {
  toolchain = toolchain.hip
  when      = var.native
  kernel "input" {
    source = "native/input.hip"
  }
}
family "tex" {
  extends  = family.m
  title    = "edited"
  requires = library.dlss
  kernel "output" {
    source = "tex/output.hip"
  }
}
exclude "hangs" {
  match  = "m@gfx1100"
  reason = "hangs at the second launch"
  issue  = "https://example.invalid/1"
  until  = "2027-03-01"
}
release "r" {
  sets {
    for    = { numerics = axis.numerics, target = "*", fp8 = axis.fp8 }
    path   = "${numerics == "accuracy" ? "accuracy/" : ""}${target.name}${fp8 ? "-fp8" : ""}"
    marker = numerics == "accuracy" ? { "d4r-accuracy.txt" = "1\n" } : {}
  }
  archive "network" {
    families = ["k", "m"]
    formats  = ["tar.zst"]
  }
  archive "full" {
    families        = "*"
    formats         = ["zip", "tar.zst"]
    redistributable = false
  }
}
