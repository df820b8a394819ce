// Package model computes what a network layer is meant to compute, stage by
// stage, with every rounding point named. It is the specification that kernels
// are compared with, byte by byte, so it follows the mathematics and not the
// way a GPU would do it: no waves, no shared memory, no layouts beyond those of
// the buffers.
//
// A layer reads and writes the very bytes a kernel does (see validate/layout).
// Run takes a kernel's name, its parameter block and its memory and returns
// what the kernel leaves in its output buffers.
//
// Conventions, chosen because hardware does not publish its own:
//   - One WMMA step adds sixteen products and the accumulator exactly and
//     rounds once to float32.
//   - rcp, rsq and exp2 are correctly rounded to float32. Options.ULP shifts
//     their results, to see how much hangs on that.
//   - An exact sum of zero is +0 unless every term is -0.
//
// Numbers are those of internal/num. The package shares no code with kernels
// or emulator, and must not.
package model
