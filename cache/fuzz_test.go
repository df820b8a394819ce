package cache

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
)

// The decoders are fuzzed with a right digest at the end, since no mutation
// would get past it otherwise, and as they are.

func FuzzRecord(f *testing.F) {
	good := must(encodeRecord(&Record{Format: RecordFormat, Key: Sum(nil), Outputs: []Output{{"a", Sum(nil), 0}}, Stderr: []byte("x")}))
	f.Add(good[:len(good)-sealSize])
	f.Add([]byte(`{"format":"kmx.record/2"}`))
	f.Add([]byte(`{"format":"kmx.record/1","outputs":[{"digest":"zz"}]}`))
	f.Add([]byte("{\"format\":\"kmx.record/1\"}\n[{\"tag\":\"arg\"}]\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		decodeRecord(b, true)
		r, err := decodeRecord(append(append(bytes.Clone(b), Sum(b).String()...), '\n'), true)
		if err != nil {
			return
		}
		again, err := decodeRecord(must(encodeRecord(r)), true)
		if err != nil || again.Key != r.Key || len(again.Outputs) != len(r.Outputs) {
			t.Fatalf("read %+v, wrote and read %+v, %v", r, again, err)
		}
	})
}

func FuzzMemo(f *testing.F) {
	files := map[fileID]fileEntry{{1, 2}: {3, 4, 5, 6, Sum(nil)}, {1, 3}: {}}
	derived := map[derivedKey]derivedEntry{{"k", Sum(nil)}: {"v", 6}, {"", Digest{}}: {}}
	for _, b := range [][]byte{encodeTable(table{}, files, derived, 6), encodeTable(table{}, nil, nil, 0)} {
		f.Add(b[:len(b)-len(Digest{})])
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		decodeTable(b)
		got, err := decodeTableBody(b)
		if err != nil {
			return
		}
		for i := range got.len() {
			id, e := got.row(i)
			if found, ok := got.find(id); !ok || found != e {
				t.Fatalf("row %d is not found", i)
			}
		}
		again, err := decodeTable(encodeTable(got, nil, got.derived, 0))
		if err != nil || !bytes.Equal(again.rows, got.rows) || !reflect.DeepEqual(again.derived, got.derived) {
			t.Fatalf("does not come back: %v", err)
		}
	})
}

func FuzzSnapshot(f *testing.F) {
	s := newSnapshot(later)
	s.AddFile("fuzz_test.go")
	s.AddDir("/")
	s.AddAbsent("/none")
	s.AddEnv("HOME")
	s.SetAnswer([]byte("answer"))
	s.doubt = "doubt"
	b := s.encode()
	f.Add(b[:len(b)-len(Digest{})])
	f.Add([]byte(snapMagic))
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := decodeSnapshot(b)
		if err != nil {
			return
		}
		for _, g := range got.groups {
			for len(g.entries) > 0 {
				if _, _, _, ok := g.next(); !ok {
					break
				}
			}
		}
	})
}

func FuzzHistory(f *testing.F) {
	f.Add(bytes.TrimSpace(must(encodePast(Past{Label: "a", Facts: []byte(`{"x":1}`)}))))
	f.Add([]byte(`{"label":"a","sum":"0123456789abcdef"}`))
	f.Add([]byte(`{"label":"a\"b"`))
	f.Fuzz(func(t *testing.T, b []byte) {
		pastLabel(b)
		d := Sum(b)
		line := fmt.Appendf(bytes.Clone(b), "%s%x%s", sumOpen, d[:8], sumClose)
		label, ok := pastLabel(line)
		if ok && label == "" {
			t.Fatal("a line without a label")
		}
		var p Past
		if !ok || json.Unmarshal(line, &p) != nil || p.Label != label {
			return
		}
		again, ok := pastLabel(bytes.TrimSpace(must(encodePast(p))))
		if !ok || again != label {
			t.Fatalf("%q became %q", label, again)
		}
	})
}
