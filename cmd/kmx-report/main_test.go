package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kmx/internal/diag"
)

const log = `{"format":"kmx.events/1","time":"2026-11-30T10:00:00Z","kind":"build-started","node":-1,"counts":{"total":1},"jobs":2}
{"time":"2026-11-30T10:00:00.1Z","kind":"node-state","node":0,"label":"k/a@gfx1201","state":"ready","message":"absent","counts":{"total":1}}
{"time":"2026-11-30T10:00:00.2Z","kind":"node-state","node":0,"label":"k/a@gfx1201","state":"running","counts":{"total":1,"running":1}}
{"time":"2026-11-30T10:00:01Z","kind":"node-state","node":0,"label":"k/a@gfx1201","state":"failed","wall":800000000,"error":"no","counts":{"total":1,"failed":1}}
{"time":"2026-11-30T10:00:01Z","kind":"build-finished","node":-1,"wall":1000000000,"error":"1 of 1 cells failed","counts":{"total":1,"failed":1}}
`

// checkout is a state folder with one log and one that is none.
func checkout(t *testing.T) string {
	t.Helper()
	state := t.TempDir()
	if err := os.Mkdir(filepath.Join(state, "log"), 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"20261130T100000.000.jsonl": log, "20261129T100000.000.jsonl": "no log\n"} {
		if err := os.WriteFile(filepath.Join(state, "log", name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return state
}

func TestRun(t *testing.T) {
	state := checkout(t)
	page, trace := filepath.Join(t.TempDir(), "new", "page.html"), filepath.Join(t.TempDir(), "trace.json")
	for _, c := range []struct{ args, want string }{
		{"what-ran", "k/a@gfx1201  failed"},
		{"what-failed", "k/a@gfx1201: no"},
		{"slowest -n=3 -json", `"question": "slowest"`},
		{"critical-path -log=20261130T100000.000", "nothing before it"},
		{"diff last last", "0 cells have another action"},
		{"page -o=" + page + " -cache=" + t.TempDir(), page},
		{"trace -o=" + trace, trace},
	} {
		var out, said strings.Builder
		if err := run(&out, &said, append(strings.Fields(c.args), "-state="+state)); err != nil || !strings.Contains(out.String(), c.want) || said.Len() > 0 {
			t.Errorf("%s: %v\n%s%s", c.args, err, out.String(), said.String())
		}
	}
	text, err := os.ReadFile(page)
	if err != nil || !strings.Contains(string(text), "an earlier log is left out") {
		t.Errorf("the page does not tell of the log that cannot be read: %v", err)
	}
}

func TestRefusals(t *testing.T) {
	state := checkout(t)
	for _, c := range []struct {
		args, want string
		class      diag.Class
	}{
		{"", "takes one of critical-path, diff, page", diag.Usage},
		{"what-run", "did you mean what-ran?", diag.Usage},
		{"diff last", "diff takes 2 words", diag.Usage},
		{"what-ran -no", "flag provided but not defined", diag.Usage},
		{"what-ran STATE more", `"more" is one word too many`, diag.Usage},
		{"slowest -n=0 STATE", "-n=0 is no number of cells", diag.Usage},
		{"page STATE", "page needs the name of the file", diag.Usage},
		{"what-ran -log=last~1 STATE", "not an event", diag.Usage},
		{"what-ran -log=last~2 STATE", "only 2 logs", diag.Usage},
		{"page STATE -o=x -leftout=" + filepath.Join(state, "none"), "what is left out", diag.IO},
		{"page STATE -o=x -against=" + filepath.Join(state, "none"), "none", diag.Usage},
	} {
		args := strings.Fields(strings.ReplaceAll(c.args, "STATE", "-state="+state))
		var out, said strings.Builder
		err := run(&out, &said, args)
		var f *diag.Failure
		if !errors.As(err, &f) || f.Class != c.class {
			t.Errorf("%s: %v", c.args, err)
			continue
		}
		if text := f.Error() + " " + f.Messages[0].Hint; !strings.Contains(text, c.want) {
			t.Errorf("%s: %s", c.args, text)
		}
	}
}

// TestHelp sees that help is no error and names every command.
func TestHelp(t *testing.T) {
	for _, args := range []string{"-h", "help", "page --help"} {
		var out, said strings.Builder
		if err := run(&out, &said, strings.Fields(args)); err != nil || said.Len() > 0 {
			t.Errorf("%s: %v %s", args, err, said.String())
		}
		for verb := range verbs {
			if !strings.Contains(out.String(), verb) {
				t.Errorf("%s does not name %s:\n%s", args, verb, out.String())
			}
		}
	}
}
