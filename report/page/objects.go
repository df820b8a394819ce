package page

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"kmx/amdgpu/codeobj"
	"kmx/cache"
	"kmx/engine"
	"kmx/release"
)

// prepSuffix ends the name of a kernel that prepares another.
const prepSuffix = "_prep"

// short is how many digits of a digest a page shows; 64 bits tell the objects of
// any build apart.
const short = 16

// objects opens what the cache has of the cells that are done.
func (d *Data) objects(s *Sources) {
	if s.Store == nil {
		return
	}
	gone, broken := 0, 0
	for i := range s.Build.Cells {
		c := &s.Build.Cells[i]
		if c.State != engine.Done || c.Key.IsZero() || !strings.Contains(c.Label, "@") {
			continue // a helper is no cell
		}
		record, ok := s.Store.Peek(c.Key)
		if !ok || len(record.Outputs) != 1 {
			gone++
			continue
		}
		out := record.Outputs[0]
		if out.Size > maxObject {
			broken++
			continue
		}
		data, err := s.Store.Blob(out.Digest)
		if err != nil {
			gone++
			continue
		}
		obj, err := codeobj.Read(data)
		if err != nil {
			if obj == nil || len(obj.Kernels) == 0 {
				broken++
				continue
			}
		}
		code := cache.Sum(obj.Text()).String()[:short]
		for _, k := range release.KernelsOf(obj) {
			_, target, _ := strings.Cut(c.Label, "@")
			target, _, _ = strings.Cut(target, "+")
			o := Object{Label: c.Label, Kernel: k, Target: target, Digest: out.Digest.String()[:short], Code: code, Size: out.Size, full: out.Digest}
			o.Prep = len(obj.Kernels) > 1 && strings.HasSuffix(k.Name, prepSuffix)
			if e := s.stats[out.Digest]; e != nil && !o.Prep {
				o.Emul = e
			}
			d.Objects = append(d.Objects, o)
		}
	}
	if gone > 0 {
		d.note("%s not in the cache any more: nothing is known of their objects", count(gone, "cell is", "cells are"))
	}
	if broken > 0 {
		d.note("%s left no code object that can be read", count(broken, "cell", "cells"))
	}
}

// maxObject is far above any code object.
const maxObject = 256 << 20

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// equal groups objects by their bytes and by their instructions.
func (d *Data) equal() {
	type place struct{ row, target string }
	objects := map[place]*Object{}
	files, codes := map[string]bool{}, map[string]bool{}
	var rows []string
	targets := []string{}
	for i := range d.Objects {
		o := &d.Objects[i]
		if o.Prep {
			continue
		}
		kernel, rest, _ := strings.Cut(o.Label, "@")
		_, mode, has := strings.Cut(rest, "+")
		name := kernel
		if has {
			name += "+" + mode
		}
		at := place{name, o.Target}
		if objects[at] != nil {
			continue // another kernel of the same object
		}
		objects[at] = o
		files[o.Digest], codes[o.Code] = true, true
		if !slices.Contains(targets, o.Target) {
			targets = append(targets, o.Target)
		}
		rows = append(rows, name)
	}
	slices.Sort(targets)
	slices.Sort(rows)
	d.Equal = Equal{Targets: targets, Rows: []EqualRow{}, Objects: len(objects), Files: len(files), Codes: len(codes)}
	for _, name := range slices.Compact(rows) {
		row := EqualRow{Name: name}
		var order []string               // of codes
		digests := map[string][]string{} // of objects, by code
		for _, t := range targets {
			if o := objects[place{name, t}]; o != nil {
				if !slices.Contains(order, o.Code) {
					order = append(order, o.Code)
				}
				if !slices.Contains(digests[o.Code], o.Digest) {
					digests[o.Code] = append(digests[o.Code], o.Digest)
				}
			}
		}
		for _, t := range targets {
			o := objects[place{name, t}]
			if o == nil {
				row.Cells = append(row.Cells, "")
				continue
			}
			text := letter(slices.Index(order, o.Code))
			if list := digests[o.Code]; len(list) > 1 {
				text += fmt.Sprint(slices.Index(list, o.Digest) + 1)
			}
			row.Cells = append(row.Cells, text)
		}
		row.Codes = len(order)
		d.Equal.Rows = append(d.Equal.Rows, row)
	}
	slices.SortStableFunc(d.Equal.Rows, func(a, b EqualRow) int { return cmp.Compare(a.Name, b.Name) })
}

// letter is A, B, ... Z, AA and so on.
func letter(n int) string {
	if n >= 26 {
		return letter(n/26-1) + letter(n%26)
	}
	return string(rune('A' + n))
}
