package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"kmx/cache"
)

// EmulatedSchema names the format of statistics files.
const EmulatedSchema = "kmx.stats/1"

// Emulation is what one seeded launch of an object's kernel executed on the
// emulator. Instructions are counted a wave each; bytes are what active lanes
// moved; LDS cycles are a model (docs/emulator.md).
type Emulation struct {
	Address      string           `json:"address"` // of a cell with this object
	Kernel       string           `json:"kernel"`
	Target       string           `json:"target"`
	Case         string           `json:"case"` // the launch
	Waves        int64            `json:"waves"`
	Instructions map[string]int64 `json:"instructions"` // by class: valu, wmma, salu, ...
	LDSCycles    int64            `json:"lds_cycles"`
	LDSConflicts int64            `json:"lds_conflicts"` // cycles more
	Global       Moved            `json:"global"`
	LDS          Moved            `json:"lds"`
	Scratch      Moved            `json:"scratch"`
	ScalarLoaded int64            `json:"scalar_loaded"`
}

// Moved is bytes.
type Moved struct {
	Loaded int64 `json:"loaded"`
	Stored int64 `json:"stored"`
}

// Total is all wave instructions.
func (e *Emulation) Total() int64 {
	var sum int64
	for _, n := range e.Instructions {
		sum += n
	}
	return sum
}

// String is the part of a cell's line:
//
//	emulated: instructions 412345 wmma 2304 conflicts 12/20480 bytes 1310720
func (e *Emulation) String() string {
	return fmt.Sprintf("emulated: instructions %d wmma %d conflicts %d/%d bytes %d",
		e.Total(), e.Instructions["wmma"], e.LDSConflicts, e.LDSCycles, e.Global.Loaded+e.Global.Stored+e.ScalarLoaded)
}

// Emulations are statistics by the digest of the object that they are of, so
// that nothing else is ever taken for it.
type Emulations map[cache.Digest]*Emulation

type emulatedFile struct {
	Schema  string     `json:"schema"`
	Objects Emulations `json:"objects"`
}

// ReadEmulations reads a statistics file; a file that is not there has none.
func ReadEmulations(path string) (Emulations, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Emulations{}, nil
	}
	if err != nil {
		return nil, err
	}
	var f emulatedFile
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if f.Schema != EmulatedSchema {
		return nil, fmt.Errorf("%s has the format %q, this kmx reads %s", path, f.Schema, EmulatedSchema)
	}
	for digest, e := range f.Objects {
		if e == nil {
			return nil, fmt.Errorf("%s has nothing under %s", path, digest)
		}
	}
	if f.Objects == nil {
		f.Objects = Emulations{}
	}
	return f.Objects, nil
}

// JSON is the file.
func (e Emulations) JSON() ([]byte, error) {
	data, err := json.MarshalIndent(emulatedFile{EmulatedSchema, e}, "", "  ")
	return append(data, '\n'), err
}

// Table writes a line for each object, by address.
func (e Emulations) Table(out io.Writer) error {
	rows := slices.SortedFunc(maps.Values(e), func(a, b *Emulation) int { return cmp.Compare(a.Address, b.Address) })
	if len(rows) == 0 {
		return nil
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	classes := []string{"valu", "wmma", "salu", "smem", "vmem", "lds"}
	width := len("object")
	for _, r := range rows {
		width = max(width, len(r.Address))
	}
	fmt.Fprintf(w, "%-*s\twaves\tinstructions\t%s\tother\tLDS cycles\tconflicts\tglobal bytes\tscratch bytes\t\n", width, "object", strings.Join(classes, "\t"))
	for _, r := range rows {
		other := r.Total()
		fmt.Fprintf(w, "%-*s\t%d\t%d\t", width, r.Address, r.Waves, other)
		for _, c := range classes {
			fmt.Fprintf(w, "%d\t", r.Instructions[c])
			other -= r.Instructions[c]
		}
		fmt.Fprintf(w, "%d\t%d\t%d\t%d\t%d\t\n", other, r.LDSCycles, r.LDSConflicts, r.Global.Loaded+r.Global.Stored, r.Scratch.Loaded+r.Scratch.Stored)
	}
	return w.Flush()
}
