package ci

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/klauspost/compress/zstd"

	"kmx/cache"
)

// BundleFormat is the version of a bundle, BundleSuffix ends its name.
const (
	BundleFormat = "kmx.bundle/1"
	BundleSuffix = ".kmxb"
)

// A bundle is a zstd frame and, in a skippable frame behind it (RFC 8878, 3.1.2),
// the BLAKE3 digest of all its bytes, so that every bit of the file counts.
// Below the compression lie parts, each a line "NAME LENGTH\n" with so many bytes
// behind it:
//
//	kmx.bundle/1 0
//	head N       the Head as JSON
//	record N     a record as JSON with its fields, by key; any number
//	blob N       an output, by digest; any number, each once
const (
	headPart   = "head"
	recordPart = "record"
	blobPart   = "blob"
)

// sealHead begins the skippable frame: a magic number and the length of what
// follows, 32 bytes.
const sealHead = "\x50\x2a\x4d\x18\x20\x00\x00\x00"

// Head says whose results these are.
type Head struct {
	Plan     cache.Digest `json:"plan"`
	Shard    int          `json:"shard"` // from 1
	Of       int          `json:"of"`
	Identity Identity     `json:"identity"` // of the machine that built
	Failed   []Failed     `json:"failed"`   // actions that did not succeed, by label
	Records  int          `json:"records"`
	Blobs    int          `json:"blobs"`
}

// Name names the shard.
func (h *Head) Name() Name { return Name{h.Shard, h.Of, short(h.Plan)} }

// Failed is an action without a result.
type Failed struct {
	Label string `json:"label"`
	State string `json:"state"` // "failed", "skipped" or "cancelled"
	Error string `json:"error"`
	// Output is what the tool said, cut in the middle when very long.
	Output string `json:"output,omitempty"`
	// Places are where people should look, as file:line:column; the line of the
	// matrix first.
	Places []string `json:"places,omitempty"`
}

// stored is a record with the part that the cache keeps on another line.
type stored struct {
	*cache.Record
	Fields []cache.Field `json:"fields"`
}

// WriteBundle writes a bundle. The order of the records means nothing; blob
// gives the bytes of their outputs. The same arguments give the same bytes.
func WriteBundle(w io.Writer, h Head, records []*cache.Record, blob func(cache.Digest) ([]byte, error)) error {
	records = slices.Clone(records)
	slices.SortFunc(records, func(a, b *cache.Record) int { return bytes.Compare(a.Key[:], b.Key[:]) })
	records = slices.CompactFunc(records, func(a, b *cache.Record) bool { return a.Key == b.Key })
	var blobs []cache.Digest
	for _, r := range records {
		for _, o := range r.Outputs {
			blobs = append(blobs, o.Digest)
		}
	}
	slices.SortFunc(blobs, func(a, b cache.Digest) int { return bytes.Compare(a[:], b[:]) })
	blobs = slices.Compact(blobs)
	h.Records, h.Blobs = len(records), len(blobs)
	h.Failed = slices.Clone(h.Failed)
	slices.SortFunc(h.Failed, func(a, b Failed) int { return cmp.Compare(a.Label, b.Label) })

	sum := cache.NewHasher()
	z, err := zstd.NewWriter(io.MultiWriter(w, sum), zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedBetterCompression), zstd.WithEncoderCRC(true))
	if err != nil {
		return err
	}
	p := &partWriter{w: z}
	p.part(BundleFormat, nil)
	p.json(headPart, h)
	for _, r := range records {
		p.json(recordPart, stored{r, r.Fields})
	}
	for _, d := range blobs {
		data, err := blob(d)
		if err != nil {
			return fmt.Errorf("the blob %s: %w", short(d), err)
		}
		p.part(blobPart, data)
	}
	if err := errors.Join(p.err, z.Close()); err != nil {
		return err
	}
	seal := sum.Sum()
	_, err = w.Write(append([]byte(sealHead), seal[:]...))
	return err
}

type partWriter struct {
	w   io.Writer
	err error // the first one
}

func (p *partWriter) part(name string, data []byte) {
	head := fmt.Appendf(nil, "%s %d\n", name, len(data))
	for _, b := range [][]byte{head, data} {
		if p.err == nil {
			_, p.err = p.w.Write(b)
		}
	}
}

func (p *partWriter) json(name string, v any) {
	data, err := json.Marshal(v)
	if err != nil && p.err == nil {
		p.err = err
	}
	p.part(name, data)
}
