// Package logs reads event logs afterwards: what a build ran, what failed, what
// took long, what its end waited for, and how two builds differ.
//
// Read makes a Build of a log, also of one that ends in the middle because the
// build was killed. Everything else is computed from Builds alone, in the order
// of the log and of names, so that the same log always gives the same answer.
//
// Offsets are times since the build began; -1 means that it did not happen.
// A lane is a place for one process at a time: the engine tells when processes
// start and end, and a lane is the lowest one free at the start.
//
// Pages and traces made of Builds are report/page's; where logs are kept and
// which one is meant by default is decided here (Find), that and how long they
// are kept is the engine's and the front door's.
package logs
