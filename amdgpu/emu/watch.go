package emu

// ldsWatch finds LDS accesses of two waves that no barrier separates: a read of
// what another wave wrote, or a write over what another wave read or wrote, both
// having passed the same number of barriers. Atomics are exempt. What two waves
// do on different sides of a barrier is ordered, if it was waited for before the
// barrier: what was not counts as behind it too (wait.go). Between the signal and
// the wait of a split barrier an access counts as before it.
type ldsWatch struct {
	cells []ldsCell // a dword each
	first uint32    // epoch of a work-group before its first barrier
	last  uint32    // highest epoch used
	// written says which bytes were stored at all, one bit each; nil: not asked for
	written []uint8
}

// ldsCell remembers the latest epochs in which its bytes were written and read,
// and by whom: one byte for each byte of LDS, the wave plus 1, or many.
type ldsCell struct {
	wrote, read      uint32
	writers, readers uint32
}

const manyReaders = 0xff

// reset begins a new work-group.
func (s *ldsWatch) reset() {
	s.first = s.last + 1
	if s.first > 1<<31 {
		clear(s.cells)
		s.first = 1
	}
	s.last = s.first
	clear(s.written)
}

func (s *ldsWatch) access(w *wave, lane int, at, n uint32, write bool) {
	epoch := s.first + uint32(w.waits)
	s.last = max(s.last, epoch)
	me := uint32(w.id+1) * 0x01010101
	for end := at + n; at < end; {
		i, low := at/4, at%4
		high := min(4, low+end-at)
		bytes := uint32(uint64(1)<<(8*high) - uint64(1)<<(8*low))
		at += high - low
		c := &s.cells[i]
		if c.wrote == epoch {
			if other := foreign(c.writers, me, bytes); other != 0 {
				s.race(w, lane, i, "wave %d wrote it", other, write)
				return
			}
		}
		if !write {
			if s.written != nil && s.written[i]>>low&(1<<(high-low)-1) != 1<<(high-low)-1 {
				w.fail(Uninitialised, lane, "a load of LDS at 0x%x, which nobody wrote", 4*i)
				return
			}
			c.addReader(epoch, me, bytes)
			continue
		}
		if c.read == epoch {
			if other := foreign(c.readers, me, bytes); other != 0 {
				s.race(w, lane, i, "wave %d read it", other, write)
				return
			}
		}
		if c.wrote != epoch {
			c.wrote, c.writers = epoch, 0
		}
		c.writers = c.writers&^bytes | me&bytes
		if s.written != nil {
			s.written[i] |= uint8(1<<high - 1<<low)
		}
	}
}

func (s *ldsWatch) race(w *wave, lane int, cell uint32, format string, other uint32, write bool) {
	what := "load"
	if write {
		what = "store"
	}
	who := format
	if other == manyReaders {
		who = "other waves read it"
		w.fail(Race, lane, "%s of LDS at 0x%x: %s, and no barrier lies between, or one before which nobody waited for LDS (barriers passed: %d)", what, 4*cell, who, w.waits)
		return
	}
	w.fail(Race, lane, "%s of LDS at 0x%x: "+format+", and no barrier lies between, or one before which nobody waited for LDS (barriers passed: %d)", what, 4*cell, other-1, w.waits)
}

// foreign is a byte of who, among those of the mask, that is neither 0 nor mine.
func foreign(who, me, mask uint32) uint32 {
	who, me = who&mask, me&mask
	if who == me || who == 0 {
		return 0
	}
	for b := 0; b < 32; b += 8 {
		if x := who >> b & 0xff; x != 0 && x != me>>b&0xff {
			return x
		}
	}
	return 0
}

func (c *ldsCell) addReader(epoch, me, bytes uint32) {
	if c.read != epoch {
		c.read, c.readers = epoch, 0
	}
	for b := 0; b < 32; b += 8 {
		if bytes>>b&0xff == 0 {
			continue
		}
		switch c.readers >> b & 0xff {
		case 0, me >> b & 0xff:
			c.readers = c.readers&^(0xff<<b) | me&(0xff<<b)
		default:
			c.readers |= manyReaders << b
		}
	}
}

// atomic marks what an atomic stored as written.
func (s *ldsWatch) atomic(at, n uint32) {
	if s.written == nil {
		return
	}
	for i := at; i < at+n; i++ {
		s.written[i/4] |= 1 << (i % 4)
	}
}
