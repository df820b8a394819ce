// kmx-faults proves what kmx promises when something goes wrong. It makes a
// throw-away project with a dozen tiny kernels, runs the real front door in it
// with the real compiler, injects one fault after the other, and prints a row
// for each: the line that the user sees, the exit code, and whether all is well
// after a plain command: the bytes of an undisturbed release, no temporary file,
// no lock, no process, a sound cache.
//
// Moments and places are random, from a seed that is printed; the same seed gives
// the same ones. A row that this machine cannot run is printed with the reason
// and fails the run, unless -allow-missing.
//
// With -soak=30m it does so at random for that long instead: edits, selectors,
// two checkouts on one cache, a watch, collections and faults, with every object
// held against a build in a fresh cache.
//
// What does not belong here: what kmx does about a fault. A row only shows it.
package main
