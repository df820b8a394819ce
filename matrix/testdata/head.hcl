# ---- what every case shares
edition = 1
project "p" {
  version = "1"
}
generation "gfx11" {
  targets = ["gfx1100", "gfx1101", "gfx1102", "gfx1103"]
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
  values  = ["", "shim12", "soft"]
  release = false
  allow   = { shim12 = target.gen == "gfx11" }
}
library "dlss" {
  paths = []
  match = "x.dll"
}
toolchain "hip" {
  kind  = "clang"
  flags = ["-O3"]
}
family "good" {
  toolchain = toolchain.hip
  axes      = [axis.numerics, axis.fp8]
  kernel "good" {
    source = "good.hip"
  }
}
