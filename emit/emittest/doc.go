// Package emittest is the corpus of small PTX kernels that the built-in emitter
// is held to: one kernel a file in emit/testdata/ptx, with a header that says
// how it is launched and on what, and vectors: what an NVIDIA GPU stored when
// it ran them. A second one, emit/testdata/tier5, has what the emitter does not
// take: the conversions of e4m3, with which helpers must agree, and products of
// matrices.
//
// # The header
//
// Lines that begin with "//!", before everything else of the file. The kernel
// is the file's only .entry and has the file's name. Parameters are listed in
// the kernel's order, one line each.
//
//	//! tier 1                    the tier of its instructions, 0 to 5
//	//! about what it is there to show
//	//! launch 2 64               grid and block; 4x2 64 and 1 16x4 are two-dimensional
//	//! denormals keep            or flush: what the kernel wants for f32; left out where it does not matter
//	//! in    NAME TYPE COUNT FILL            a buffer that is read
//	//! out   NAME TYPE COUNT TOLERANCE       a buffer that is written; it starts as bytes of 0xa5
//	//! inout NAME TYPE COUNT FILL TOLERANCE  a buffer that is both
//	//! value NAME TYPE NUMBER                a plain parameter
//	//! struct NAME SIZE                      one parameter of SIZE bytes; those that follow as NAME@OFFSET lie in it
//	//! tex   NAME FORMAT WxH FILTER ADDRESS COORDINATES FILL
//	//! surf  NAME FORMAT WxH FILL TOLERANCE
//
// TYPE is b, u or s with 8, 16, 32 or 64, or f16 or f32. FORMAT is r, rg or
// rgba, the bits of a channel, and f (float), n (unorm), sn (snorm), u or s
// (integers, read as such), as in rgba16f, or rgb10a2. FILTER is nearest or linear; ADDRESS
// is clamp, wrap, mirror or border (zeros); COORDINATES is texels or normalized.
// An image has one level and no padding between its rows.
//
// FILL is one of zero, bits, edges, inner, outer, index, fill N, range LO HI and
// step LO HI STEP (see Fill). TOLERANCE is exact, or ulp N, or abs X, or both:
// ulp N abs X, which accepts what either accepts (see Tolerance).
//
// # What does not belong here
//
// Nothing of this package runs a kernel or knows a GPU. cmd/kmx-nvidia makes
// the vectors; the emitter's tests run the same cases on the emulator.
package emittest
