package ptx

// slabMost is how many values a slab asks for at a time at most.
const slabMost = 1024

// slab hands out values of one type from larger allocations: a module has
// some hundred thousand small nodes that live and die together.
type slab[T any] struct {
	free []T
	last int
}

func (s *slab[T]) get() *T {
	if len(s.free) == 0 {
		s.grow(1)
	}
	v := &s.free[0]
	s.free = s.free[1:]
	return v
}

// copy is a slice of exactly what from holds.
func (s *slab[T]) copy(from []T) []T {
	n := len(from)
	if n == 0 {
		return nil
	}
	if n > slabMost/4 {
		return append(make([]T, 0, n), from...)
	}
	if n > len(s.free) {
		s.grow(n)
	}
	to := s.free[:n:n]
	s.free = s.free[n:]
	copy(to, from)
	return to
}

func (s *slab[T]) grow(n int) {
	s.last = max(16, n, min(2*s.last, slabMost))
	s.free = make([]T, s.last)
}
