// Package matrix reads matrix.hcl, the declaration of every code object that
// must exist, and expands it into cells: one kernel for one target at one
// point of its axes, with everything that decides its bytes.
//
// The way through the package is
//
//	Load    files        -> Matrix     (declarations; names checked)
//	Expand  Matrix       -> Expansion  (cells, release sets and the ledger, in file order)
//	Select  Expansion    -> cells      (addresses and patterns people type)
//
// Each returns what it could make of its input and a list of every problem it
// found; a caller that wants to build something stops when the list has
// errors, a caller that wants to show something need not.
//
// # Invariants
//
// The package is pure: it reads files, the environment and whether a library
// is there through the functions in Options, starts no process, looks at no
// clock and keeps no state between calls. Equal inputs give equal cells in
// equal order.
//
// Everything about a kernel is declared in the file. Nothing here knows a
// kernel, a GPU or a flag by name; the axis "numerics", whose values are each
// other's twins, is the one name with a meaning of its own.
//
// An expression is evaluated once for each combination of what it reads, not
// once for each cell: cells share the lists that come out, so nobody may
// change a slice of a Cell. Work and memory grow as the cells do.
//
// A mistake is reported once, where it is, with the number of cells that have
// it; what follows from a mistake is not reported.
//
// A comparison that can never hold is a mistake, found while the names that an
// expression reads are checked: what is known of the values of a name is its
// symbol's domain.
//
// Everything in a Cell has an Origin: the element that says it, the adjust it
// stands in, and what it and the conditions around it read.
//
// # What says what
//
// A variable has the value given with -vars (Options.Vars), else that of its
// environment variable unless that is empty, else its default.
//
// An attribute of a cell is made in this order, each layer after the one
// before: the toolchain, the families that its family extends (farthest
// first), the family, the group, the overrides whose condition holds, and the
// adjusts that match. Lists (flags, include) append; objects (defines, hook,
// limit, counts) merge entry by entry; of anything else the last one counts. A
// let replaces a let of the same name, also for what an extended family says.
// An adjust's replace takes the place of all but the toolchain.
//
// Two adjusts never come in an order: if both change one entry of an object,
// or one list, or one other attribute of one cell, that is an error, as it is
// if two overrides do.
//
// # What does not exist
//
// An axis's allow says where a value exists at all; a `when` says the same of
// cells. Neither leaves a trace. These do, in Expansion.LeftOut:
//
//   - A family whose `when` has a part, separated by &&, that reads no cell
//     and is false. It declares nothing in this run: no set expects it.
//   - A family that requires a library that is not there. Its cells are
//     declared and left out: they count for kernels_per_set.
//   - An exclusion. Its cells, too, are declared and left out. It has a reason,
//     and may have an issue and a last day, which is compared with
//     SOURCE_DATE_EPOCH, else with the project's date, so that a tagged release
//     stays buildable; the clock (Options.Now) can only warn. One whose `when` is
//     false in this run leaves out nothing and is in no ledger.
//
// An adjust or exclusion none of whose cells is declared is an error, except
// while this run switches its family or kernel off, and except for an
// exclusion of points that exist for tests and people (an axis with release =
// false) and that the axis itself keeps from existing: no release changes by
// it, and it stays in the ledger with no cells.
//
// # Files
//
// A file may include others, by paths relative to itself inside the project;
// their blocks stand where the attribute stands. Ranges name files relative to
// the project's folder.
//
// # What does not belong here
//
// Whether a source exists, what a compiler or a recipe is, what a licence
// allows, how a cell becomes an action: the packages above know that.
package matrix
