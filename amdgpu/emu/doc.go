// Package emu executes AMDGPU code objects of gfx11 and gfx12 on the CPU, one
// machine instruction after another, as a stand-in for hardware that is not at
// hand.
//
// What it is for: running the kernels of this repository on the code that ships
// (not on their source), with every memory access checked. It is an
// architectural model: registers, memory, the order in which waves of a
// work-group may run. It knows no pipelines, no caches and no time.
//
// Invariants:
//   - Fail closed. An instruction, operand form or modifier that is not modelled
//     is a fault that names it; none is approximated in silence.
//   - A fault is an answer, not a panic: where, what, which instruction.
//   - The same object, memory and launch give the same bytes, whatever the number
//     of workers, for kernels whose work-groups do not talk to each other.
//   - Numbers come from the arith_*.go files only: correctly rounded, shared with
//     no other room, so that an error cannot hide in a model and in here alike.
//
// The decoder is llvm-objdump of the toolchain; its text is parsed once an
// object. Files are named after instruction families. docs/emulator.md lists what
// is not modelled.
package emu
