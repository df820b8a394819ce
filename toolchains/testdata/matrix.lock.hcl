# Which compiler builds a release. Written by: go tool mage toolchains:lock
# core: driver, linker, LLVM's libraries, resource headers. closure: core and the host libraries it loads.
edition = 1

toolchain "hip" {
  kind    = "clang"
  version = "19.1.7"
  core    = "blake3:a6c770c03385dd65be6d0d0378d8b83c7eb811f88c7017ede6247e78abbd02ca"
  closure = "blake3:1fa71480d6c5a0d30957561e18c00bb0a035ce3620ff0f8f200e87814e3000d9"
}

toolchain "odd" {
  kind    = "clang"
  version = "20.0 \"$${x}\""
  core    = "blake3:62f93128acc54e725deacb4fa6a923a3bbf083f66ffb84f8181b2fd1af8d48f6"
  closure = "blake3:5339f5e7ea214fc20a5a85d36b595a973dfd35bc9a8b6a123c3eb2c0e436b68e"
}
