// Package matrix reads matrix.hcl, the declaration of every code object that
// must exist, and expands it into cells: one kernel for one target at one
// point of its axes, with everything that decides its bytes.
//
// The way through the package is
//
//	Load    files        -> Matrix     (declarations; names checked)
//	Expand  Matrix       -> Expansion  (cells and release sets, in file order)
//	Select  Expansion    -> cells      (addresses and patterns people type)
//
// Each returns what it could make of its input and a list of every problem it
// found; a caller that wants to build something stops when the list has
// errors, a caller that wants to show something need not.
//
// # Invariants
//
// The package is pure: it reads the files and the environment through the two
// functions in Options, starts no process, looks at no clock and keeps no
// state between calls. Equal inputs give equal cells in equal order.
//
// Everything about a kernel is declared in the file. Nothing here knows a
// kernel, a GPU or a flag by name; the axis "numerics", whose values are each
// other's twins, is the one name with a meaning of its own.
//
// An expression is evaluated once for each combination of what it reads, not
// once for each cell: cells share the lists that come out, so nobody may
// change a slice of a Cell.
//
// A mistake is reported once, where it is, with the number of cells that have
// it; what follows from a mistake is not reported.
//
// # What does not belong here
//
// Whether a source exists, what a compiler is, how a cell becomes an action:
// the packages above know that.
package matrix
