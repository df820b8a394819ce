package flow

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"kmx/cache"
	"kmx/internal/durable"
	"kmx/plan"
	"kmx/report"
	"kmx/toolchains"
)

// past is what the history keeps of a cell besides key and cost: the resources
// of its object, and what it takes to say why it was built.
type past struct {
	report.Facts
	Prev   cache.Digest `json:"prev,omitzero"`    // key of the build before; the same key where the cache had lost it
	Miss   string       `json:"miss,omitempty"`   // why the cache had no record; "" when it had
	Walls  []int64      `json:"walls,omitempty"`  // milliseconds of the last builds, the last one at the end
	Matrix string       `json:"matrix,omitempty"` // digest of the matrix files, shortened
	// Vars are the variables whose value was not the default, as the matrix
	// would write them.
	Vars map[string]string `json:"vars,omitempty"`
}

// kept is how many times of builds are kept for each cell.
const kept = 5

// pastOf reads what the history keeps; nothing of an entry of an older kind.
func pastOf(p cache.Past) past {
	var more past
	_ = json.Unmarshal(p.Facts, &more) // facts of an older kind compare with nothing
	return more
}

// walls are the times of the last builds of a cell.
func walls(h *cache.History, address string) []time.Duration {
	last, ok := h.Last(address)
	if !ok {
		return nil
	}
	var out []time.Duration
	for _, ms := range pastOf(last).Walls {
		out = append(out, time.Duration(ms)*time.Millisecond)
	}
	if len(out) == 0 && last.Wall > 0 {
		out = append(out, last.Wall)
	}
	return out
}

// matrixDigest is the matrix's part in a past.
func matrixDigest(d *declared) string {
	h := cache.NewHasher()
	for _, f := range d.Files {
		sum := cache.Sum(f.Bytes)
		h.Write([]byte(f.Name + "\x00"))
		h.Write(sum[:])
	}
	return h.Sum().String()[:16]
}

func differing(d *declared) map[string]string {
	vars := map[string]string{}
	for _, v := range d.Variables {
		if v.Differs && !v.Machine {
			vars[v.Name] = v.Value
		}
	}
	return vars
}

// variableChanges compares the variables of this run with those of a past; nil
// if the past says nothing of them.
func variableChanges(d *declared, before past) *plan.VariableChanges {
	if before.Matrix == "" {
		return nil
	}
	c := &plan.VariableChanges{SameMatrix: before.Matrix == matrixDigest(d)}
	for i, v := range d.Variables {
		old, differed := before.Vars[v.Name]
		if !differed {
			old = v.Default
		}
		if old != v.Value && !v.Machine {
			c.Changed = append(c.Changed, plan.VariableChange{Name: v.Name, Before: old, After: v.Value, Given: plan.Given(&d.Variables[i])})
		}
	}
	return c
}

// closures remembers the toolchains that this checkout was built with.
type closures struct{ dir string }

func (p *Project) closures() (closures, error) {
	state, err := p.state()
	return closures{filepath.Join(state, "toolchains")}, err
}

func (c closures) file(digest string) string { return filepath.Join(c.dir, digest+".json") }

// keep writes down toolchains that are not known yet. What cannot be written
// costs an explanation, never a build.
func (c closures) keep(found map[string]*toolchains.Toolchain) {
	durable.SweepTemps(c.dir)
	for _, tc := range found {
		name := c.file(tc.Digest.String())
		if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		text, err := json.Marshal(plan.ClosureOf(tc))
		if err != nil || os.MkdirAll(c.dir, 0o777) != nil {
			continue
		}
		_ = durable.WriteFile(name, text, 0o644)
	}
}

// known reads what is remembered of a toolchain.
func (c closures) known(digest string) (plan.Closure, bool) {
	var cl plan.Closure
	if d, err := cache.ParseDigest(digest); err != nil || d.IsZero() {
		return cl, false
	}
	text, err := os.ReadFile(c.file(digest))
	if err != nil || json.Unmarshal(text, &cl) != nil || cl.Format != plan.ClosureFormat || cl.Digest.String() != digest {
		if !errors.Is(err, fs.ErrNotExist) {
			_ = durable.RemoveTree(c.file(digest)) // damaged: the next build writes it anew
		}
		return plan.Closure{}, false
	}
	return cl, true
}
