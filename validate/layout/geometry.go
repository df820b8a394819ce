package layout

// Grid is the size in tokens of an image, or of its half-resolution form.
type Grid struct{ W, H int }

// Half is the grid of half the size, rounded down: decoders read their low
// input there, encoders write their merged output there.
func (g Grid) Half() Grid { return Grid{g.W / 2, g.H / 2} }

// Tokens is the number of tokens of the grid.
func (g Grid) Tokens() int { return g.W * g.H }

// Contains reports whether (x, y) lies on the grid. What a kernel computes for
// places outside is dropped.
func (g Grid) Contains(x, y int) bool { return x >= 0 && x < g.W && y >= 0 && y < g.H }

// Blocks is how many work-groups of 8x8 tokens cover the grid when it is
// shifted by (sx, sy).
func (g Grid) Blocks(sx, sy int) (nx, ny int) {
	return (g.W + sx + Side - 1) / Side, (g.H + sy + Side - 1) / Side
}

// Mirror is the index that a read of v takes on a line of n: one reflection at
// either end, then limited to the line. One reflection is enough for windows
// and even shifts up to 6 from n = 8 on.
func Mirror(v, n int) int {
	if v < 0 {
		v = -v
	}
	return min(max(min(v, 2*n-2-v), 0), n-1)
}

// Mirror is the token that a read of (x, y) takes.
func (g Grid) Mirror(x, y int) (int, int) { return Mirror(x, g.W), Mirror(y, g.H) }

// Square is the part of an image that one work-group computes: 8x8 tokens from
// (X, Y), which may lie outside the image.
type Square struct{ X, Y int }

// SquareOf is the square of work-group (bx, by) under shift (sx, sy).
func SquareOf(bx, by, sx, sy int) Square { return Square{Side*bx - sx, Side*by - sy} }

// Half is the square's corner on the half-resolution grid. Shifts are even; an
// odd one truncates towards zero.
func (s Square) Half() Square { return Square{s.X / 2, s.Y / 2} }

// KToken is the place of token t, 0 to 63, in the square of a K work-group:
// raster order.
func KToken(t int) (x, y int) { return t & 7, t >> 3 }

// MToken is the place of token t, 0 to 63, in the square of an M work-group:
// four windows of 4x4 in raster order, each in raster order. t/16 is the
// window.
func MToken(t int) (x, y int) {
	return t&3 + 4*(t>>4&1), t>>2&3 + 4*(t>>5)
}

// KOffset is the byte of channel c of token (x, y) in a K activation of that
// many channels: f16, token after token, row after row.
func KOffset(g Grid, channels, x, y, c int) int { return 2 * ((y*g.W+x)*channels + c) }

// KBytes is the size of a K activation.
func KBytes(g Grid, channels int) int { return 2 * g.Tokens() * channels }

// MOffset is the byte of channel c of token (x, y) in an M activation: e4m3,
// in planes of 32 channels.
func MOffset(g Grid, x, y, c int) int { return ((c>>5*g.H+y)*g.W+x)*32 + c&31 }

// MBytes is the size of an M activation.
func MBytes(g Grid, channels int) int { return g.Tokens() * channels }
