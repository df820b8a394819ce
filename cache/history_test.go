package cache

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestHistory(t *testing.T) {
	dir := t.TempDir()
	h := must(OpenHistory(dir))
	if _, ok := h.Last("a"); ok {
		t.Error("an empty history knows a label")
	}
	for i := range 3 {
		p := Past{Label: "k/x@gfx1100", Key: Sum([]byte{byte(i)}), Wall: time.Duration(i), PeakRSS: int64(i), Facts: json.RawMessage(fmt.Sprintf(`{"vgprs":%d}`, i))}
		if err := h.Append(p); err != nil {
			t.Fatal(err)
		}
	}
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	for _, h := range []*History{h, must(OpenHistory(dir))} {
		p, ok := h.Last("k/x@gfx1100")
		if !ok || p.Wall != 2 || p.PeakRSS != 2 || p.Key != Sum([]byte{2}) || string(p.Facts) != `{"vgprs":2}` || h.Damaged() != 0 {
			t.Errorf("%+v, %v", p, ok)
		}
	}
	if err := h.Append(Past{Label: "x", Facts: json.RawMessage("{")}); err == nil {
		t.Error("facts that are no JSON were written")
	}
	for line := range bytes.Lines(must(os.ReadFile(filepath.Join(dir, "history.jsonl")))) {
		if !json.Valid(line) {
			t.Errorf("not JSON: %s", line)
		}
	}
}

func TestLargestOfAFamily(t *testing.T) {
	h := must(OpenHistory(t.TempDir()))
	defer h.Close()
	for _, p := range []Past{{Label: "m/a", PeakRSS: 900}, {Label: "m/b", PeakRSS: 700}, {Label: "mm/c", PeakRSS: 5000}, {Label: "k/d"}, {Label: "m/a", PeakRSS: 300}} {
		if err := h.Append(p); err != nil {
			t.Fatal(err)
		}
	}
	for prefix, want := range map[string]int64{"m/": 700, "mm/": 5000, "k/": 0, "tex/": 0} {
		if got := h.Largest(prefix); got != want {
			t.Errorf("%s: %d, want %d", prefix, got, want)
		}
	}
}

func TestHistoryIsCompacted(t *testing.T) {
	dir := t.TempDir()
	h := must(OpenHistory(dir))
	for i := range slack + 10 {
		if err := h.Append(Past{Label: fmt.Sprint(i % 2), Wall: time.Duration(i)}); err != nil {
			t.Fatal(err)
		}
	}
	h.Close()
	h = must(OpenHistory(dir))
	h.Append(Past{Label: "new"})
	h.Close()
	b := must(os.ReadFile(filepath.Join(dir, "history.jsonl")))
	if n := bytes.Count(b, []byte("\n")); n != 3 {
		t.Errorf("%d lines", n)
	}
	if p, _ := must(OpenHistory(dir)).Last("1"); p.Wall != slack+9 {
		t.Errorf("%+v", p)
	}
}

func TestHistoryThatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	os.MkdirAll(filepath.Join(dir, "history.jsonl", "full"), 0o755)
	if h := must(OpenHistory(dir)); h.Damaged() != 1 || h.Append(Past{Label: "x"}) != nil {
		t.Error("a folder as history is not replaced")
	}
	h := must(OpenHistory(filepath.Join(dir, "none")))
	if err := h.Append(Past{Label: "x"}); err == nil {
		t.Error("written into no folder")
	}
}
