// Package toolchains finds the compiler that makes code objects, fingerprints
// everything that may influence what it writes, provides it where it is
// missing, and pins it in matrix.lock.hcl.
//
// A toolchain is its closure: the driver, the linker beside it, every shared
// library the two load (found the way the dynamic loader finds them, without
// starting them), configuration files beside the driver, the resource headers
// and, in a ROCm tree, the device bitcode. Host libraries belong to it because
// the compiler folds constants with the libm of the machine.
//
// Invariants:
//   - Names in a closure are relative and say nothing about the place: a system
//     installation and an unpacked copy of the same packages over the same host
//     libraries have one digest.
//   - Times, owners and paths never enter a digest; one byte of any file does.
//   - LD_LIBRARY_PATH of the caller is neither consulted here nor passed on. A
//     private prefix that needs it carries it in Tool.Env.
//   - Find starts a process at most once per compiler: what the compiler says of
//     itself is remembered under the digest of its binaries.
//   - Setup changes nothing when a compiler is there, and puts a private prefix in
//     place by one rename.
//
// What does not belong here: flags (the matrix has them), how an action is run
// (engine), what a cell needs (plan).
package toolchains
