package fatbin

import (
	"bytes"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// Kinds of entries. Others than PTX are passed over.
const kindPTX = 1

// Flags of an entry.
const (
	flagLZ4      = 0x2000
	flagZstd     = 0x8000
	flagSpecific = 0x100000 // the target has an "a": sm_90a
)

// entryHeader is the least size of an entry's header; real ones go up to 112,
// and what is far above that is damage.
const (
	entryHeader    = 64
	maxEntryHeader = 4096
)

// entry is the header of one entry of a container.
type entry struct {
	off, end     int64 // in the file; end is where the next one begins
	kind         uint16
	payload      extent // padded
	compressed   uint32
	uncompressed uint64
	flags        uint64
	major, minor uint16
	sm           uint32
}

// readEntry reads the header at an offset of a container that goes up to limit.
func readEntry(r io.ReaderAt, off, limit int64) (entry, error) {
	if limit-off < entryHeader {
		return entry{}, fmt.Errorf("corrupt: %d bytes are left in the container and a header has %d", limit-off, entryHeader)
	}
	var b [entryHeader]byte
	if err := readFull(r, b[:], off); err != nil {
		return entry{}, err
	}
	header, padded := int64(le.Uint32(b[4:])), le.Uint64(b[8:])
	if header < entryHeader || header > maxEntryHeader {
		return entry{}, fmt.Errorf("corrupt: its header claims %d bytes", header)
	}
	if left := limit - off; header > left || padded > uint64(left-header) {
		return entry{}, fmt.Errorf("corrupt: header and payload have 0x%x and 0x%x bytes, 0x%x are left in the container", header, padded, left)
	}
	e := entry{
		off: off, kind: le.Uint16(b[:]), payload: extent{off + header, int64(padded)},
		compressed: le.Uint32(b[16:]), minor: le.Uint16(b[24:]), major: le.Uint16(b[26:]), sm: le.Uint32(b[28:]),
		flags: le.Uint64(b[40:]), uncompressed: le.Uint64(b[56:]),
	}
	e.end = e.payload.off + e.payload.size
	return e, nil
}

func (e entry) version() string { return fmt.Sprintf("%d.%d", e.major, e.minor) }

func (e entry) target() string {
	if e.flags&flagSpecific != 0 {
		return fmt.Sprintf("sm_%da", e.sm)
	}
	return fmt.Sprintf("sm_%d", e.sm)
}

// length is the claimed size of the text.
func (e entry) length() int64 {
	if !e.packed() {
		return e.payload.size
	}
	return int64(min(e.uncompressed, 1<<62))
}

// packed says whether the payload is compressed.
func (e entry) packed() bool { return e.flags&(flagLZ4|flagZstd) != 0 }

// stored is how many bytes of the payload count.
func (e entry) stored() int64 {
	if e.packed() {
		return int64(e.compressed)
	}
	return e.payload.size
}

// check holds what the header claims against the payload and the limits.
func (e entry) check(l Limits) error {
	n, stored := e.length(), e.stored()
	switch {
	case e.flags&flagLZ4 != 0 && e.flags&flagZstd != 0:
		return fmt.Errorf("corrupt: flags 0x%x say both LZ4 and zstd", e.flags)
	case e.packed() && (stored == 0 || stored > e.payload.size):
		return fmt.Errorf("corrupt: %d compressed bytes in a payload of %d", stored, e.payload.size)
	case n > l.Module || stored > l.Module:
		return fmt.Errorf("its text has %d bytes (%d stored), more than the limit of %d for a module", n, stored, l.Module)
	case e.packed() && n > ratioFree && n/stored > l.Ratio:
		return fmt.Errorf("its text is said to grow from %d to %d bytes, more than %d times", stored, n, l.Ratio)
	}
	return nil
}

// read returns the text of a checked entry, uncompressed.
func (e entry) read(r io.ReaderAt, l Limits) (text []byte, compression string, err error) {
	raw := make([]byte, e.stored())
	if err := readFull(r, raw, e.payload.off); err != nil {
		return nil, "", err
	}
	switch {
	case e.flags&flagLZ4 != 0:
		text, err = e.unpackLZ4(raw)
		return text, "lz4", err
	case e.flags&flagZstd != 0:
		text, err = e.unpackZstd(raw, l)
		return text, "zstd", err
	}
	return raw, "none", nil
}

// lz4Ratio is the most that the format can compress.
const lz4Ratio = 255

func (e entry) unpackLZ4(raw []byte) ([]byte, error) {
	if e.length() > lz4Ratio*int64(len(raw)) {
		return nil, fmt.Errorf("corrupt: an LZ4 block of %d bytes cannot hold %d", len(raw), e.length())
	}
	text := make([]byte, e.length())
	n, err := lz4.UncompressBlock(raw, text)
	if err != nil {
		return nil, fmt.Errorf("corrupt LZ4 block of %d bytes for a text of %d: %w", len(raw), len(text), err)
	}
	return text, e.sameLength(n)
}

func (e entry) unpackZstd(raw []byte, l Limits) ([]byte, error) {
	// low memory and one goroutine: the text is read as a stream, so that a
	// frame which claims more than it holds costs nothing
	d, err := zstd.NewReader(bytes.NewReader(raw), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxMemory(uint64(max(l.Module, 1<<20))))
	if err != nil {
		return nil, fmt.Errorf("corrupt zstd frame: %w", err)
	}
	defer d.Close()
	var text bytes.Buffer
	n, err := io.Copy(&text, io.LimitReader(d, e.length()+1))
	if err != nil {
		return nil, fmt.Errorf("corrupt zstd frame of %d bytes for a text of %d: %w", len(raw), e.length(), err)
	}
	return text.Bytes(), e.sameLength(int(n))
}

func (e entry) sameLength(n int) error {
	if int64(n) != e.length() {
		return fmt.Errorf("corrupt: the header says %d bytes of text, the payload has %d or more", e.length(), n)
	}
	return nil
}
