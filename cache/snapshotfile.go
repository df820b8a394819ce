package cache

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
)

// The file of a snapshot, numbers little-endian, lengths and counts 32 bits:
//
//	snapMagic
//	number of groups, number of variables, length of the doubt, length of the answer
//	groups: number of entries, length of the entries, length of the folder,
//	  folder, 0, entries
//	  an entry: inode, size, mtime, ctime (64 bits each), mode (32),
//	    length of the name (16), 1 when absent (8), 0, name, 0
//	variables: 1 when set (8), length of the name, name, digest of the value
//	doubt (why not to trust it, or nothing), answer
//	digest of all bytes before
//
// Entries lie in groups of one folder, so that a group can be checked relative
// to an open folder and groups on several processors. Names end with 0 so that
// they go to the kernel as they lie.
const (
	snapMagic  = "kmx.snapshot/1\n"
	snapHeader = len(snapMagic) + 4*4
	entrySize  = 4*8 + 4 + 2 + 1 + 1
	groupSize  = 128 // entries, at most
	maxPath    = 1 << 15
)

// Save writes the snapshot to path, also when it is not to be trusted: the
// next run can then say why it works without.
func (s *Snapshot) Save(path string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := writeFile(path, s.encode()); err != nil {
		return fmt.Errorf("save the snapshot of this run: %w", err)
	}
	return nil
}

func (s *Snapshot) encode() []byte {
	type named struct {
		dir, name string
		entry
	}
	var all []named
	for _, e := range s.entries {
		dir, name := filepath.Split(e.path)
		if name == "" {
			name = "."
		}
		all = append(all, named{dir, name, e})
	}
	slices.SortFunc(all, func(a, b named) int {
		return cmp.Or(cmp.Compare(a.dir, b.dir), cmp.Compare(a.name, b.name))
	})
	le := binary.LittleEndian
	b := []byte(snapMagic)
	groups := len(b)
	b = le.AppendUint32(b, 0)
	b = le.AppendUint32(b, uint32(len(s.env)))
	b = le.AppendUint32(b, uint32(len(s.doubt)))
	b = le.AppendUint32(b, uint32(len(s.answer)))
	n := uint32(0)
	for len(all) > 0 {
		k := 1
		for k < len(all) && k < groupSize && all[k].dir == all[0].dir {
			k++
		}
		head := len(b)
		b = le.AppendUint32(b, uint32(k))
		b = le.AppendUint32(b, 0)
		b = le.AppendUint32(b, uint32(len(all[0].dir)))
		b = append(append(b, all[0].dir...), 0)
		begin := len(b)
		for _, e := range all[:k] {
			for _, v := range [...]uint64{e.ino, uint64(e.size), uint64(e.mtime), uint64(e.ctime)} {
				b = le.AppendUint64(b, v)
			}
			b = le.AppendUint32(b, e.mode)
			b = le.AppendUint16(b, uint16(len(e.name)))
			b = append(b, flag(e.absent), 0)
			b = append(append(b, e.name...), 0)
		}
		le.PutUint32(b[head+4:], uint32(len(b)-begin))
		all = all[k:]
		n++
	}
	le.PutUint32(b[groups:], n)
	for _, name := range slices.Sorted(maps.Keys(s.env)) {
		e := s.env[name]
		b = append(b, flag(e.set))
		b = le.AppendUint32(b, uint32(len(name)))
		b = append(b, name...)
		b = append(b, e.digest[:]...)
	}
	b = append(append(b, s.doubt...), s.answer...)
	d := Sum(b)
	return append(b, d[:]...)
}

func flag(v bool) byte {
	if v {
		return 1
	}
	return 0
}

// A group is some entries of one folder, as they lie in the file.
type group struct {
	dir     []byte // ends with 0
	count   int
	entries []byte
}

// next cuts the first entry off. The name ends with 0.
func (g *group) next() (want stat, absent bool, name []byte, ok bool) {
	b := g.entries
	if len(b) < entrySize {
		return want, false, nil, false
	}
	le := binary.LittleEndian
	n := entrySize + int(le.Uint16(b[36:])) + 1
	if len(b) < n || b[n-1] != 0 {
		return want, false, nil, false
	}
	g.entries = b[n:]
	want = stat{
		ino:   le.Uint64(b),
		size:  int64(le.Uint64(b[8:])),
		mtime: int64(le.Uint64(b[16:])),
		ctime: int64(le.Uint64(b[24:])),
		mode:  le.Uint32(b[32:]),
	}
	return want, b[38] != 0, b[entrySize:n], true
}

// A snapshotFile is a decoded snapshot; its slices are those of the file.
type snapshotFile struct {
	groups []group
	env    map[string]envEntry
	doubt  string
	answer []byte
}

var errSnapshot = errors.New("its lengths do not fit")

// decodeSnapshot reads a snapshot whose digest is verified and cut off. It
// still trusts no length in it; entries are split when they are checked.
func decodeSnapshot(b []byte) (*snapshotFile, error) {
	if len(b) < snapHeader || string(b[:len(snapMagic)]) != snapMagic {
		return nil, errors.New("it is of another version")
	}
	le := binary.LittleEndian
	var counts [4]uint32
	for i := range counts {
		counts[i] = le.Uint32(b[len(snapMagic)+4*i:])
	}
	b = b[snapHeader:]
	cut := func(n uint32) ([]byte, bool) {
		if uint64(n) > uint64(len(b)) {
			return nil, false
		}
		c := b[:n]
		b = b[n:]
		return c, true
	}
	f := &snapshotFile{groups: make([]group, 0, min(int(counts[0]), len(b)/12)), env: map[string]envEntry{}}
	for range counts[0] {
		head, ok := cut(12)
		if !ok {
			return nil, errSnapshot
		}
		dirLen := le.Uint32(head[8:])
		if dirLen > maxPath {
			return nil, errSnapshot
		}
		dir, ok1 := cut(dirLen + 1)
		entries, ok2 := cut(le.Uint32(head[4:]))
		if !ok1 || !ok2 || dir[dirLen] != 0 {
			return nil, errSnapshot
		}
		f.groups = append(f.groups, group{dir, int(le.Uint32(head)), entries})
	}
	for range counts[1] {
		head, ok := cut(5)
		if !ok {
			return nil, errSnapshot
		}
		name, ok1 := cut(le.Uint32(head[1:]))
		value, ok2 := cut(uint32(len(Digest{})))
		if !ok1 || !ok2 {
			return nil, errSnapshot
		}
		f.env[string(name)] = envEntry{head[0] != 0, Digest(value)}
	}
	doubt, ok1 := cut(counts[2])
	answer, ok2 := cut(counts[3])
	if !ok1 || !ok2 || len(b) != 0 {
		return nil, errSnapshot
	}
	f.doubt, f.answer = string(doubt), answer
	return f, nil
}
