// Package flow holds the verbs behind the doors: release, kernels, build,
// plan, setup, stamp and the questions. One file each; each composes the rooms
// below and decides nothing they should decide.
//
// The way of the data is one direction: matrix.hcl is loaded and expanded
// (matrix), planned (plan), run (engine), every object compared with its
// declaration (amdgpu/codeobj), assembled (release) and reported (report).
//
// What does not belong here: anything a second program could want to call.
// That lives in a room below.
package flow
