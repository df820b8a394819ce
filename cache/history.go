package cache

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"kmx/internal/durable"
)

// A Past is what is remembered of the last time a cell of this checkout was
// built.
type Past struct {
	Label   string          `json:"label"`
	Key     Digest          `json:"key"`
	Wall    time.Duration   `json:"wall_ns"`
	PeakRSS int64           `json:"peak_rss"`        // bytes
	Facts   json.RawMessage `json:"facts,omitempty"` // resource facts of the object
}

// A History is the file history.jsonl of a checkout: one JSON object a line,
// the last one of a label wins. Each line ends with a digest of itself, so
// that damage drops single lines. Lines are appended in one write each, by any
// number of processes. It is a hint: guesses of time and memory, and deltas
// shown to people, come from it, and nothing that is built.
type History struct {
	path string

	mu      sync.Mutex
	last    map[string][]byte // lines, not yet decoded: most are never asked for
	file    *os.File          // opened by the first Append
	torn    bool              // the file does not end with a line feed
	damaged int
}

// slack is how many superseded or damaged lines a history may hold on top of
// as many as there are labels, before it is written anew.
const slack = 1000

// OpenHistory reads the history in a folder that Cache.State returned. A
// missing file is an empty history, damaged lines are left out and counted, and
// what is no file at all is removed.
func OpenHistory(stateDir string) (*History, error) {
	h := &History{path: filepath.Join(stateDir, "history.jsonl"), last: map[string][]byte{}}
	b, err := os.ReadFile(h.path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return h, nil
		}
		if info, there := os.Lstat(h.path); there == nil && !info.Mode().IsRegular() && durable.RemoveTree(h.path) == nil {
			h.damaged++
			return h, nil
		}
		return nil, fmt.Errorf("read the history: %w", err)
	}
	lines := 0
	for line := range bytes.Lines(b) {
		lines++
		body, complete := bytes.CutSuffix(line, []byte("\n"))
		h.torn = !complete
		label, ok := pastLabel(body)
		if !ok {
			h.damaged++
			continue
		}
		h.last[label] = body
	}
	if lines > 2*len(h.last)+slack {
		h.compact() // failing costs nothing but space
	}
	return h, nil
}

// Damaged returns how many lines were left out as damaged.
func (h *History) Damaged() int { return h.damaged }

// Last returns what was remembered last of a label.
func (h *History) Last(label string) (Past, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	line, ok := h.last[label]
	if !ok {
		return Past{}, false
	}
	var p Past
	if json.Unmarshal(line, &p) != nil {
		return Past{}, false
	}
	return p, true
}

// Largest returns the greatest peak of memory that is remembered of the labels
// that begin with a prefix, in bytes; 0 when nothing is.
func (h *History) Largest(prefix string) int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	most := int64(0)
	for label, line := range h.last {
		var p struct {
			PeakRSS int64 `json:"peak_rss"`
		}
		if strings.HasPrefix(label, prefix) && json.Unmarshal(line, &p) == nil {
			most = max(most, p.PeakRSS)
		}
	}
	return most
}

// Append remembers p. It is on its way to the disk when Append returns.
func (h *History) Append(p Past) error {
	line, err := encodePast(p)
	if err != nil {
		return fmt.Errorf("write the history: %w", err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.file == nil {
		h.file, err = os.OpenFile(h.path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o666)
		if err != nil {
			return fmt.Errorf("write the history: %w", err)
		}
	}
	out := line
	if h.torn {
		out = append([]byte("\n"), line...)
	}
	n, err := h.file.Write(out)
	if n > 0 {
		h.torn = n < len(out)
	}
	if err != nil {
		return fmt.Errorf("write the history: %w", err)
	}
	h.last[p.Label] = bytes.TrimSpace(line)
	return nil
}

// Close ends writing. Last still works.
func (h *History) Close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.file == nil {
		return nil
	}
	err := h.file.Close()
	h.file = nil
	return err
}

// compact writes the file anew with one line for each label. What another
// process appends in that moment is lost, as the history is only a hint.
func (h *History) compact() {
	var b []byte
	labels := make([]string, 0, len(h.last))
	for l := range h.last {
		labels = append(labels, l)
	}
	slices.Sort(labels)
	for _, l := range labels {
		b = append(append(b, h.last[l]...), '\n')
	}
	if writeFile(h.path, b) == nil {
		h.torn = false
	}
}

// A line is the JSON of a Past with one more member at its end, of fixed
// length: the first 8 bytes of the digest of all before it.
const (
	sumOpen  = `,"sum":"`
	sumClose = `"}`
	sumLen   = len(sumOpen) + 16 + len(sumClose)
)

func encodePast(p Past) ([]byte, error) {
	b, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	b = b[:len(b)-1] // the brace
	d := Sum(b)
	b = append(b, sumOpen...)
	b = hex.AppendEncode(b, d[:8])
	return append(b, sumClose+"\n"...), nil
}

// pastLabel verifies a line without its line feed and returns its label.
func pastLabel(line []byte) (string, bool) {
	n := len(line) - sumLen
	if n < 0 {
		return "", false
	}
	d := Sum(line[:n])
	var sum [16]byte
	hex.Encode(sum[:], d[:8])
	end := line[n:]
	if string(end[:len(sumOpen)]) != sumOpen || string(end[len(sumOpen):len(sumOpen)+16]) != string(sum[:]) ||
		string(end[len(sumOpen)+16:]) != sumClose {
		return "", false
	}
	// The label comes first, and labels need no escapes.
	if rest, ok := bytes.CutPrefix(line, []byte(`{"label":"`)); ok {
		if i := bytes.IndexAny(rest, `"\`); i > 0 && rest[i] == '"' {
			return string(rest[:i]), true
		}
	}
	var p struct{ Label string }
	if json.Unmarshal(line, &p) != nil || p.Label == "" {
		return "", false
	}
	return p.Label, true
}
