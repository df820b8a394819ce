package toolchains

import (
	"bytes"
	"encoding/binary"
	"path"
	"path/filepath"
	"strings"
)

// ldCache maps library names to paths as /etc/ld.so.cache lists them, in the
// order in which the loader would take them.
type ldCache map[string][]string

// The header of the format glibc writes since 2.2, possibly behind an older
// table: magic and version, entry count, string bytes, flags, extension offset
// and padding, 48 bytes; then entries of 24 bytes: flags, name, path (offsets
// from the magic), OS version, hardware capabilities.
const (
	ldMagic  = "glibc-ld.so.cache1.1"
	ldHeader = 48
	ldEntry  = 24
)

// parseLdCache reads the entries that hold on every processor; ok is false for
// bytes that are no such cache.
func parseLdCache(data []byte) (cache ldCache, ok bool) {
	start := bytes.Index(data, []byte(ldMagic))
	if start < 0 {
		return nil, false
	}
	data = data[start:]
	if len(data) < ldHeader {
		return nil, false
	}
	order := binary.ByteOrder(binary.LittleEndian)
	if data[28]&3 == 3 { // endianness flag: 2 little, 3 big, 0 written before there was one
		order = binary.BigEndian
	}
	count := int(order.Uint32(data[len(ldMagic):]))
	if count < 0 || count > (len(data)-ldHeader)/ldEntry {
		return nil, false
	}
	cache = make(ldCache, count)
	text := string(data) // names and paths are parts of it
	for i := range count {
		e := data[ldHeader+i*ldEntry:]
		if order.Uint64(e[16:]) != 0 {
			continue // for some processors only; the loader finds those by directory here
		}
		name, value := int(order.Uint32(e[4:])), int(order.Uint32(e[8:]))
		if name < 0 || name >= len(data) || value < 0 || value >= len(data) {
			return nil, false
		}
		soname := textAt(text, name)
		cache[soname] = append(cache[soname], textAt(text, value))
	}
	return cache, true
}

func textAt(text string, offset int) string {
	text, _, _ = strings.Cut(text[offset:], "\x00")
	return text
}

// confDirs reads the directories of an ld.so.conf with its includes, for systems
// whose loader keeps no cache.
func confDirs(l *looker, file string, depth int) []string {
	data, err := l.read(file)
	if err != nil || depth > 8 {
		return nil
	}
	var out []string
	for line := range strings.Lines(string(data)) {
		line, _, _ = strings.Cut(line, "#")
		fields := strings.Fields(line)
		switch {
		case len(fields) == 0:
		case fields[0] == "include":
			for _, pattern := range fields[1:] {
				if !path.IsAbs(pattern) {
					pattern = path.Join(path.Dir(file), pattern)
				}
				l.isDir(path.Dir(pattern)) // a new file there would be noticed
				matches, _ := filepath.Glob(pattern)
				for _, m := range matches {
					out = append(out, confDirs(l, m, depth+1)...)
				}
			}
		case path.IsAbs(fields[0]):
			out = append(out, strings.TrimRight(fields[0], ","))
		}
	}
	return out
}
