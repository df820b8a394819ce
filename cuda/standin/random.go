package standin

// random is SplitMix64: the same numbers on every machine and in every version
// of the standard library.
type random struct{ state uint64 }

// seeded starts from words; each of them counts.
func seeded(words ...string) *random {
	h := uint64(0xcbf29ce484222325)
	for _, w := range words {
		for i := range len(w) {
			h = (h ^ uint64(w[i])) * 0x100000001b3
		}
		h = (h ^ 0xff) * 0x100000001b3
	}
	return &random{h}
}

func (r *random) next() uint64 {
	r.state += 0x9e3779b97f4a7c15
	z := r.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// below is a number of 0..n-1.
func (r *random) below(n int) int { return int(r.next() % uint64(n)) }

// fill makes bytes.
func (r *random) fill(b []byte) {
	for i := 0; i < len(b); i += 8 {
		v := r.next()
		for j := i; j < min(i+8, len(b)); j++ {
			b[j] = byte(v)
			v >>= 8
		}
	}
}
