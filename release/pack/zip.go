package pack

import (
	"archive/zip"
	"bytes"
	"hash/crc32"
	"io"
	"path"
	"time"

	"github.com/klauspost/compress/flate"
)

// deflateLevel is the strongest of the compressor.
const deflateLevel = flate.BestCompression

// zipOf is the zip file of a release below root: plain files in the order of
// their paths, deflated where that makes them smaller.
func zipOf(root string, items []Item, at time.Time) ([]byte, error) {
	raws := make([]raw, len(items))
	for i, item := range items {
		packed, err := deflate(item.Data)
		if err != nil {
			return nil, err
		}
		raws[i] = raw{path.Join(root, item.Path), packed, zip.Deflate, crc32.ChecksumIEEE(item.Data), uint64(len(item.Data))}
		if len(packed) >= len(item.Data) {
			raws[i].data, raws[i].method = item.Data, zip.Store
		}
	}
	var b bytes.Buffer
	err := writeZip(&b, raws, at)
	return b.Bytes(), err
}

// raw is a file as it lies in a zip.
type raw struct {
	name   string
	data   []byte
	method uint16
	crc    uint32
	size   uint64
}

// writeZip writes the headers around files that are compressed already. It says
// everything in the header of a file, so no data descriptor follows it, and has
// no extra fields and no comments.
func writeZip(out io.Writer, raws []raw, at time.Time) error {
	w := zip.NewWriter(out)
	date, clock := dosTime(at)
	for _, r := range raws {
		h := &zip.FileHeader{
			Name: r.name, Method: r.method, CRC32: r.crc,
			CompressedSize64: uint64(len(r.data)), UncompressedSize64: r.size,
			CreatorVersion: 3<<8 | 20, ReaderVersion: 20, // Unix, deflate and folders
		}
		//lint:ignore SA1019 a raw header is written by these, and not by Modified
		h.ModifiedDate, h.ModifiedTime = date, clock
		h.SetMode(fileMode)
		for i := range len(r.name) {
			if r.name[i] >= 0x80 {
				h.Flags |= 0x800 // the name is UTF-8
			}
		}
		f, err := w.CreateRaw(h)
		if err != nil {
			return err
		}
		if _, err := f.Write(r.data); err != nil {
			return err
		}
	}
	return w.Close()
}

func deflate(data []byte) ([]byte, error) {
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, deflateLevel)
	if err == nil {
		_, err = w.Write(data)
	}
	if err == nil {
		err = w.Close()
	}
	return b.Bytes(), err
}

// dosTime is a time as MS-DOS has it, in steps of two seconds from 1980 to 2107.
// Zip knows no time zone; this is UTC.
func dosTime(at time.Time) (date, clock uint16) {
	at = at.UTC()
	switch {
	case at.Year() < 1980:
		at = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)
	case at.Year() > 2107:
		at = time.Date(2107, 12, 31, 23, 59, 58, 0, time.UTC)
	}
	date = uint16((at.Year()-1980)<<9 | int(at.Month())<<5 | at.Day())
	clock = uint16(at.Hour()<<11 | at.Minute()<<5 | at.Second()/2)
	return date, clock
}
