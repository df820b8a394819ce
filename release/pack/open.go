package pack

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/klauspost/compress/flate"

	"kmx/internal/diag"
	"kmx/internal/durable"
)

// Most that an archive may have, packed and unpacked: it is read into memory. The
// full matrix is thirty megabytes of objects.
const (
	maxArchive = 512 << 20
	maxContent = 1 << 30
)

// MaxText is the most that a list, a statement or settings may have, MaxScanned
// that a file may have that is looked through.
const (
	MaxText    = 64 << 20
	MaxScanned = maxContent
)

// Contents is what an archive holds.
type Contents struct {
	Format string    // TarZst or Zip
	Root   string    // slash path of the folder that holds the release
	Time   time.Time // of every entry, UTC
	Items  []Item    // below Root, by path

	names map[string]string // in lower case, of files and (with a slash behind) folders
}

// hidden is something in an archive that is no file of it.
type hidden struct {
	offset int64
	what   string
}

func (h *hidden) Error() string { return fmt.Sprintf("offset %d: %s", h.offset, h.what) }

// Open reads an archive that this package wrote. An archive that is damaged, or
// holds one byte that none of its entries accounts for, is a failure of class
// Verify; nothing is written anywhere.
func Open(name string) (*Contents, []byte, error) {
	data, err := durable.ReadFile(name, maxArchive)
	if err != nil {
		return nil, nil, diag.Failf(diag.IO, "", "%w", err)
	}
	c, err := Read(filepath.Base(name), data)
	if err != nil {
		return nil, data, diag.Failf(diag.Verify, "fetch it again; if it stays so, nobody vouches for it", "%s: %w", name, err)
	}
	return c, data, nil
}

// Read is Open for bytes at hand; name decides the format by its ending.
func Read(name string, data []byte) (*Contents, error) {
	if int64(len(data)) > maxArchive {
		return nil, fmt.Errorf("it has more than %s", size(maxArchive))
	}
	switch formatOf(name) {
	case TarZst:
		return readTar(data)
	case Zip:
		return readZip(data)
	}
	return nil, fmt.Errorf("it is no archive of kmx: the name ends in neither .%s nor .%s", TarZst, Zip)
}

func readTar(data []byte) (*Contents, error) {
	stream, err := decompress(data)
	if err != nil {
		return nil, fmt.Errorf("no whole zstd frame: %w", err)
	}
	c := &Contents{Format: TarZst}
	r := tar.NewReader(bytes.NewReader(stream))
	left := int64(len(stream))
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("no tar file: %w", err)
		}
		if len(c.Items) == 0 {
			c.Time = h.ModTime.UTC()
		}
		if h.Typeflag == tar.TypeDir {
			continue // written again below, or missed there
		}
		if h.Typeflag != tar.TypeReg {
			return nil, fmt.Errorf("%q is no plain file", h.Name)
		}
		// A sparse file may claim any size, and reads as so many zeros.
		if left -= h.Size; left < 0 {
			return nil, fmt.Errorf("%q claims more bytes than the archive has", h.Name)
		}
		content := func() ([]byte, error) {
			data := make([]byte, h.Size)
			_, err := io.ReadFull(r, data)
			return data, err
		}
		if err := c.add(h.Name, content); err != nil {
			return nil, err
		}
	}
	again := func(w io.Writer) error { return writeTar(w, c.Root, c.Items, c.Time) }
	return c, same(again, stream, "of the tar stream: no entry accounts for what is here, or an entry is not as kmx writes it")
}

func readZip(data []byte) (*Contents, error) {
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, fmt.Errorf("no zip file: %w", err)
	}
	c := &Contents{Format: Zip}
	var raws []raw
	total := uint64(0)
	for _, f := range r.File {
		packed, err := f.OpenRaw()
		if err != nil {
			return nil, fmt.Errorf("%q: %w", f.Name, err)
		}
		bits, err := io.ReadAll(packed)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", f.Name, err)
		}
		if total += f.UncompressedSize64; total > maxContent {
			return nil, fmt.Errorf("it holds more than %s", size(maxContent))
		}
		if err := c.add(f.Name, func() ([]byte, error) { return unzip(f, bits) }); err != nil {
			return nil, err
		}
		raws = append(raws, raw{f.Name, bits, f.Method, f.CRC32, f.UncompressedSize64})
		if len(raws) == 1 {
			c.Time = fromDOS(f.ModifiedDate, f.ModifiedTime)
		}
	}
	again := func(w io.Writer) error { return writeZip(w, raws, c.Time) }
	return c, same(again, data, "no entry accounts for what is here, or an entry is not as kmx writes it")
}

// unzip is the content of a file of a zip, whose bits have to be its whole
// content and nothing else.
func unzip(f *zip.File, bits []byte) ([]byte, error) {
	content := bits
	switch f.Method {
	case zip.Store:
	case zip.Deflate:
		in := bytes.NewReader(bits)
		var err error
		if content, err = io.ReadAll(io.LimitReader(flate.NewReader(in), int64(f.UncompressedSize64)+1)); err != nil {
			return nil, err
		}
		if in.Len() > 0 {
			return nil, fmt.Errorf("%s behind its compressed content", size(int64(in.Len())))
		}
	default:
		return nil, fmt.Errorf("compression method %d", f.Method)
	}
	if uint64(len(content)) != f.UncompressedSize64 || crc32.ChecksumIEEE(content) != f.CRC32 {
		return nil, errors.New("damaged: size or CRC-32 is not what the archive says")
	}
	return content, nil
}

func fromDOS(date, clock uint16) time.Time {
	return time.Date(int(date>>9)+1980, time.Month(date>>5&15), int(date&31), int(clock>>11), int(clock>>5&63), int(clock&31)*2, 0, time.UTC)
}

// add takes a file into the contents: below the root, in order, by a name that
// leads nowhere else.
func (c *Contents) add(name string, read func() ([]byte, error)) error {
	if !filepath.IsLocal(filepath.FromSlash(name)) || path.Clean(name) != name || strings.Contains(name, `\`) {
		return fmt.Errorf("the name %q leads out of the archive", name)
	}
	if why := odd(name); why != "" {
		return fmt.Errorf("the name %q %s", name, why)
	}
	if c.Root == "" {
		c.Root, _, _ = strings.Cut(name, "/")
		if c.Format == Zip {
			c.Root = ZipRoot
		}
	}
	rel, ok := strings.CutPrefix(name, c.Root+"/")
	if !ok {
		return fmt.Errorf("%s is not below %s", name, c.Root)
	}
	if n := len(c.Items); n > 0 && c.Items[n-1].Path >= rel {
		return fmt.Errorf("%s stands behind %s", rel, c.Items[n-1].Path)
	}
	if other := c.taken(rel); other != "" {
		return fmt.Errorf("%s cannot lie beside %s", rel, other)
	}
	data, err := read()
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	c.Items = append(c.Items, Item{rel, data})
	return nil
}

// Extract writes the files into dir, an empty or missing folder.
func (c *Contents) Extract(dir string) error {
	for _, item := range c.Items {
		to := filepath.Join(dir, filepath.FromSlash(item.Path))
		if err := os.MkdirAll(filepath.Dir(to), dirMode); err != nil {
			return err
		}
		if err := durable.WriteFile(to, item.Data, fileMode); err != nil {
			return err
		}
	}
	return nil
}

// size is a count of bytes for people.
func size(n int64) string {
	switch {
	case n == 1:
		return "1 byte"
	case n < 10<<10:
		return fmt.Sprintf("%d bytes", n)
	case n < 10<<20:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d MiB", n>>20)
}
