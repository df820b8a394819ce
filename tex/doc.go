// Package tex edits NVIDIA's PTX so that it runs on AMD GPUs with this
// project's own device functions in it: surface stores become calls, the
// rounding idiom loses its directed rounding, FP8 conversions become calls, and
// the heads and tails of the outer network layers are replaced.
//
// An edit is named by its recipe (see Recipes), says what it changed
// (Result.Changes, Result.Counts) and is a pure function of the module's
// statements, the reference's and the options: same input, same bytes.
//
// Invariants:
//   - What to replace is found by structure: barriers, numbers of mma
//     instructions, parameters by their offset in the parameter block, shared
//     arrays, data flow. Never by line numbers or by the names of registers.
//   - A recipe that finds something it does not expect changes nothing and
//     says everything that is wrong, in one run, with the lines of both sides.
//   - Bytes that no edit touches stay as they are; line ends are the module's.
//   - Names that an edit introduces occur nowhere in the module. Registers and
//     parameters of a call live in a scope of their own.
//   - The edited text was parsed again before it is returned.
//
// The parameters of a kernel never change while it runs, so replaced code
// reads pointers and sizes from the parameter block again instead of looking
// for the registers that hold them.
//
// What does not belong here: what the device functions compute (the .hip files
// beside this package), compiling, which recipe a kernel takes (matrix.hcl), and
// reading libraries.
package tex
