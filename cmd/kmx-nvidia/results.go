//go:build linux

package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"

	"kmx/emit/emittest"
)

const resultsFormat = "kmx.nvidia/1"

// results is what is written as results.json.
type results struct {
	Format  string           `json:"format"`
	Machine emittest.Machine `json:"machine"`
	Parts   []*tally         `json:"parts"`

	capability int // of the GPU: 90 for sm_90
	mutex      sync.Mutex
}

// tally counts one kind of check.
type tally struct {
	Part     string    `json:"part"`
	What     string    `json:"what"`
	Done     uint64    `json:"done"`
	Failed   uint64    `json:"failed"`
	Failures []failure `json:"failures,omitempty"`
	Note     string    `json:"note,omitempty"`
}

type failure struct {
	Name string `json:"name"`
	Why  string `json:"why"`
}

// of finds a tally; the first call of a kind makes it.
func (r *results) of(part, what string) *tally {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	for _, t := range r.Parts {
		if t.Part == part && t.What == what {
			return t
		}
	}
	t := &tally{Part: part, What: what}
	r.Parts = append(r.Parts, t)
	return t
}

// count adds one check to a tally; err is what is wrong with it.
func (r *results) count(part, what, name string, err error) {
	t := r.of(part, what)
	r.mutex.Lock()
	defer r.mutex.Unlock()
	t.Done++
	if err != nil {
		t.Failed++
		t.Failures = append(t.Failures, failure{name, err.Error()})
	}
}

func (r *results) fail(part, name string, err error) { r.count(part, "ran to its end", name, err) }

func (r *results) failed() (n uint64) {
	for _, t := range r.Parts {
		n += t.Failed
	}
	return n
}

func (r *results) total() (n uint64) {
	for _, t := range r.Parts {
		n += t.Done
	}
	return n
}

// table prints the tallies, failures below.
func (r *results) table(w io.Writer) {
	r.Format = resultsFormat
	fmt.Fprintf(w, "\n%-9s  %-58s %12s %8s\n", "part", "check", "done", "failed")
	for _, t := range r.Parts {
		fmt.Fprintf(w, "%-9s  %-58s %12d %8d\n", t.Part, t.What, t.Done, t.Failed)
	}
	for _, t := range r.Parts {
		for _, f := range t.Failures {
			fmt.Fprintf(w, "\n%s, %s: %s\n    %s\n", t.Part, t.What, f.Name, strings.ReplaceAll(f.Why, "\n", "\n    "))
		}
	}
}

var driverWord = regexp.MustCompile(`(\d{3,}\.\d+(\.\d+)?)`)

// driverVersion is the driver's own number, which its programming interface does
// not tell.
func driverVersion() string {
	if text, err := os.ReadFile("/proc/driver/nvidia/version"); err == nil {
		if m := driverWord.FindString(string(text)); m != "" {
			return m
		}
	}
	if out, err := exec.Command("nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader").Output(); err == nil {
		return driverWord.FindString(string(out))
	}
	return "unknown"
}

var ptxasWord = regexp.MustCompile(`V(\d+\.\d+\.\d+)`)

func ptxasVersion(path string) string {
	out, err := exec.Command(path, "--version").Output()
	if m := ptxasWord.FindStringSubmatch(string(out)); err == nil && m != nil {
		return m[1]
	}
	return "unknown"
}
