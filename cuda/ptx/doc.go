// Package ptx reads PTX assembly without losing a byte, answers questions
// about it, and edits it.
//
// Parse turns the text of one module into statements. Every statement and
// operand knows the bytes it stands on, and the module keeps the text, so
// printing is returning the text, an edit is a replacement of bytes (Apply),
// and whatever was not edited stays as it was: comments, line ends, the way a
// number was written. Hashes over the rest of a module survive an edit.
//
// Above the statements stand the data flow of one function (Analyse), the
// alignment of two pieces of code that differ in the names of their registers
// only (Align), and a comparison for people (Diff).
//
// Invariants: the spans of the items of a module, function or block are in
// order, do not overlap and lie within the span of their owner; between them
// is nothing but white space and comments. A module is not changed after
// Parse and may be read from several goroutines. No input makes this package
// panic, nor use memory or stack out of proportion to its length.
//
// What instructions mean does not belong here, beyond which operands they
// write: no types are checked, no opcode is refused, nothing is executed.
// Names are resolved as far as telling registers from symbols needs it.
//
// The grammar is that of NVIDIA's "Parallel Thread Execution ISA" up to
// version 8.8, without the DWARF lines of PTX 1.x (@@DWARF). What is within
// the braces of a .section is skipped over.
package ptx
