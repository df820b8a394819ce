// Package num has the two small floating-point formats of the networks, bit by
// bit: F16, IEEE 754 binary16, and E4M3, the 8-bit format of the OCP "OFP8"
// specification (4 exponent bits, bias 7, 3 fraction bits, no infinity).
//
// Every operation rounds once, to nearest, ties to even; subnormals are kept.
// Conversions to float32 and float64 are exact. Nothing here depends on the
// machine: fused multiply-add instructions that a Go compiler may choose do
// not change a result.
//
// The reference models compute with this package. The emulator does not: its
// arithmetic is separate code, so that one error cannot hide in both.
// Transcendental functions do not belong here (they are the models').
package num
