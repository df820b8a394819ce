//go:build unix

package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestSandboxHoldsExactlyTheInputs(t *testing.T) {
	p := newProject(t)
	p.write("kernels/secret.h", "not declared")
	a := script("a", ": > out; find . -type f | sort > out", p.write("kernels/a.hip", "a"), p.write("kernels/common/w.h", "w"))
	r := p.must(a)
	want := "./kernels/a.hip\n./kernels/common/w.h\n./out\n"
	if got := p.out(r[0]); got != want {
		t.Errorf("the action saw\n%swant\n%s", got, want)
	}
	p.noSandboxes()
}

// A sandbox is used for several actions. Whatever one of them did to it, the next finds its inputs and nothing else.
func TestUsedSandboxIsClean(t *testing.T) {
	p := newProject(t)
	p.o.Jobs = 1
	a, b := p.write("in/a", "a"), p.write("in/deep/b", "b")
	c := p.write("c", "c")
	const see = `; list=$(find . -mindepth 1 | sort); for f in $list; do if [ -f $f ]; then echo $f $(cat $f); else echo $f/; fi; done > out`
	first := script("first", ":"+see, a, b)
	results := p.must(first)
	want := p.out(results[0])
	if want != "./.tmp/\n./in/\n./in/a a\n./in/deep/\n./in/deep/b b\n" {
		t.Fatalf("in a new sandbox:\n%s", want)
	}
	for i, dirty := range []string{
		"", "echo bad > in/a", "rm in/a", "rm in/a; mkdir in/a", "rm in/a; ln -s /etc/passwd in/a", "rm -r in; ln -s /etc in",
		"echo more >> in/a", "chmod 000 in/a in/deep/b", "mkdir -p in/other .tmp/x/y; echo z > .tmp/x/y/z; echo z > in/deep/z",
		"rm -rf .tmp", "rm -rf .tmp in", "ln in/a in/hard; echo bad > in/hard", "mkfifo in/pipe", "echo said; echo much >&2",
	} {
		// The last one in a chain, each with its own key, runs after the one that makes a mess.
		mess := script("mess", fmt.Sprint("# ", i, "\n", dirty, "\n: > out"), a, b)
		other := needs(script("other", fmt.Sprint(": ", i)+see, a, b), 0)
		other.Action.Inputs = append(other.Action.Inputs, c)
		results := p.must(mess, other)
		got := p.out(results[1])
		if expected := strings.Replace(want, "./in/\n", "./c c\n./in/\n", 1); strings.Replace(got, "./in0\n", "", 1) != expected {
			t.Errorf("after %q:\n%swant\n%s", dirty, got, expected)
		}
		if len(results[1].Record.Stderr)+len(results[1].Record.Stdout) > 0 {
			t.Errorf("after %q the next one said %q", dirty, results[1].Record.Stderr)
		}
		p.noSandboxes()
	}
}

// An action that puts a link in the place of its own folder has nothing removed that the link leads to.
func TestSandboxThatIsALink(t *testing.T) {
	p := newProject(t)
	p.o.Jobs = 1
	precious := filepath.Join(t.TempDir(), "precious")
	if err := os.Mkdir(precious, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(precious, "out"), []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	mess := script("mess", `box=$PWD; cd /; rm -rf "$box"; ln -s `+precious+` "$box"`)
	r := p.must(mess, needs(script("other", ": > out"), 0))
	if got := p.out(r[0]); got != "mine" {
		t.Errorf("the output is %q", got)
	}
	if got, err := os.ReadFile(filepath.Join(precious, "out")); err != nil || string(got) != "mine" {
		t.Errorf("%q, %v", got, err)
	}
	p.noSandboxes()
}

func TestLargeInput(t *testing.T) {
	p := newProject(t)
	large := p.write("large", strings.Repeat("0123456789abcdef", 20000))
	edge := p.write("edge", strings.Repeat("x", copySize))
	nodes := []*Node{script("a", "cat large edge > out", large, edge), needs(script("b", "cat edge large > out", edge, large), 0)}
	p.o.Jobs = 1
	r := p.must(nodes...)
	if got := p.out(r[1]); len(got) != 320000+copySize || got[:2] != "xx" || got[copySize:copySize+3] != "012" {
		t.Errorf("%d bytes", len(got))
	}
	p.write("large", strings.Repeat("0123456789abcdeF", 20000))
	r, _ = p.run(context.Background(), script("c", ": > out", large))
	var changed *InputChanged
	if !errors.As(r[0].Err, &changed) {
		t.Errorf("%v", r[0].Err)
	}
}

func TestEnvironmentIsExact(t *testing.T) {
	p := newProject(t)
	t.Setenv("CPATH", "/evil")
	t.Setenv("LC_ALL", "tr_TR.UTF-8")
	a := script("a", `/usr/bin/env | sed "s,$(pwd -P),BOX," | grep -v '^_=\|^PWD=\|^SHLVL=\|^OLDPWD=' | sort > out`)
	a.Action.Env = []EnvVar{{"SOURCE_DATE_EPOCH", "7"}, {"BOTH", "action"}}
	p.o.Tools["sh"] = Tool{Path: "/bin/sh", Env: []string{"LD_LIBRARY_PATH=/opt/x", "BOTH=tool"}}
	want := "BOTH=action\nLC_ALL=C\nLD_LIBRARY_PATH=/opt/x\nPATH=/usr/bin:/bin\nSOURCE_DATE_EPOCH=7\nTMPDIR=BOX/.tmp\n"
	if got := p.out(p.must(a)[0]); got != want {
		t.Errorf("environment\n%swant\n%s", got, want)
	}
}

// The time is none: a source that asks for it gets the same answer always.
func TestTimeIsNone(t *testing.T) {
	p := newProject(t)
	t.Setenv("SOURCE_DATE_EPOCH", "1234567")
	if got := p.out(p.must(script("a", "echo $SOURCE_DATE_EPOCH > out"))[0]); got != "0\n" {
		t.Errorf("SOURCE_DATE_EPOCH is %q", got)
	}
}

func TestNothingSurvivesASuccess(t *testing.T) {
	p := newProject(t)
	pipe, up := fifo(t)
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.must(script("a", "exec 3> "+pipe+"; sleep 1000 & echo up >&3; : > out"))
	}()
	end := up()
	<-done
	end()
}

// fifo makes a named pipe. up waits for a line in it; end waits until nobody holds it any more.
func fifo(t *testing.T) (path string, up func() (end func())) {
	path = filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return path, func() func() {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		line := make([]byte, 3)
		if _, err := f.Read(line); err != nil || string(line) != "up\n" {
			t.Fatalf("read %q, %v", line, err)
		}
		return func() {
			if n, err := f.Read(line); n != 0 || err == nil {
				t.Errorf("read %q", line[:n])
			}
		}
	}
}

func TestSandboxCannotBeMade(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("the superuser may write anywhere")
	}
	p := newProject(t)
	if err := os.Chmod(p.cache.SandboxRoot(), 0o500); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(p.cache.SandboxRoot(), 0o700)
	r, _ := p.run(context.Background(), script("a", ": > out"))
	var machine *MachineError
	if !errors.As(r[0].Err, &machine) {
		t.Errorf("%v", r[0].Err)
	}
}
