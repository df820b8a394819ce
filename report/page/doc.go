// Package page makes one HTML page of a build, and a trace of it.
//
// Collect gathers what is known of a build: its log, the builds before it, the
// objects that the cache has of it, what the emulator counted of them, what the
// matrix leaves out, and another release to compare with. The result is data;
// Write puts it into a page with the chart library (assets/uplot), which works
// from a file, asks no server for anything and lets nothing be asked (its
// Content-Security-Policy allows the two texts in it by their hashes alone).
// WriteTrace writes the same build as JSON trace events, for Perfetto and
// chrome://tracing.
//
// Invariants: the same log, cache and folders give the same bytes; no clock is
// read. What a tool printed reaches the page as text, never as markup. Whatever
// is missing (records that were collected, an object that cannot be read) is
// told on the page and fails nothing.
//
// What a log says is report/logs' to find out; the front door imports neither.
package page
