package ptx

// maxCost bounds the search for a shortest edit script in one piece of text:
// past it, the piece is split where the search got furthest, which may show
// more changes than there are but keeps time near the length.
const maxCost = 512

// unreached is the reach of diagonals that lie outside of the piece.
const unreached = -1 << 40

// commonRows are pairs of indices of equal numbers in a and b, ascending in
// both: what a shortest edit script keeps, after Myers, "An O(ND) Difference
// Algorithm and Its Variations", in its variant of linear space.
func commonRows(a, b []int32) (pairs [][2]int32) {
	s := &script{a: a, b: b}
	s.forward = make([]int, 2*(min(len(a)+len(b), maxCost)+2)+1)
	s.backward = make([]int, len(s.forward))
	s.piece(0, len(a), 0, len(b))
	return s.pairs
}

type script struct {
	a, b              []int32
	forward, backward []int // furthest reach by diagonal, shifted by half of the length
	pairs             [][2]int32
}

func (s *script) keep(i, k, n int) {
	for d := range n {
		s.pairs = append(s.pairs, [2]int32{int32(i + d), int32(k + d)})
	}
}

// piece pairs up a[i:n] with b[k:m].
func (s *script) piece(i, n, k, m int) {
	for {
		same := 0
		for i+same < n && k+same < m && s.a[i+same] == s.b[k+same] {
			same++
		}
		s.keep(i, k, same)
		i, k = i+same, k+same
		tail := 0
		for n-tail > i && m-tail > k && s.a[n-tail-1] == s.b[m-tail-1] {
			tail++
		}
		if n-tail == i || m-tail == k {
			s.keep(n-tail, m-tail, tail)
			return
		}
		x, y := s.middle(i, n-tail, k, m-tail)
		s.piece(i, x, k, y)
		if tail > 0 {
			s.piece(x, n-tail, y, m-tail)
			s.keep(n-tail, m-tail, tail)
			return
		}
		i, k = x, y // the rest in this loop: recursion is as deep as halving goes
	}
}

// middle is a point within both pieces through which a shortest script goes;
// neither piece begins or ends with an equal number.
func (s *script) middle(i, n, k, m int) (x, y int) {
	lenA, lenB := n-i, m-k
	half := len(s.forward) / 2
	delta := lenA - lenB
	fw, bw := s.forward, s.backward
	limit := min((lenA+lenB+1)/2, maxCost)
	for q := half - limit - 1; q <= half+limit+1; q++ {
		fw[q], bw[q] = unreached, unreached
	}
	fw[half+1], bw[half+1] = 0, 0
	bestX, bestY := 0, 0
	for d := 0; d <= limit; d++ {
		for q := -d; q <= d; q += 2 { // forwards, diagonal q = x - y
			if q < -lenB || q > lenA {
				continue
			}
			x := fw[half+q-1] + 1
			if q == -d || q != d && fw[half+q-1] < fw[half+q+1] {
				x = fw[half+q+1]
			}
			y := x - q
			for x < lenA && y < lenB && x >= 0 && y >= 0 && s.a[i+x] == s.b[k+y] {
				x, y = x+1, y+1
			}
			fw[half+q] = x
			if x <= lenA && y <= lenB && y >= 0 && x+y > bestX+bestY {
				bestX, bestY = x, y
			}
			if r := delta - q; delta&1 != 0 && -(d-1) <= r && r <= d-1 && x+bw[half+r] >= lenA {
				return s.within(i, n, k, m, x, y)
			}
		}
		for q := -d; q <= d; q += 2 { // backwards from the end, the same with both reversed
			if q < -lenB || q > lenA {
				continue
			}
			x := bw[half+q-1] + 1
			if q == -d || q != d && bw[half+q-1] < bw[half+q+1] {
				x = bw[half+q+1]
			}
			y := x - q
			for x < lenA && y < lenB && x >= 0 && y >= 0 && s.a[n-x-1] == s.b[m-y-1] {
				x, y = x+1, y+1
			}
			bw[half+q] = x
			if r := delta - q; delta&1 == 0 && -d <= r && r <= d && x+fw[half+r] >= lenA {
				return s.within(i, n, k, m, lenA-x, lenB-y)
			}
		}
	}
	return s.within(i, n, k, m, bestX, bestY)
}

// within keeps a split from being one of the corners, so that every step makes
// the pieces smaller.
func (s *script) within(i, n, k, m, x, y int) (int, int) {
	x, y = min(max(x, 0), n-i), min(max(y, 0), m-k)
	if x == 0 && y == 0 {
		x = 1
	}
	if x == n-i && y == m-k {
		x--
	}
	return i + x, k + y
}
