// Package capture is about single kernel launches frozen with the memory they
// point into: reading and writing them as directories, making them from seeds,
// replaying them on the emulator or the reference model, and saying how far two
// results lie apart. It also reads what people measure on a GPU: frames and
// kernel profiles.
//
// The directory format is the one that the bridge's replay dumps have; docs/
// validation.md describes it. What is read may come from anywhere: every size,
// offset and name is checked, and all problems of a capture are reported at once.
//
// A replay follows the runtime's hook: prep kernels, their keys, replaced block
// and grid sizes. It knows nothing of what a kernel computes; the model does.
package capture
