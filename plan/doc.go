// Package plan turns the cells of a matrix into a graph of actions.
//
// A cell says what must exist; an action says which process makes it, from
// which bytes. Between the two lie the driver's command line (command.go), the
// inputs, known before anything runs (includes.go, scan.go), and the promise
// an object has to keep (want.go).
//
// Invariants:
//
//   - A plan is a pure function of the cells, the toolchains and the bytes of
//     the sources. Nothing is executed here and nothing is written but the stat
//     memo.
//   - Cells with the same action share one node, whatever sets they join.
//   - Every problem of every cell is found before the first process starts.
//
// What does not belong here: the language (matrix), running things (engine),
// and what a set or a manifest looks like (release).
package plan
