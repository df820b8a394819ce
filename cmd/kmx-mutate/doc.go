// kmx-mutate shows that the validation of the network kernels would notice a
// fault in their sources. It breaks the sources in small ways that people break
// them in (an operator: drop a barrier, swap rows, round otherwise ...), builds a
// cell of matrix.hcl that uses the broken place, runs it on the emulator and holds
// it against the reference model. A mutant is killed when the compiler or the
// object's declaration refuses it, when the emulator faults, or when a byte
// differs. One that survives is a hole in the validation, or no fault at all.
//
// What is mutated follows from the seed, the sources and the operators alone.
// Places that make no difference to an object do not count, nor does a mutant
// that does not compile: both are listed apart. Warnings are off, and limits of
// resources are looked at last, so that neither hides what the bytes show.
//
// Results are appended to a file as they come; what stands there is not done
// again, unless a kernel source has changed.
//
// What does not belong here: how a kernel is launched (validate/capture), and what
// is right (validate/model).
package main
