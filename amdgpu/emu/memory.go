package emu

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"sync"
)

// guardGap is the least distance between two buffers: an access that leaves one
// by less meets no other.
const guardGap = 1 << 20

// Addresses at which things are put.
const (
	firstAddress    = 0x10_0000_0000
	sharedAperture  = 0x0001_0000_0000_0000 // flat addresses of LDS
	privateAperture = 0x0002_0000_0000_0000 // flat addresses of a lane's private segment
)

// region is a mapped piece of memory.
type region struct {
	name      string
	base, end uint64
	data      []byte
	readOnly  bool
}

// Memory is the address space of a device: the buffers that were mapped and, for
// each program that ran, its code, constants and variables, which keep their
// values from one launch to the next. Safe for concurrent use, but two launches
// that write one buffer at the same time race as they would on hardware.
type Memory struct {
	mu      sync.Mutex
	regions []region // sorted by base, never changed in place
	next    uint64
	images  map[[sha256.Size]byte]*loaded // by object
}

// NewMemory returns an empty address space.
func NewMemory() *Memory {
	return &Memory{next: firstAddress, images: map[[sha256.Size]byte]*loaded{}}
}

// Map makes data visible to kernels, in place: what they write is in data
// afterwards. addr 0 chooses an address that is a multiple of 256, at least
// 1 MiB from everything else; any other is taken as it is, if that is free. The
// result is the address of data[0]. The name appears in faults.
func (m *Memory) Map(name string, addr uint64, data []byte) (uint64, error) {
	return m.put(region{name: name, base: addr, data: data})
}

// MapReadOnly is Map for what no kernel may write: a store is a fault.
func (m *Memory) MapReadOnly(name string, addr uint64, data []byte) (uint64, error) {
	return m.put(region{name: name, base: addr, data: data, readOnly: true})
}

func (m *Memory) put(r region) (uint64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.putLocked(r)
}

func (m *Memory) putLocked(r region) (uint64, error) {
	size := uint64(len(r.data))
	if r.base == 0 {
		r.base = m.next
		for i := 0; i < len(m.regions); i++ { // fixed addresses may lie in the way
			if o := &m.regions[i]; r.base < o.end+guardGap && o.base < r.base+size+guardGap {
				r.base = (o.end + guardGap + 255) &^ 255
			}
		}
		m.next = (r.base + size + guardGap + 255) &^ 255
	}
	r.end = r.base + size
	if r.end < r.base || r.end > sharedAperture {
		return 0, fmt.Errorf("buffer %s does not fit at 0x%x: %d bytes, addresses end at 0x%x", r.name, r.base, size, uint64(sharedAperture))
	}
	for _, o := range m.regions {
		if r.base < o.end && o.base < r.end {
			return 0, fmt.Errorf("buffer %s at 0x%x to 0x%x overlaps %s at 0x%x to 0x%x", r.name, r.base, r.end, o.name, o.base, o.end)
		}
	}
	i, _ := slices.BinarySearchFunc(m.regions, r.base, func(o region, base uint64) int {
		if o.base < base {
			return -1
		}
		return 1
	})
	m.regions = slices.Insert(slices.Clone(m.regions), i, r)
	return r.base, nil
}

// Unmap removes the buffer that begins at addr.
func (m *Memory) Unmap(addr uint64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, r := range m.regions {
		if r.base == addr {
			m.regions = slices.Delete(slices.Clone(m.regions), i, i+1)
			return nil
		}
	}
	return fmt.Errorf("no buffer begins at 0x%x", addr)
}

// space is the address space of one launch: the regions as they were when it
// began, and the launch's own.
type space struct{ regions []region }

func (s *space) add(r region) {
	i, _ := slices.BinarySearchFunc(s.regions, r.base, func(o region, base uint64) int {
		if o.base < base {
			return -1
		}
		return 1
	})
	s.regions = slices.Insert(slices.Clone(s.regions), i, r)
}

// find returns the region that holds n bytes at addr, nil when none does.
func (s *space) find(addr, n uint64) *region {
	lo, hi := 0, len(s.regions)
	for lo < hi {
		mid := (lo + hi) / 2
		if s.regions[mid].end <= addr {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(s.regions) {
		if r := &s.regions[lo]; addr >= r.base && n <= r.end-addr {
			return r
		}
	}
	return nil
}

// nearest describes the buffer closest to an address, for a fault.
func (s *space) nearest(addr, n uint64) string {
	best, distance, text := -1, ^uint64(0), ""
	for i, r := range s.regions {
		var d uint64
		var t string
		switch {
		case addr < r.base:
			d, t = r.base-addr, fmt.Sprintf("0x%x bytes before", r.base-addr)
		case addr >= r.end:
			d, t = addr-r.end, fmt.Sprintf("0x%x bytes past the end of", addr-r.end)
		default:
			t = fmt.Sprintf("%d of %d bytes beyond the end of", n-(r.end-addr), n)
		}
		if best < 0 || d < distance {
			best, distance, text = i, d, t
		}
	}
	if best < 0 {
		return "nothing is mapped"
	}
	r := s.regions[best]
	return fmt.Sprintf("%s %s (0x%x to 0x%x)", text, r.name, r.base, r.end)
}

// bytes gives n bytes at addr to a wave. What is not there is a fault; ok is
// false then.
func (w *wave) bytes(lane int, addr, n uint64, write bool) ([]byte, bool) {
	r := w.near
	if r == nil || addr < r.base || addr >= r.end || n > r.end-addr {
		if r = w.group.space.find(addr, n); r == nil {
			w.outOfBounds(lane, addr, n, write)
			return nil, false
		}
		w.near = r
	}
	if write && r.readOnly {
		w.fail(ReadOnly, lane, "%d bytes at 0x%x, offset 0x%x of %s", n, addr, addr-r.base, r.name)
		return nil, false
	}
	at := addr - r.base
	return r.data[at : at+n : at+n], true
}

func (w *wave) outOfBounds(lane int, addr, n uint64, write bool) {
	what := "load"
	if write {
		what = "store"
	}
	w.fail(OutOfBounds, lane, "%s of %d bytes at 0x%x, %s", what, n, addr, w.group.space.nearest(addr, n))
}
