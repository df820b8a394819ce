package cache

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
)

// The file of a memo, numbers little-endian:
//
//	memoMagic
//	number of files, number of derived values (32 bits each)
//	files, sorted by device and inode, memoRow bytes each:
//	  device, inode, size, mtime, ctime (64 bits each), day (32), digest
//	derived values, sorted: length of kind (32), kind, digest, day (32),
//	  length of value (32), value
//	digest of all bytes before
//
// Files are searched where they lie: loading makes no map of them.
const (
	memoMagic  = "kmx.memo/1\n"
	memoHeader = len(memoMagic) + 8
	memoRow    = 5*8 + 4 + len(Digest{})
)

// A table is the content of a memo file.
type table struct {
	rows    []byte // of files
	derived map[derivedKey]derivedEntry
}

func (t table) len() int { return len(t.rows) / memoRow }

func (t table) row(i int) (fileID, fileEntry) {
	r := t.rows[i*memoRow : (i+1)*memoRow]
	le := binary.LittleEndian
	return fileID{le.Uint64(r), le.Uint64(r[8:])}, fileEntry{
		size:   int64(le.Uint64(r[16:])),
		mtime:  int64(le.Uint64(r[24:])),
		ctime:  int64(le.Uint64(r[32:])),
		day:    le.Uint32(r[40:]),
		digest: Digest(r[44:]),
	}
}

func (t table) find(id fileID) (fileEntry, bool) {
	i := sort.Search(t.len(), func(i int) bool {
		have, _ := t.row(i)
		return !have.less(id)
	})
	if i < t.len() {
		if have, e := t.row(i); have == id {
			return e, true
		}
	}
	return fileEntry{}, false
}

func (a fileID) less(b fileID) bool {
	return a.dev < b.dev || a.dev == b.dev && a.ino < b.ino
}

var errDamaged = errors.New("its bytes do not have the digest at its end")

// cutDigest verifies and cuts the digest at the end of b.
func cutDigest(b []byte) ([]byte, error) {
	n := len(b) - len(Digest{})
	if n < 0 || Sum(b[:n]) != Digest(b[n:]) {
		return nil, errDamaged
	}
	return b[:n], nil
}

func decodeTable(b []byte) (table, error) {
	b, err := cutDigest(b)
	if err != nil {
		return table{}, err
	}
	return decodeTableBody(b)
}

// decodeTableBody reads a table whose digest is verified. It still trusts no
// length in it.
func decodeTableBody(b []byte) (table, error) {
	if len(b) < memoHeader || string(b[:len(memoMagic)]) != memoMagic {
		return table{}, fmt.Errorf("not of the version %q", strings.TrimSpace(memoMagic))
	}
	le := binary.LittleEndian
	files, derived := le.Uint32(b[len(memoMagic):]), le.Uint32(b[len(memoMagic)+4:])
	b = b[memoHeader:]
	if uint64(files)*uint64(memoRow) > uint64(len(b)) {
		return table{}, errDamaged
	}
	t := table{rows: b[:int(files)*memoRow]}
	b = b[len(t.rows):]
	for i := 1; i < t.len(); i++ {
		x, _ := t.row(i - 1)
		if y, _ := t.row(i); !x.less(y) {
			return table{}, errDamaged
		}
	}
	text := func() (string, bool) {
		if len(b) < 4 {
			return "", false
		}
		n := le.Uint32(b)
		if uint64(n) > uint64(len(b)-4) {
			return "", false
		}
		s := string(b[4 : 4+n])
		b = b[4+n:]
		return s, true
	}
	t.derived = make(map[derivedKey]derivedEntry, min(int(derived), len(b)/(12+len(Digest{}))))
	for range derived {
		kind, ok := text()
		if !ok || len(b) < len(Digest{})+4 {
			return table{}, errDamaged
		}
		k := derivedKey{kind, Digest(b)}
		day := le.Uint32(b[len(Digest{}):])
		b = b[len(Digest{})+4:]
		value, ok := text()
		if !ok {
			return table{}, errDamaged
		}
		t.derived[k] = derivedEntry{value, day}
	}
	if len(b) != 0 {
		return table{}, errDamaged
	}
	return t, nil
}

// Save writes the memo when it changed. What other processes saved since it
// was read is kept too; when two save in the same moment the entries of one
// may be lost, which costs a read of these files later.
func (m *Memo) Save() error {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.changed {
		return nil
	}
	if now, err := statPath(m.path); err == nil && now != m.from {
		m.loaded, _ = m.read()
		for k, v := range m.loaded.derived {
			if mine, ok := m.derived[k]; !ok || mine.day < v.day {
				m.derived[k] = v
			}
		}
	}
	b := encodeTable(m.loaded, m.files, m.derived, m.today())
	err := writeFile(m.path, b)
	if err != nil {
		return fmt.Errorf("save the memo of file digests: %w", err)
	}
	m.from, _ = statPath(m.path)
	m.loaded, _ = decodeTable(b)
	clear(m.files)
	m.changed = false
	return nil
}

// encodeTable merges what was loaded with what is newer, leaving out what
// nobody asked for lately.
func encodeTable(old table, files map[fileID]fileEntry, derived map[derivedKey]derivedEntry, today uint32) []byte {
	type row struct {
		id fileID
		fileEntry
	}
	var rows []row
	for i := range old.len() {
		id, e := old.row(i)
		if _, newer := files[id]; !newer && e.day+keepDays >= today {
			rows = append(rows, row{id, e})
		}
	}
	for id, e := range files {
		rows = append(rows, row{id, e})
	}
	slices.SortFunc(rows, func(a, b row) int {
		if a.id.less(b.id) {
			return -1
		}
		return 1
	})
	var keys []derivedKey
	for k, v := range derived {
		if v.day+keepDays >= today {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, func(a, b derivedKey) int {
		if c := strings.Compare(a.kind, b.kind); c != 0 {
			return c
		}
		return bytes.Compare(a.digest[:], b.digest[:])
	})
	le := binary.LittleEndian
	b := make([]byte, 0, memoHeader+len(rows)*memoRow+128*len(keys)+len(Digest{}))
	b = append(b, memoMagic...)
	b = le.AppendUint32(b, uint32(len(rows)))
	b = le.AppendUint32(b, uint32(len(keys)))
	for _, r := range rows {
		for _, v := range [...]uint64{r.id.dev, r.id.ino, uint64(r.size), uint64(r.mtime), uint64(r.ctime)} {
			b = le.AppendUint64(b, v)
		}
		b = le.AppendUint32(b, r.day)
		b = append(b, r.digest[:]...)
	}
	for _, k := range keys {
		b = le.AppendUint32(b, uint32(len(k.kind)))
		b = append(b, k.kind...)
		b = append(b, k.digest[:]...)
		b = le.AppendUint32(b, derived[k].day)
		b = le.AppendUint32(b, uint32(len(derived[k].value)))
		b = append(b, derived[k].value...)
	}
	d := Sum(b)
	return append(b, d[:]...)
}
