// Package emit is the built-in emitter: it turns a PTX kernel into LLVM IR text
// for AMD's GPUs, which one clang command makes into a code object.
//
// Lower writes the IR, Args the arguments of clang. The IR is made to be read:
// every PTX instruction stands above what it became, with its line, registers and
// labels keep their names, and what takes more than a line has a function of its
// own, named after the PTX instruction (@ptx.bfe.s32).
//
// Registers are allocas of integer type, which the optimiser turns into values.
// A CUDA warp is 32 lanes whatever the size of a wave: two warps share a wave64.
//
// Invariants:
//   - The same module, kernel and options give the same bytes.
//   - What is not surely right is refused, with file, line, column and
//     instruction, all of a kernel at once. Nothing is skipped or approximated
//     beyond what PTX itself allows of an .approx instruction.
//   - Nothing that PTX leaves undefined becomes undefined behaviour of LLVM where
//     that could spread: registers start as zero, shift counts are clamped,
//     divisors are checked, conversions saturate.
//
// What does not belong here: parsing (cuda/ptx), edits of modules and the helper
// functions they call (tex), running clang (plan, cmd/kmx-emit). docs/emitter.md
// is the manual, with what is covered, what is refused and what was decided where
// PTX leaves a choice.
package emit
