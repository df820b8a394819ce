// Package validate is the room of proofs about kernels that cannot be run
// here on the hardware they are for: where the numbers of a layer lie
// (validate/layout), what a layer computes (validate/model), and captures of
// launches with their replay and comparison.
//
// The models are written from descriptions of the networks alone, and share
// no code with the kernels or with the emulator that runs them.
package validate
