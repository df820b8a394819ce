// Package standin generates PTX modules under the entry names of DLSS's
// kernels, and a PE32+ library that carries them, so that everything which
// reads, edits and compiles such modules can be tried without a file of
// NVIDIA's. Nothing in it comes from NVIDIA: the programs are written here,
// after the PTX ISA manual and the public descriptions of what the real
// modules look like (barriers, counts of MMAs, parameter offsets, kinds of
// surface stores, both forms of roundf, line ends).
//
// Invariants:
//   - Equal calls give equal bytes: no clock, no map order, a generator of
//     random numbers of its own.
//   - Every module is valid PTX for ptxas. The kernels of the groups KOutput,
//     MPost, MDownsample and LPost are complete programs: they end for every
//     input, load and store inside what Launch describes, and write each texel
//     of their surfaces.
//   - What a kernel promises (Kernel.Counts) is stated apart from the programs
//     and checked against their text by tests.
//
// What does not belong here: editing PTX, judging libraries, and anything
// measured on a real library.
package standin
