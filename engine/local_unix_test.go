//go:build unix

package engine

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"kmx/cache"
)

// A toolchain that is updated while it runs makes nothing that is kept: its key names the old one.
func TestToolThatChangedMakesNothing(t *testing.T) {
	p := newProject(t)
	owned := filepath.Join(t.TempDir(), "stdint.h")
	var asked []string
	updated := ""
	p.o.Tools["sh"] = Tool{Path: "/bin/sh", Owns: func(path string) bool { return path == owned },
		Changed: func(read []string) string { asked = read; return updated }}
	a := script("a", `: > out; echo 'out: `+filepath.Dir(owned)+`/./stdint.h' > out.d`)
	a.Action.Depfile = "out.d"
	updated = "/usr/lib/libLLVM.so"
	r, err := p.run(context.Background(), a)
	var changed *ToolChanged
	if !errors.As(err, &changed) || changed.Path != updated || !strings.Contains(err.Error(), "a: /usr/lib/libLLVM.so, a part of sh, changed while the build ran; run the command again") {
		t.Errorf("%v", err)
	}
	if r[0].Record != nil || !slices.Equal(asked, []string{owned}) {
		t.Errorf("%+v, asked for %v", r[0].Record, asked)
	}
	if _, err := p.cache.Lookup(a.Action.Key()); err == nil {
		t.Error("a record was stored")
	}
	updated = ""
	p.wantStates(p.must(a), "a:done")
}

func TestNeedsAndEarlyCutoff(t *testing.T) {
	p := newProject(t)
	nodes := func(first string) []*Node {
		a := script("a", "cat in/a | tr -d ' ' > out", p.write("in/a", first))
		b := script("b", "cat made/a > out; echo b >> out")
		b.Needs = []Need{{Node: 0, Output: "out", Path: "made/a"}}
		return []*Node{a, b}
	}
	r := p.must(nodes("x y")...)
	p.wantStates(r, "a:done b:done")
	if got := p.out(r[1]); got != "xyb\n" {
		t.Errorf("b made %q", got)
	}
	if i := slices.IndexFunc(p.events, func(e Event) bool { return e.Label == "b" && e.State == Ready }); i < 0 || !slices.Equal(p.events[i].Needs, []int{0}) {
		t.Errorf("the events do not tell that b needed a: %+v", p.events)
	}
	if i := slices.IndexFunc(r[1].Record.Fields, func(f cache.Field) bool { return f.Tag == "input" && f.Name == "made/a" }); i < 0 {
		t.Errorf("the record of b lacks the input that a made: %v", r[1].Record.Fields)
	}
	p.wantStates(p.must(nodes("x y")...), "a:done(cached) b:done(cached)")
	// Another input of a, the same output: b is not built.
	p.wantStates(p.must(nodes("x  y")...), "a:done b:done(cached)")
	p.wantStates(p.must(nodes("z")...), "a:done b:done")
}

func TestDamagedNeedIsRepaired(t *testing.T) {
	p := newProject(t)
	a := script("a", "printf good > out")
	b := needs(script("b", "cat in0 > out"), 0)
	r := p.must(a, b)
	name := r[0].Record.Outputs[0].Digest.String()
	blob := filepath.Join(p.cache.Dir(), "cas", name[:2], name)
	if err := os.WriteFile(blob, []byte("evil"), 0o666); err != nil {
		t.Fatal(err)
	}
	b.Action.Args[1] = "cat in0 in0 > out"
	r = p.must(a, b)
	p.wantStates(r, "a:done b:done")
	if got := p.out(r[1]); got != "goodgood" {
		t.Errorf("b made %q", got)
	}
}

func TestMessagesAreReplayed(t *testing.T) {
	p := newProject(t)
	a := script("a", `echo "$PWD/a.hip:1: warning: careful" >&2; echo "in $(pwd -P)"; : > out`)
	var first Event
	for i, cached := range []bool{false, true} {
		p.must(a)
		e := p.events[len(p.events)-2]
		if e.State != Done || e.Cached != cached || e.Output != "a.hip:1: warning: careful\n" || e.Stdout != "in .\n" {
			t.Errorf("run %d: %+v", i, e)
		}
		if e.Wall <= 0 || e.PeakRSS <= 0 || cached && (e.Wall != first.Wall || e.User != first.User || e.PeakRSS != first.PeakRSS) {
			t.Errorf("run %d: cost %v %v %v %d, first %v", i, e.Wall, e.User, e.System, e.PeakRSS, first.Wall)
		}
		first = e
	}
}

func TestLongMessagesAreCut(t *testing.T) {
	p := newProject(t)
	a := script("a", `echo first >&2; yes 0123456789abcdef | head -c 600000 >&2; echo last >&2; : > out`)
	got := string(p.must(a)[0].Record.Stderr)
	if len(got) > cache.OutputLimit || !strings.HasPrefix(got, "first\n") || !strings.HasSuffix(got, "last\n") || !strings.Contains(got, "cut here") {
		t.Errorf("%d bytes, %.20q ... %q", len(got), got, got[len(got)-20:])
	}
}

func TestFailures(t *testing.T) {
	const depfile = "out.d"
	for _, c := range []struct {
		name, text string
		depfile    bool
		edit       func(p *project, n *Node)
		is         func(error) bool
		want       string
	}{
		{name: "exit code", text: "echo wrong >&2; : > out; exit 3", want: "a: /bin/sh failed with exit code 3",
			is: as(func(e *ActionError) bool { return e.ExitCode == 3 && e.Stderr == "wrong\n" && e.Argv[1] == "-c" })},
		{name: "signal", text: "kill -SEGV $$", want: "a: /bin/sh was ended by SIGSEGV",
			is: as(func(e *ActionError) bool { return e.Signal == "SIGSEGV" && e.ExitCode == -1 && !e.OutOfMemory })},
		{name: "killed from outside", text: "kill -KILL $$", want: "ran out of memory",
			is: as(func(e *ActionError) bool { return e.Signal == "SIGKILL" && e.OutOfMemory })},
		{name: "the front end was killed", text: "echo 'clang: error: unable to execute command: Killed' >&2; exit 1",
			want: "ran out of memory", is: as(func(e *ActionError) bool { return e.ExitCode == 1 && e.OutOfMemory })},
		{name: "no output", text: "echo hm >&2", want: "sh reported success, but its output out does not exist",
			is: as(func(e *MissingOutput) bool { return e.Path == "out" && e.Stderr == "hm\n" })},
		{name: "output is a folder", text: "mkdir out", want: "output out is not a regular file",
			is: as(func(e *MissingOutput) bool { return true })},
		{name: "output is a link", text: "ln -s /etc/passwd out", want: "output out is not a regular file",
			is: as(func(e *MissingOutput) bool { return true })},
		{name: "no depfile", text: ": > out", depfile: true, want: "did not list what it read in out.d",
			is: as(func(e *DepfileError) bool { return e.Missing })},
		{name: "bad depfile", text: ": > out; echo nonsense > out.d", depfile: true, want: "line 1 has names but no colon",
			is: as(func(e *DepfileError) bool { return !e.Missing })},
		{name: "output has no end", text: "truncate -s 64G out", want: "output out has 68719476736 bytes, more than an output may have",
			is: as(func(e *MissingOutput) bool { return true })},
		{name: "depfile is a pipe", text: ": > out; mkfifo out.d", depfile: true, want: "out.d, cannot be understood: it is not a regular file",
			is: as(func(e *DepfileError) bool { return !e.Missing })},
		{name: "depfile leads elsewhere", text: ": > out; ln -s /dev/zero out.d", depfile: true, want: "it is not a regular file",
			is: as(func(e *DepfileError) bool { return !e.Missing })},
		{name: "depfile has no end", text: ": > out; truncate -s 64G out.d", depfile: true, want: "it has 68719476736 bytes",
			is: as(func(e *DepfileError) bool { return !e.Missing })},
		{name: "undeclared input", text: ": > out; echo 'out: in/a ./in/../other.h /etc/passwd' > out.d", depfile: true,
			want: "neither declared inputs nor part of the toolchain: other.h, /etc/passwd",
			is:   as(func(e *UndeclaredInput) bool { return slices.Equal(e.Paths, []string{"other.h", "/etc/passwd"}) })},
		{name: "time limit", text: "sleep 1000; : > out", edit: func(p *project, n *Node) { p.o.Timeout = 20 * time.Millisecond },
			want: "still running after 20ms and was killed", is: as(func(e *TimedOut) bool { return true })},
		{name: "input changed", text: ": > out", edit: func(p *project, n *Node) { p.write("in/a", "edited") },
			want: "in/a changed while the build ran", is: as(func(e *InputChanged) bool { return e.Path == "in/a" && !e.Gone })},
		{name: "input gone", text: ": > out", edit: func(p *project, n *Node) { os.Remove(filepath.Join(p.root, "in/a")) },
			want: "in/a disappeared while the build ran", is: as(func(e *InputChanged) bool { return e.Gone })},
		{name: "its folder is a file now", text: ": > out",
			edit: func(p *project, n *Node) { os.RemoveAll(filepath.Join(p.root, "in")); p.write("in", "") },
			want: "in/a disappeared while the build ran", is: as(func(e *InputChanged) bool { return e.Gone })},
		{name: "no such tool", text: "", edit: func(p *project, n *Node) { p.o.Tools["sh"] = Tool{Path: "/nonexistent/sh"} },
			want: "a: cannot start sh (/nonexistent/sh)", is: as(func(e *StartError) bool { return errors.Is(e, os.ErrNotExist) })},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newProject(t)
			a := script("a", c.text, p.write("in/a", "a"))
			if c.depfile {
				a.Action.Depfile = depfile
			}
			if c.edit != nil {
				c.edit(p, a)
			}
			for range 2 { // failures are not remembered
				r, err := p.run(context.Background(), a)
				if r[0].State != Failed || r[0].Record != nil || r[0].Cached || err == nil || !c.is(r[0].Err) || !strings.Contains(r[0].Err.Error(), c.want) {
					t.Errorf("%s: %v\nwant %s", states(r), r[0].Err, c.want)
				}
				if e := p.events[len(p.events)-2]; e.State != Failed || e.Error != r[0].Err.Error() || e.Err != r[0].Err {
					t.Errorf("event %+v", e)
				}
			}
			if s, err := p.cache.Lookup(a.Action.Key()); err == nil {
				t.Errorf("a failure was stored: %+v", s)
			}
			p.noSandboxes()
		})
	}
}

func as[E error](ok func(E) bool) func(error) bool {
	return func(err error) bool {
		var e E
		return errors.As(err, &e) && ok(e)
	}
}

func TestDepfileOfDeclaredInputsIsAccepted(t *testing.T) {
	p := newProject(t)
	owned := filepath.Join(t.TempDir(), "include", "stdint.h")
	p.o.Tools["sh"] = Tool{Path: "/bin/sh", Owns: func(path string) bool { return path == owned }}
	a := script("a", `: > out; printf 'out: in/a \\\n ./in/b\\ c.h in/../in/a %s/in/a `+filepath.Dir(owned)+`/../include/stdint.h\n' "$PWD" > d/out.d`,
		p.write("in/a", "a"), p.write("in/b c.h", "b"))
	a.Action.Depfile = "d/out.d"
	r := p.must(a)
	if len(r[0].Record.Outputs) != 1 {
		t.Errorf("the depfile was kept: %v", r[0].Record.Outputs)
	}
}

// Both ends of the test hold a pipe with everything that the action starts: its end tells that all of them are gone.
func TestCancelKillsGrandchildren(t *testing.T) {
	for _, c := range []struct{ name, text string }{
		{"obedient", `sh -c 'sh -c "echo up >&3; sleep 1000"; :' & wait`},
		{"deaf", `trap '' TERM; sh -c 'trap "" TERM; echo up >&3; while :; do sleep 1000; done' & wait; wait; sleep 1000`},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newProject(t)
			pipe, up := fifo(t)
			here, err := newLocal(p.o)
			if err != nil {
				t.Fatal(err)
			}
			defer here.close()
			here.grace = 50 * time.Millisecond
			p.o.Executor = here
			ctx, cancel := context.WithCancel(context.Background())
			done := make(chan struct{})
			go func() {
				defer close(done)
				r, err := p.run(ctx, script("a", "exec 3> "+pipe+"; "+c.text))
				if states(r) != "a:cancelled" || !errors.Is(err, context.Canceled) {
					t.Errorf("%s, %v", states(r), err)
				}
			}()
			end := up()
			cancel()
			<-done
			end()
			p.noSandboxes()
		})
	}
}

func TestOutputOfAnotherActionIsNotTaken(t *testing.T) {
	p := newProject(t)
	p.o.Jobs = 1
	r, _ := p.run(context.Background(), script("a", ": > out"), needs(script("b", ":"), 0))
	var missing *MissingOutput
	if p.wantStates(r, "a:done b:failed"); !errors.As(r[1].Err, &missing) {
		t.Errorf("%v", r[1].Err)
	}
}
