//go:build linux

package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"
)

// How the three tasks are disturbed at random moments: a moment is a random part
// of what the task takes undisturbed.

func killRows() []row {
	return []row{
		{name: "kill -9 of kmx", tasks: true, run: func(l *lab, o *outcome) {
			o.line("(the shell) Killed")
			l.disturb("kill -9 of kmx", o, nil, []int{0, 137}, func(c *command, _ *rand.Rand) {
				syscall.Kill(c.cmd.Process.Pid, syscall.SIGKILL)
			})
		}},
		{name: "kill -9 of a compiler", tasks: true, run: func(l *lab, o *outcome) {
			says := []string{"tried again", "killed from outside", "(?i)no usable compiler"}
			l.disturb("kill -9 of a compiler", o, says, []int{0, 1}, func(c *command, r *rand.Rand) {
				for {
					if list := compilers(c.cmd.Process.Pid); len(list) > 0 {
						syscall.Kill(list[r.IntN(len(list))].pid, syscall.SIGKILL)
						return
					}
					select {
					case <-c.gone:
						return
					case <-time.After(10 * time.Millisecond):
					}
				}
			})
		}},
		{name: "kill -9 of everything", tasks: true, run: func(l *lab, o *outcome) {
			o.line("(the shell) Killed")
			l.disturb("kill -9 of everything", o, nil, []int{0, 137}, func(*command, *rand.Rand) { killAll() })
		}},
	}
}

func signalRows() []row {
	var list []row
	for _, s := range []struct {
		sig  syscall.Signal
		name string
	}{{syscall.SIGINT, "SIGINT (Ctrl-C)"}, {syscall.SIGTERM, "SIGTERM"}, {syscall.SIGHUP, "SIGHUP (the terminal closes)"}} {
		list = append(list, row{name: s.name, tasks: true, run: func(l *lab, o *outcome) {
			// Within the first milliseconds, before kmx listens, the signal ends
			// the process as it ends any.
			l.disturb(s.name, o, []string{"interrupted"}, []int{0, 130, 128 + int(s.sig)}, func(c *command, _ *rand.Rand) {
				syscall.Kill(c.cmd.Process.Pid, s.sig)
			})
		}})
	}
	return append(list, row{name: "SIGINT while a compiler does not end when it is asked to", run: func(l *lab, o *outcome) {
		s, err := l.site("site")
		if !o.check(err) || !o.check(l.setFault(fault{What: hangs, Kernel: "mix"})) {
			return
		}
		c := s.start("release")
		waitFor(c, func() bool { return exists(l.prefix(), "bin", markFile) })
		begun := time.Now()
		syscall.Kill(c.cmd.Process.Pid, syscall.SIGINT)
		e := c.wait()
		o.see(s, e, "interrupted", 130)
		o.Note = fmt.Sprintf("it ends within %s", (time.Since(begun) + time.Second).Truncate(time.Second))
		o.after(s, false)
	}})
}

func exists(elem ...string) bool {
	_, err := os.Lstat(filepath.Join(elem...))
	return err == nil
}

// waitFor waits until something is so, or the command ends.
func waitFor(c *command, so func() bool) {
	for !so() {
		select {
		case <-c.gone:
			return
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// disturb runs every task in turn, does something at a random moment, and checks
// what follows. says are the lines that the user may see; one of them must be there
// when the command did not succeed or die.
func (l *lab) disturb(name string, o *outcome, says []string, codes []int, act func(*command, *rand.Rand)) {
	r := l.random(name)
	lines := map[string]bool{}
	for i := range l.Moments {
		t := l.Tasks[i%len(l.Tasks)]
		s, err := l.prepared("site", t)
		if !o.check(err) {
			return
		}
		at := time.Duration(r.Float64() * 1.05 * float64(t.Span))
		c := s.start(t.Args...)
		select {
		case <-c.gone:
		case <-time.After(at):
			act(c, r)
		}
		e := c.wait()
		where := fmt.Sprintf("%s, after %s", t.Name, at.Round(time.Millisecond))
		before := len(o.Problems)
		o.see(s, e, "", codes...)
		line := ""
		for _, want := range says {
			if line = e.line(s, want); line != "" {
				break
			}
		}
		if line != "" {
			lines[line] = true
		} else if says != nil && e.code != 0 && e.sig == 0 {
			o.problem("no line says %q: %s", says[0], tail(e.text))
		}
		o.after(s, t.Args[0] == "build")
		for j := before; j < len(o.Problems); j++ {
			o.Problems[j] = where + ": " + o.Problems[j]
		}
	}
	for _, line := range slices.Sorted(maps.Keys(lines)) {
		o.line(line)
	}
	o.trim()
}

// trim keeps the table readable: of many lines that differ in the cell only, one.
func (o *outcome) trim() {
	kept := map[string]string{}
	var list []string
	for _, line := range o.Lines {
		shape := addresses.ReplaceAllString(line, "CELL")
		if _, ok := kept[shape]; !ok {
			kept[shape] = line
			list = append(list, line)
		}
	}
	o.Lines = list
}
