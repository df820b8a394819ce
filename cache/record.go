package cache

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"kmx/internal/durable"
)

// RecordFormat is the version of records that this program writes and reads.
const RecordFormat = "kmx.record/1"

// A Field is one hashed part of an action, as its visitor saw it.
type Field struct {
	Tag   string `json:"tag"`
	Name  string `json:"name,omitempty"`
	Value string `json:"value,omitempty"`
}

// An Output is one file that an action made. Path is relative to its sandbox,
// with slashes.
type Output struct {
	Path   string `json:"path"`
	Digest Digest `json:"digest"`
	Size   int64  `json:"size"` // bytes
}

// A Record says what an action was, what it made and what that cost. Only
// actions that succeeded have one.
type Record struct {
	Format  string        `json:"format"` // RecordFormat; Store sets it
	Key     Digest        `json:"key"`    // of the action
	Label   string        `json:"label"`  // the cell that first asked for it
	Fields  []Field       `json:"-"`      // on the next line of the file
	Outputs []Output      `json:"outputs"`
	Stdout  []byte        `json:"stdout,omitempty"` // replayed on a hit; Store cuts the middle out above OutputLimit
	Stderr  []byte        `json:"stderr,omitempty"`
	Wall    time.Duration `json:"wall_ns"`
	User    time.Duration `json:"user_ns"`
	System  time.Duration `json:"system_ns"`
	PeakRSS int64         `json:"peak_rss"` // bytes
	Made    time.Time     `json:"made"`     // when it was stored; Store sets it when zero
}

// OutputLimit is how many bytes of each of Stdout and Stderr a record keeps.
const OutputLimit = 256 << 10

// The file of a record is two lines of JSON, the Record without its fields and
// the fields, and a line with the digest of both. Fields are most of the bytes
// and nearly all of the time of reading, and a hit does not need them.

// sealSize is the length of what follows the JSON of a record: the digest in
// hexadecimal, and a line feed.
const sealSize = 2*len(Digest{}) + 1

// Store keeps r under r.Key, replacing an older one. Its outputs must have
// been put before.
func (c *Cache) Store(r *Record) error {
	if r.Key.IsZero() {
		return errors.New("store a record in the cache: it has no key")
	}
	kept := *r
	kept.Format = RecordFormat
	if kept.Made.IsZero() {
		kept.Made = c.now().UTC()
	}
	kept.Stdout, kept.Stderr = capped(kept.Stdout), capped(kept.Stderr)
	b, err := encodeRecord(&kept)
	if err != nil {
		return fmt.Errorf("store a record in the cache: %w", err)
	}
	err = c.put("act", func(t *durable.Temp) (Digest, error) {
		_, err := t.Write(b)
		return kept.Key, err
	})
	if err != nil {
		return fmt.Errorf("store a record in the cache: %w", err)
	}
	return nil
}

// Lookup returns the record of key when it is whole and the blobs of all its
// outputs are there. The error is a *Miss.
func (c *Cache) Lookup(key Digest) (*Record, error) { return c.lookup(key, true) }

// Find is Lookup without the fields, for those who only want what was made: it
// takes about a tenth of the time for an action of 120 fields.
func (c *Cache) Find(key Digest) (*Record, error) { return c.lookup(key, false) }

func (c *Cache) lookup(key Digest, fields bool) (*Record, error) {
	path := c.file("act", key)
	f, err := os.Open(path)
	if err != nil {
		return nil, c.unreadable("act", key, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, c.unreadable("act", key, err)
	}
	if !info.Mode().IsRegular() || info.Size() > maxRead {
		return nil, c.damaged("act", key, info, fmt.Sprintf("%s of %d bytes", info.Mode(), info.Size()))
	}
	b := make([]byte, info.Size())
	if _, err := io.ReadFull(f, b); err != nil {
		return nil, c.unreadable("act", key, err)
	}
	r, err := decodeRecord(b, fields)
	switch {
	case errors.Is(err, errRecordVersion):
		return nil, &Miss{Key: key, Reason: WrongVersion, Detail: err.Error()}
	case err != nil:
		return nil, c.damaged("act", key, info, err.Error())
	case r.Key != key:
		return nil, c.damaged("act", key, info, "it is the record of "+r.Key.String())
	}
	for _, o := range r.Outputs {
		if !c.has(o.Digest, o.Size) {
			return nil, &Miss{Key: key, Reason: OutputGone, Detail: o.Path}
		}
	}
	c.used(path, info)
	return r, nil
}

func encodeRecord(r *Record) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b) // ends each value with a line feed
	e.SetEscapeHTML(false)
	if err := errors.Join(e.Encode(r), e.Encode(r.Fields)); err != nil {
		return nil, err
	}
	return fmt.Appendf(b.Bytes(), "%s\n", Sum(b.Bytes())), nil
}

var errRecordVersion = errors.New("format")

// decodeRecord reads what encodeRecord wrote, with or without the fields.
// errRecordVersion means a whole record of another version, any other error
// damage.
func decodeRecord(b []byte, fields bool) (*Record, error) {
	body, ok := unseal(b)
	if !ok {
		return nil, errDamaged
	}
	head, rest, _ := bytes.Cut(body, []byte("\n"))
	var r Record
	if err := json.Unmarshal(head, &r); err != nil {
		// Another version may give other types to the same names.
		var version struct{ Format string }
		if json.Unmarshal(head, &version) != nil || version.Format == RecordFormat {
			return nil, err
		}
		r.Format = version.Format
	}
	if r.Format != RecordFormat {
		return nil, fmt.Errorf("%w %.40q, want %s", errRecordVersion, r.Format, RecordFormat)
	}
	if fields {
		if err := json.Unmarshal(rest, &r.Fields); err != nil {
			return nil, err
		}
	}
	return &r, nil
}

// unseal splits the digest off the end of a record and verifies it.
func unseal(b []byte) (body []byte, ok bool) {
	if len(b) < sealSize {
		return nil, false
	}
	body, seal := b[:len(b)-sealSize], b[len(b)-sealSize:]
	return body, string(seal) == Sum(body).String()+"\n"
}

// capped returns b, with the middle cut out when it is too long: a compiler's
// first and last words say the most.
func capped(b []byte) []byte {
	if len(b) <= OutputLimit {
		return b
	}
	const half = OutputLimit/2 - 64
	out := append([]byte(nil), b[:half]...)
	out = fmt.Appendf(out, "\n... %d bytes left out ...\n", len(b)-2*half)
	return append(out, b[len(b)-half:]...)
}
