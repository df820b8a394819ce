package toolchains

const exe = ".exe"
