// Package codeobj reads AMDGPU code objects (the linked, unbundled ELF files
// that a GPU driver loads) and compares them with what was declared of them.
//
// Invariants:
//   - Read and Check never panic and never trust a length, offset or count
//     found in the file; memory is proportional to the file.
//   - Check reports every problem it can find in one go. An object with no
//     problem is whole: a file cut at any length is refused.
//   - What is wrong is said for people, with the place in the file.
//
// An object holds, and this package reads:
//   - the ELF header: machine 224, the GPU in the low byte of e_flags, the
//     code-object version in EI_ABIVERSION (4, 5, 6 are 2, 3, 4);
//   - the note "AMDGPU" of type 32: a MessagePack map with the target and, per
//     kernel, registers, spills, scratch, LDS, kernarg size and launch bounds;
//   - .dynsym: the kernels, their 64-byte descriptors NAME.kd, and the exported
//     data, among it the 4-byte d4r_* control symbols that the launch hook of
//     d4r reads when it looks a kernel up.
//
// What does not belong here: which objects must exist and with which values (a
// Want says it; the matrix knows it), running the code, and manifests.
package codeobj
