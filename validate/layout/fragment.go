package layout

// kFragment is the byte of element (k, n) in one 16x16 fragment of f16
// weights, 512 bytes. Sixteen consecutive bytes belong to one lane of an
// NVIDIA warp: lane 4*(n mod 8) + (k mod 8)/2.
func kFragment(k, n int) int {
	return 64*(n&7) + 16*((k&7)>>1) + 8*(n>>3) + 4*(k>>3) + 2*(k&1)
}

// kTile is the byte of element (query, key) in one 16x16 tile of K's
// attention table: a fragment of an accumulator, not of an operand, so rows
// and columns lie the other way round.
func kTile(query, key int) int {
	return 64*(query&7) + 16*((key&7)>>1) + 2*(key&1) + 4*(query>>3) + 8*(key>>3)
}

// mFragment is the byte of element (k, n), k < 32 and n < 16, in one fragment
// of e4m3 weights, 512 bytes.
func mFragment(k, n int) int {
	return 64*(n&7) + 16*((k&15)>>2) + 8*(n>>3) + 4*(k>>4) + k&3
}

// mRelative is the halfword of element (query, key) in a 16x16 relative bias.
func mRelative(query, key int) int {
	return 8*(4*(query&7)+(key&7)>>1) + 2*(query>>3+2*(key>>3)) + key&1
}

// pairColumn is M's pair order: where channel c stands among the columns of a
// weight matrix and in every f16 vector. Within 32 channels the first two of
// each four fill columns 0..15, the last two 16..31.
func pairColumn(c int) int {
	return c&^31 + 2*((c&31)>>2) + c&1 + 16*((c&3)>>1)
}
