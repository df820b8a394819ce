// Package report shows people what a build is doing.
//
// A Printer takes the engine's events and writes them in one of four modes:
//
//	tty     at most eight live lines at the bottom, failures above them as they happen
//	plain   one line a finished cell, a sign of life after 30 seconds of silence
//	json    the events as they are, one JSON object a line
//	github  plain, with groups and annotations at the line of the matrix
//
// auto chooses: github under GITHUB_ACTIONS, plain under CI or where there is
// no terminal, else tty.
//
// Invariants: the Printer is for stderr, data goes elsewhere; it only reads
// events and never changes a build; what a tool wrote cannot drive the
// terminal or the CI runner through it; after Close the cursor is as it was.
// Time comes from the events and an injected clock, so that the same events
// print the same text.
//
// Answers, traces and pages made of logs later are child rooms, report/logs and
// report/page, which the front door does not import; what a build is to do, and what its failure means for the exit code, is not
// decided here.
package report
