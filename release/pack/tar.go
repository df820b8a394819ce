package pack

import (
	"archive/tar"
	"bytes"
	"io"
	"maps"
	"path"
	"slices"
	"time"

	"github.com/klauspost/compress/zstd"
)

// The compressor's settings. Another level, window or version of the library
// gives other bytes: go.mod pins the library, docs/releasing.md names both.
// 8 MiB is the most that RFC 8878 asks of every decoder.
const (
	zstdLevel  = zstd.SpeedBestCompression
	zstdWindow = 8 << 20
)

const (
	fileMode = 0o644
	dirMode  = 0o755
)

// tarOf is the tar stream of a release below root.
func tarOf(root string, items []Item, at time.Time) ([]byte, error) {
	var b bytes.Buffer
	err := writeTar(&b, root, items, at)
	return b.Bytes(), err
}

// writeTar writes tarOf. Folders stand before what is in them, everything else in
// the order of the bytes of its path.
func writeTar(out io.Writer, root string, items []Item, at time.Time) error {
	names := map[string]*Item{} // nil: a folder
	for i := range items {
		full := path.Join(root, items[i].Path)
		names[full] = &items[i]
		for _, d := range parents(full) {
			names[d] = nil
		}
	}
	w := tar.NewWriter(out)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		// The writer takes USTAR where a name fits it, else PAX, by itself.
		h := &tar.Header{Typeflag: tar.TypeDir, Name: name + "/", Mode: dirMode, ModTime: at}
		item := names[name]
		if item != nil {
			h.Typeflag, h.Name, h.Mode, h.Size = tar.TypeReg, name, fileMode, int64(len(item.Data))
		}
		if err := w.WriteHeader(h); err != nil {
			return err
		}
		if item != nil {
			if _, err := w.Write(item.Data); err != nil {
				return err
			}
		}
	}
	return w.Close()
}

// compress is one zstd frame with the size of its content and a checksum.
func compress(data []byte) ([]byte, error) {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstdLevel), zstd.WithEncoderConcurrency(1),
		zstd.WithWindowSize(zstdWindow), zstd.WithSingleSegment(false), zstd.WithEncoderCRC(true))
	if err != nil {
		return nil, err
	}
	defer e.Close()
	return e.EncodeAll(data, nil), nil
}

// decompress undoes compress. Frames beside the one, frames that decoders skip
// and bytes behind the end are errors.
func decompress(data []byte) ([]byte, error) {
	if err := oneFrame(data); err != nil {
		return nil, err
	}
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxContent))
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.DecodeAll(data, nil)
}

// oneFrame walks the blocks of the first frame and demands that it is the last,
// has a checksum and says how long its content is.
func oneFrame(data []byte) error {
	var h zstd.Header
	if err := h.Decode(data); err != nil {
		return err
	}
	switch {
	case h.Skippable:
		return &hidden{0, "a frame that decoders skip"}
	case !h.HasCheckSum || !h.HasFCS:
		return &hidden{0, "a frame without checksum or size"}
	case h.FrameContentSize > maxContent:
		return &hidden{0, "a frame of more than " + size(maxContent)}
	}
	at := h.HeaderSize
	for last := false; !last; {
		if at+3 > len(data) {
			return io.ErrUnexpectedEOF
		}
		b := int(data[at]) | int(data[at+1])<<8 | int(data[at+2])<<16
		at += 3
		last = b&1 != 0
		if b>>1&3 == 1 { // one byte, repeated
			at++
		} else {
			at += b >> 3
		}
	}
	switch at += 4; {
	case at > len(data):
		return io.ErrUnexpectedEOF
	case at < len(data):
		return &hidden{int64(at), size(int64(len(data)-at)) + " behind the end of the frame"}
	}
	return nil
}
