package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"kmx/plan"
)

// What can become of a mutant.
const (
	killed   = "killed"
	survived = "survived"
	same     = "same object" // no fault: it changes nothing that is compiled
	refused  = "does not compile"
)

// A record is a mutant with what became of it, a line of the results file.
type record struct {
	ID      string  `json:"id"`
	Sources string  `json:"sources"` // digest of what it was made from and judged by
	Kernel  string  `json:"kernel"`
	File    string  `json:"file"`
	Line    int     `json:"line"`
	Op      string  `json:"operator"`
	Before  string  `json:"before"`
	After   string  `json:"after"`
	Cell    string  `json:"cell,omitempty"`
	Verdict string  `json:"verdict"`
	By      string  `json:"by,omitempty"`
	Detail  string  `json:"detail,omitempty"`
	Seconds float64 `json:"seconds"`
}

// counts says whether the record is a mutant that the validation had to find.
func (r record) counts() bool { return r.Verdict == killed || r.Verdict == survived }

// results is the file of records.
type results struct {
	mu   sync.Mutex
	file *os.File
	done map[string]record
}

func recordKey(id, sources, kernel string) string { return id + " " + sources + " " + kernel }

// openResults reads what is there and gets ready to append. A last line that was
// cut short is left out, and ended.
func openResults(name string) (*results, error) {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(name)
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	r := &results{done: map[string]record{}}
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, 1<<24)
	for n := 1; lines.Scan(); n++ {
		var x record
		if err := json.Unmarshal(lines.Bytes(), &x); err != nil {
			if n > bytes.Count(data, []byte("\n")) {
				break
			}
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		r.done[recordKey(x.ID, x.Sources, x.Kernel)] = x
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	whole := bytes.LastIndexByte(data, '\n') + 1
	if whole < len(data) {
		if err := os.Truncate(name, int64(whole)); err != nil {
			return nil, err
		}
	}
	r.file, err = os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	return r, err
}

func (r *results) find(id, sources, kernel string) (record, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	x, ok := r.done[recordKey(id, sources, kernel)]
	return x, ok
}

func (r *results) add(x record) error {
	line, err := json.Marshal(x)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done[recordKey(x.ID, x.Sources, x.Kernel)] = x
	_, err = r.file.Write(append(line, '\n'))
	return err
}

// digest names what the mutants of a kernel are made from and judged by: its
// sources, its cells as they are declared, the compiler and the launches.
func (k kernel) digest(root, compiler string) (string, error) {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%#v\n", compiler, steps(k.layer))
	for _, c := range k.cells {
		for _, t := range plan.Command(c) {
			fmt.Fprintf(h, "%q ", t.Text)
		}
		for _, v := range c.Hook {
			fmt.Fprintf(h, "%s=%d ", v.Name, v.Value)
		}
		for _, b := range c.Bounds {
			fmt.Fprintf(h, "%s<=%d ", b.Name, b.Value)
		}
		fmt.Fprintln(h)
	}
	for _, f := range k.files {
		data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(f)))
		if err != nil {
			return "", err
		}
		fmt.Fprintf(h, "%s %x\n", f, sha256.Sum256(data))
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:6]), nil
}
