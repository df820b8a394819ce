package pack

import (
	"cmp"
	"fmt"
	"path"
	"slices"

	"kmx/internal/diag"
	"kmx/release"
)

// Finding is something that no archive of kernels may hold.
type Finding struct {
	File   string // slash path in the release
	Offset int64  // byte in the file
	What   string
}

func (f Finding) String() string {
	return fmt.Sprintf("%s: offset %d (%#x): %s", f.File, f.Offset, f.Offset, f.What)
}

// Span is a stretch of a file, end exclusive.
type Span struct{ Start, End int64 }

// Scan looks through one file: for PTX, fat binaries and cubins, for PE files
// and ELF files that are no code object, for compressed data that cannot be
// looked into, for bytes that no part of a code object accounts for, and for
// stretches that look like weights. Declared stretches are data that somebody
// vouches for; only the last rule passes them over. The result is in the order of
// offsets.
//
// Text counts in any case and in UTF-8, UTF-16 and UTF-32; what is written in
// base64 or hex digits is looked at as what it stands for.
//
// Weights are told by their entropy, over eight kibibytes at a time: code and text
// stay far below it. Shorter stretches, and code that computes weights, are
// beyond it.
func Scan(file string, data []byte, declared []Span) []Finding {
	s := scanner{file: file, data: data}
	s.contents(0)
	s.unaccounted()
	s.blobs(declared)
	slices.SortStableFunc(s.found, func(a, b Finding) int { return cmp.Compare(a.Offset, b.Offset) })
	return s.found
}

// ScanTree looks through every file of a release. Data symbols of objects that
// their manifest lists are declared.
func ScanTree(t *Tree) []Finding {
	symbols := map[string][]release.Symbol{}
	for _, s := range t.Sets {
		for _, e := range s.Objects {
			symbols[path.Join(s.Path, e.File.Name)] = e.Symbols
		}
	}
	var all []Finding
	for _, item := range t.Items {
		all = append(all, Scan(item.Path, item.Data, declared(item.Data, symbols[item.Path]))...)
	}
	return all
}

// FindingsError is a failure of class Verify that lists the findings, or nil.
func FindingsError(what string, found []Finding) error {
	if len(found) == 0 {
		return nil
	}
	f := &diag.Failure{Class: diag.Verify}
	for i, x := range found {
		if i == 20 {
			f.Messages = append(f.Messages, diag.Message{Summary: fmt.Sprintf("and %d more", len(found)-i)})
			break
		}
		f.Messages = append(f.Messages, diag.Message{Summary: x.String()})
	}
	f.Messages[len(f.Messages)-1].Hint = what + " holds what must not be passed on, or what nobody can look into; docs/releasing.md says what is looked for"
	return f
}

type scanner struct {
	file  string
	data  []byte
	found []Finding
}

// contents looks for what is known by what it says, also where it is encoded
// up to maxEncoded times.
func (s *scanner) contents(depth int) {
	s.ptx()
	s.binaries()
	s.packed()
	if depth < maxEncoded {
		s.encoded(depth)
	}
}

func (s *scanner) say(offset int, format string, args ...any) {
	s.found = append(s.found, Finding{s.file, int64(offset), fmt.Sprintf(format, args...)})
}
