//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"
)

// A row is one fault.
type row struct {
	name string
	// mounts: it mounts file systems, and so runs in a process with a mount
	// namespace of its own.
	mounts bool
	tasks  bool // it disturbs the tasks, which are measured before
	run    func(l *lab, o *outcome)
}

// An outcome is what came of a row.
type outcome struct {
	Lines    []string // what the user sees, each once
	Codes    []string // exit codes, each once, with how often
	Note     string   // what else there is to say
	Problems []string // what is not as promised
	Missing  string   // why the row cannot run here
	Took     time.Duration
}

// see adds a command that was disturbed: says is a line that it must have, codes
// what it may end with.
func (o *outcome) see(s *site, e ending, says string, codes ...int) {
	o.count(e.exit())
	if !slices.Contains(codes, e.code) || e.hung {
		o.problem("it ends with %s: %s", e.exit(), tail(e.text))
	}
	if says == "" {
		return
	}
	line := e.line(s, says)
	if line == "" {
		o.problem("no line says %q: %s", says, tail(e.text))
		return
	}
	o.line(line)
}

func (o *outcome) line(line string) {
	if !slices.Contains(o.Lines, line) {
		o.Lines = append(o.Lines, line)
	}
}

// count adds an exit code: "137 (Killed) x 3".
func (o *outcome) count(code string) {
	for i, c := range o.Codes {
		if is, n, _ := strings.Cut(c, " x "); is == code {
			times := 1
			fmt.Sscan(n, &times)
			o.Codes[i] = fmt.Sprintf("%s x %d", code, times+1)
			return
		}
	}
	o.Codes = append(o.Codes, code)
}

func (o *outcome) problem(format string, args ...any) {
	o.Problems = append(o.Problems, fmt.Sprintf(format, args...))
}

// check adds an error of the runner itself.
func (o *outcome) check(err error) bool {
	if err != nil {
		o.problem("the row itself fails: %v", err)
	}
	return err == nil
}

// after adds what is wrong with a site when a plain command has followed.
func (o *outcome) after(s *site, dev bool) {
	for _, p := range s.whole(dev) {
		o.problem("%s", p)
	}
}

func (o *outcome) result() string {
	switch {
	case o.Missing != "":
		return "NOT RUN: " + o.Missing
	case len(o.Problems) > 0:
		return "WRONG: " + strings.Join(o.Problems, "; ")
	case o.Note != "":
		return "right; " + o.Note
	}
	return "right"
}

// insideWord begins the command line of a row in a process of its own.
const insideWord = "-inside"

// perform runs a row, where it belongs.
func (l *lab) perform(r row) *outcome {
	begun := time.Now()
	o := &outcome{}
	if r.mounts {
		o = l.elsewhere(r)
	} else {
		r.run(l, o)
	}
	o.Took = time.Since(begun)
	return o
}

// elsewhere runs a row in a process with mounts of its own: they end with it,
// whatever happens. An ordinary user becomes root of a user namespace for that.
func (l *lab) elsewhere(r row) *outcome {
	o := &outcome{}
	exe, err := os.Executable()
	if !o.check(err) {
		return o
	}
	cmd := exec.Command(exe, insideWord, r.name, l.file())
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	if os.Geteuid() != 0 {
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Start(); err != nil {
		o.Missing = fmt.Sprintf("no mount namespace: %v", err)
		return o
	}
	ours.add(cmd.Process.Pid)
	err = cmd.Wait()
	ours.remove(cmd.Process.Pid)
	if err == nil {
		err = json.Unmarshal(out.Bytes(), o)
	}
	if err != nil {
		o.problem("the row itself fails: %v: %s", err, tail(said.String()))
	}
	return o
}

// inside runs one row in this process and prints its outcome.
func inside(name, file string) int {
	l, err := loadLab(file)
	if err == nil {
		err = becomeReaper()
	}
	if err == nil {
		err = privateMounts()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	for _, r := range rows() {
		if r.name == name {
			o := &outcome{}
			r.run(l, o)
			if json.NewEncoder(os.Stdout).Encode(o) != nil {
				return 1
			}
			return 0
		}
	}
	fmt.Fprintln(os.Stderr, "there is no row", name)
	return 1
}

// A table prints rows as they end.
type table struct {
	lab   *lab
	begun time.Time
	done  []struct {
		row
		*outcome
	}
}

func (t *table) add(r row, o *outcome) {
	t.done = append(t.done, struct {
		row
		*outcome
	}{r, o})
	fmt.Printf("%s  [%.1fs]\n  exit    %s\n", r.name, o.Took.Seconds(), strings.Join(o.Codes, ", "))
	for _, line := range o.Lines {
		fmt.Printf("  sees    %s\n", line)
	}
	fmt.Printf("  result  %s\n", o.result())
}

// summary prints the end and tells whether all rows are right.
func (t *table) summary(allowMissing bool) bool {
	wrong, missing := 0, 0
	for _, d := range t.done {
		switch {
		case d.Missing != "":
			missing++
		case len(d.Problems) > 0:
			wrong++
		}
	}
	fmt.Printf("\n%d faults in %s: %d right, %d wrong, %d not run; seed %d\n",
		len(t.done), time.Since(t.begun).Round(time.Second), len(t.done)-wrong-missing, wrong, missing, t.lab.Seed)
	return wrong == 0 && (missing == 0 || allowMissing)
}

// markdown is the table for docs/design/faults.md.
func (t *table) markdown() []byte {
	var b bytes.Buffer
	who := "an ordinary user"
	if os.Geteuid() == 0 {
		who = "root"
	}
	fmt.Fprintf(&b, "%s, as %s, %d processors, %s/%s, %s, seed %d, %d moments each, %s.\n\n", time.Now().UTC().Format("2006-01-02"), who,
		runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, t.lab.Banner, t.lab.Seed, t.lab.Moments, time.Since(t.begun).Round(time.Second))
	fmt.Fprintln(&b, "| fault | what the user sees | exit code | after a plain command |")
	fmt.Fprintln(&b, "|---|---|---|---|")
	cell := strings.NewReplacer("|", "\\|", "\n", " ", "<", "&lt;")
	for _, d := range t.done {
		var lines []string
		for _, line := range d.Lines {
			lines = append(lines, "`"+strings.ReplaceAll(line, "`", "'")+"`")
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", cell.Replace(d.name), cell.Replace(strings.Join(lines, "; ")),
			strings.Join(d.Codes, ", "), cell.Replace(d.result()))
	}
	return b.Bytes()
}
