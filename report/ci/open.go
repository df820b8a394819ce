package ci

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zstd"

	"kmx/cache"
	"kmx/internal/durable"
)

// No bundle in order has more: parts are read into memory.
const (
	maxBundle = 4 << 30   // bytes
	maxPart   = 256 << 20 // bytes of one part
	maxWindow = 128 << 20 // bytes that unpacking keeps
	maxLine   = 64        // bytes of a part's first line
)

// Bundle is a bundle that was read to its end and found whole.
type Bundle struct {
	Path string
	Head
	Records []*cache.Record // by key, with their fields
	Size    int64           // bytes of the file
}

// OpenBundle reads a bundle and proves that it is whole. The blobs are read
// again by Blobs. Errors do not name the file.
func OpenBundle(path string) (*Bundle, error) {
	b := &Bundle{Path: path}
	err := b.read(func(cache.Digest, []byte) error { return nil })
	return b, err
}

// Blobs reads the bundle again and gives its blobs, by digest.
func (b *Bundle) Blobs(take func(d cache.Digest, data []byte) error) error {
	again := &Bundle{Path: b.Path}
	return again.read(take)
}

func (b *Bundle) read(take func(cache.Digest, []byte) error) error {
	data, err := durable.ReadFile(b.Path, maxBundle)
	if err != nil {
		return err
	}
	b.Size = int64(len(data))
	return b.readFrom(data, take)
}

func (b *Bundle) readFrom(data []byte, take func(cache.Digest, []byte) error) error {
	frame := data[:max(0, len(data)-len(sealHead)-len(cache.Digest{}))]
	head, seal, _ := bytes.Cut(data[len(frame):], []byte(sealHead))
	sum := cache.Sum(frame)
	switch {
	case len(head) > 0 || len(seal) != len(sum):
		return errors.New("truncated, or there is something behind its end: it does not end with its digest")
	case !bytes.Equal(seal, sum[:]):
		return errors.New("altered: its bytes do not have the digest at its end")
	}
	z, err := zstd.NewReader(bytes.NewReader(frame), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderMaxMemory(maxWindow))
	if err != nil {
		return err
	}
	defer z.Close()
	r := &partReader{bufio.NewReaderSize(z, 64<<10)}
	if name, _, err := r.part(); err != nil || name != BundleFormat {
		if err == nil {
			err = fmt.Errorf("it begins with %.40q", name)
		}
		return fmt.Errorf("no bundle that this kmx reads (%s): %w", BundleFormat, err)
	}
	name, text, err := r.part()
	if err != nil || name != headPart {
		return orElse(err, "it has no head")
	}
	if err := json.Unmarshal(text, &b.Head); err != nil {
		return fmt.Errorf("its head: %w", err)
	}
	wanted := map[cache.Digest]int64{}
	for range b.Head.Records {
		if err := b.record(r, wanted); err != nil {
			return err
		}
	}
	var last cache.Digest
	for i := range b.Head.Blobs {
		name, data, err := r.part()
		if err != nil || name != blobPart {
			return orElse(err, fmt.Sprintf("it says that it has %d blobs and has %d", b.Head.Blobs, i))
		}
		d := cache.Sum(data)
		size, known := wanted[d]
		if !known || bytes.Compare(d[:], last[:]) <= 0 {
			return fmt.Errorf("blob %d is altered, or no output of its records: its digest is %s", i+1, short(d))
		}
		if size != int64(len(data)) {
			return fmt.Errorf("blob %d has %d bytes, its record says %d", i+1, len(data), size)
		}
		last = d
		delete(wanted, d)
		if err := take(d, data); err != nil {
			return err
		}
	}
	if len(wanted) > 0 {
		return fmt.Errorf("%d outputs of its records are not in it", len(wanted))
	}
	return r.end()
}

// record reads one record and notes what it needs.
func (b *Bundle) record(r *partReader, wanted map[cache.Digest]int64) error {
	name, data, err := r.part()
	if err != nil || name != recordPart {
		return orElse(err, fmt.Sprintf("it says that it has %d records and has %d", b.Head.Records, len(b.Records)))
	}
	s := stored{Record: &cache.Record{}}
	if err := json.Unmarshal(data, &s); err != nil {
		return fmt.Errorf("record %d: %w", len(b.Records)+1, err)
	}
	s.Record.Fields = s.Fields
	if n := len(b.Records); n > 0 && bytes.Compare(b.Records[n-1].Key[:], s.Key[:]) >= 0 {
		return fmt.Errorf("record %d is out of order", n+1)
	}
	if why := oddOutputs(s.Outputs); why != "" {
		return fmt.Errorf("record %d (%.80q) %s", len(b.Records)+1, s.Label, why)
	}
	for _, o := range s.Outputs {
		if size, known := wanted[o.Digest]; known && size != o.Size {
			return fmt.Errorf("record %d (%.80q) says that an output has %d bytes, another record %d", len(b.Records)+1, s.Label, o.Size, size)
		}
		wanted[o.Digest] = o.Size
	}
	b.Records = append(b.Records, s.Record)
	return nil
}

// oddOutputs says what no action leaves: nothing, a file outside of its folder, or
// one file twice; "" for outputs in order.
func oddOutputs(list []cache.Output) string {
	if len(list) == 0 {
		return "has no output"
	}
	seen := map[string]bool{}
	for _, o := range list {
		switch {
		case !filepath.IsLocal(filepath.FromSlash(o.Path)) || path.Clean(o.Path) != o.Path || strings.Contains(o.Path, `\`):
			return fmt.Sprintf("has an output outside of its folder, %.80q", o.Path)
		case seen[o.Path]:
			return fmt.Sprintf("has the output %.80q twice", o.Path)
		}
		seen[o.Path] = true
	}
	return ""
}

func orElse(err error, otherwise string) error {
	if err != nil {
		return err
	}
	return errors.New(otherwise)
}

// partReader reads parts.
type partReader struct{ r *bufio.Reader }

func (r *partReader) part() (name string, data []byte, err error) {
	line, err := r.line()
	if err != nil {
		return "", nil, err
	}
	name, length, ok := strings.Cut(line, " ")
	n, err := strconv.ParseInt(length, 10, 64)
	if !ok || err != nil || n < 0 || n > maxPart || strconv.FormatInt(n, 10) != length {
		return "", nil, fmt.Errorf("%.40q begins no part of a bundle", line)
	}
	var b bytes.Buffer // grows with what is there, not with what is claimed
	if _, err := io.CopyN(&b, r.r, n); err != nil {
		return "", nil, broken(err)
	}
	return name, b.Bytes(), nil
}

func (r *partReader) line() (string, error) {
	var line []byte
	for len(line) < maxLine {
		c, err := r.r.ReadByte()
		if err != nil {
			return "", broken(err)
		}
		if c == '\n' {
			return string(line), nil
		}
		line = append(line, c)
	}
	return "", fmt.Errorf("%.40q begins no part of a bundle", line)
}

// end sees that nothing is left.
func (r *partReader) end() error {
	if _, err := r.r.ReadByte(); err == nil {
		return errors.New("it goes on where it should end")
	} else if err != io.EOF {
		return broken(err)
	}
	return nil
}

// broken says what an end that comes too early means.
func broken(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("it ends in the middle of a part")
	}
	return fmt.Errorf("damaged: %w", err)
}
