//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"kmx/internal/durable"
)

// This program is also the compiler with faults: installed under the name of
// one, it gives what the real one gave for the same call and the same files,
// which it asks once, but for the calls that its fault is about. Compilers are
// started without any environment, so the fault lies in a file beside the
// program; that file is no part of a toolchain's closure.
const (
	compilerName = "clang-faulty"
	faultFile    = "fault.json"
	markFile     = "done" // made when the fault has happened
)

// A fault is what the compiler does wrong.
type fault struct {
	Real string   // the real compiler
	Env  []string // what it needs

	What   string        // "": nothing
	Kernel string        // the source, without its suffix, that it is about; "": all
	Delay  time.Duration // before each compilation
}

// The things that a compiler can do wrong.
const (
	hangs      = "hangs"       // and does not end when asked to
	nothing    = "nothing"     // success without an object
	noList     = "no list"     // success without a depfile
	otherGPU   = "other GPU"   // an object for another GPU
	garbage    = "garbage"     // an object of random bytes
	half       = "half"        // half of an object
	loud       = "loud"        // 100 MB of messages, then success
	loudError  = "loud error"  // 100 MB of messages, then failure
	crashes    = "crashes"     // SIGSEGV
	killed     = "killed"      // SIGKILL from outside, each time
	killedOnce = "killed once" // the first time only
	daemon     = "daemon"      // leaves a process behind that holds its output
	floods     = "floods"      // writes until the disk is full
	wanders    = "wanders"     // reads a file that nobody declared
)

func (l *lab) prefix() string { return filepath.Join(l.Work, "faulty") }

// installCompiler makes the prefix with the faulty compiler.
func (l *lab) installCompiler() error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	bin := filepath.Join(l.prefix(), "bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		return err
	}
	if err := durable.Place(exe, filepath.Join(bin, compilerName), 0o755); err != nil {
		return err
	}
	if err := os.Symlink(compilerName, filepath.Join(bin, "clang++")); err != nil {
		return err
	}
	if err := os.Symlink(filepath.Join(filepath.Dir(l.Real), "lld"), filepath.Join(bin, "lld")); err != nil {
		return err
	}
	return l.setFault(fault{})
}

// setFault says what the compiler does wrong from now on.
func (l *lab) setFault(f fault) error {
	f.Real, f.Env = l.Real, l.Libs
	data, err := json.Marshal(f)
	if err != nil {
		return err
	}
	bin := filepath.Join(l.prefix(), "bin")
	os.Remove(filepath.Join(bin, markFile))
	return durable.WriteFile(filepath.Join(bin, faultFile), data, 0o644)
}

func isCompiler() bool {
	exe, err := os.Executable()
	return err == nil && filepath.Base(exe) == compilerName
}

// A call is what is needed of a compiler's command line.
type call struct {
	args                    []string
	source, object, depfile string
}

func parseCall(args []string) call {
	c := call{args: args}
	for i, a := range args {
		switch {
		case strings.HasSuffix(a, ".hip") && !strings.HasPrefix(a, "-"):
			c.source = a
		case a == "-o" && i+1 < len(args):
			c.object = args[i+1]
		case a == "-MF" && i+1 < len(args):
			c.depfile = args[i+1]
		}
	}
	return c
}

// compile is the faulty compiler; it returns its exit code.
func compile(args []string) int {
	exe, err := os.Executable()
	var f fault
	if err == nil {
		var data []byte
		if data, err = os.ReadFile(filepath.Join(filepath.Dir(exe), faultFile)); err == nil {
			err = json.Unmarshal(data, &f)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	c := parseCall(args)
	about := c.object != "" && c.source != "" && !slices.Contains(args, "-###") &&
		(f.Kernel == "" || f.Kernel == strings.TrimSuffix(filepath.Base(c.source), ".hip"))
	if about && f.Delay > 0 {
		time.Sleep(f.Delay)
	}
	if about && f.What != "" {
		return f.commit(c, filepath.Dir(exe))
	}
	if code, ok := f.replay(c, filepath.Join(filepath.Dir(filepath.Dir(exe)), "replay")); ok {
		return code
	}
	err = syscall.Exec(f.Real, append([]string{f.Real}, args...), append(os.Environ(), f.Env...))
	fmt.Fprintln(os.Stderr, err)
	return 1
}

// real runs the real compiler and returns its exit code.
func (f fault) real(args []string) int {
	cmd := exec.Command(f.Real, args...)
	cmd.Env = append(os.Environ(), f.Env...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return max(1, cmd.ProcessState.ExitCode())
	}
	return 0
}

// commit does what is wrong.
func (f fault) commit(c call, bin string) int {
	switch f.What {
	case hangs:
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
		os.WriteFile(filepath.Join(bin, markFile), nil, 0o644)
		time.Sleep(time.Hour)
	case nothing:
		code := f.real(c.args)
		os.Remove(c.object)
		return code
	case noList:
		code := f.real(c.args)
		lists, _ := filepath.Glob("*.d")
		more, _ := filepath.Glob("*/*.d")
		for _, name := range append(lists, more...) {
			os.Remove(name)
		}
		return code
	case otherGPU:
		for i, a := range c.args {
			if arch, ok := strings.CutPrefix(a, "--offload-arch="); ok {
				c.args[i] = "--offload-arch=" + map[string]string{"gfx1101": "gfx1201", "gfx1201": "gfx1101"}[arch]
			}
		}
		return f.real(c.args)
	case garbage:
		code := f.real(c.args)
		b := make([]byte, 4096)
		for i := range b {
			b[i] = byte(i * i >> 3)
		}
		os.WriteFile(c.object, b, 0o644)
		return code
	case half:
		code := f.real(c.args)
		if info, err := os.Stat(c.object); err == nil {
			os.Truncate(c.object, info.Size()/2)
		}
		return code
	case loud, loudError:
		line := bytes.Repeat([]byte("warning: this compiler has a lot to say about very little\n"), 1000)
		for n := 0; n < 100<<20; n += len(line) {
			os.Stderr.Write(line)
		}
		if f.What == loudError {
			fmt.Fprintf(os.Stderr, "%s:2:1: error: and this is the reason\n", c.source)
			return 1
		}
		return f.real(c.args)
	case crashes:
		syscall.Exec("/bin/sh", []string{"sh", "-c", "kill -SEGV $$"}, os.Environ())
	case killed, killedOnce:
		if f.What == killedOnce {
			mark, err := os.OpenFile(filepath.Join(bin, markFile), os.O_CREATE|os.O_EXCL, 0o644)
			if err != nil {
				return f.real(c.args)
			}
			mark.Close()
		}
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
		time.Sleep(time.Minute)
	case daemon:
		cmd := exec.Command("/bin/sh", "-c", "sleep 1000 & sleep 1000")
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		cmd.Start()
		return f.real(c.args)
	case floods:
		out, err := os.Create(c.object)
		for b := make([]byte, 1<<20); err == nil; {
			_, err = out.Write(b)
		}
		fmt.Fprintf(os.Stderr, "error: unable to write '%s': %v\n", c.object, err)
		return 1
	case wanders:
		stray := filepath.Join(filepath.Dir(bin), "stray.h")
		if os.WriteFile(stray, []byte("#define STRAY 1\n"), 0o644) != nil {
			return 1
		}
		c.args = append([]string{"-include", stray}, c.args...)
		return f.real(c.args)
	}
	return 1
}
