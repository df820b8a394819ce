// Package plan turns the cells of a matrix into a graph of actions.
//
// A cell says what must exist; an action says which process makes it, from
// which bytes. Between the two lie the driver's command line (command.go), the
// inputs, known before anything runs (includes.go, directive.go), and the promise
// an object has to keep (want.go).
//
// A cell with a recipe is made of a library's code. The steps between the library
// and the action (library.go, workshop.go, steps.go) run inside of this program:
// they are pure functions of bytes, and what they give is kept in the store under
// what it was made from and the digest of the program. Downstream the digests of
// their results count, not where these came from. A step that fails is a node
// that has failed: other cells go on.
//
// Invariants:
//
//   - A plan is a pure function of the cells, the toolchains and the bytes of
//     the sources and libraries. No process is started here, and nothing is
//     written but the stat memo and what the steps have made.
//   - Of a library one module for each processor is in memory, never all.
//   - Cells with the same action share one node, whatever sets they join.
//   - Every problem of every cell is found before the first process starts.
//   - What a record says of the origin of an input is in no key.
//
// What does not belong here: the language (matrix), running things (engine),
// and what a set or a manifest looks like (release).
package plan
