// Package ci lets many machines make one release: it shares the actions out,
// carries their results from machine to machine and proves that they belong
// together, and writes what a CI system shows of all that.
//
// A Plan says which actions have to run and which shard runs each. A Bundle is
// one file with what a shard gave: records and blobs of the cache, and the
// Identity of everything that they were made from.
//
// Invariants:
//
//   - Everything here is a pure function of values and bytes: no clock, no
//     environment, no process. The same plan and the same results give the same
//     bytes.
//   - A bundle is believed only as a whole: a byte too few, too many or another
//     one is an error that names the file.
//   - Nothing of a bundle is taken whose identity is not that of the machine
//     that merges; the error says who differs and in what.
//
// Digests prove that bundles are whole and belong together. They are no
// signatures: a bundle deserves as much trust as the machine it came from.
//
// What does not belong here: which actions there are (plan), running them
// (engine), and what a release is made of (release).
package ci
