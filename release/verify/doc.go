// Package verify proves a finished release to somebody who has neither compiler
// nor sources, compares two releases object by object, and tells which folder and
// which kernels of one a machine would be served.
//
// Invariants:
//   - Nothing is written but an unpacked archive, in a folder for temporary files
//     that is gone afterwards. No process is started, no network asked.
//   - Everything that is wrong is found in one go, and each problem names the file
//     and what is wrong with it.
//   - What a manifest says of an object is held against the object: a manifest
//     that was forged together with its digests still has to tell the truth.
//   - A selection follows the bridge step by step, so each candidate folder that
//     it passes over comes with the reason.
//
// Making releases and archives, the digests of manifests and the scan for what may
// not be passed on live in the rooms this one is built on.
package verify
