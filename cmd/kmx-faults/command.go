//go:build linux

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"
)

// patience is how long any command may take: far more than it needs on a busy
// machine. One that takes longer hangs, which is a finding.
const patience = 3 * time.Minute

// A command is a kmx that was started.
type command struct {
	site  *site
	cmd   *exec.Cmd
	out   *os.File // both streams; a file, which orphans may hold as long as they like
	begun time.Time
	gone  chan struct{}
	err   error // of starting
}

// An ending is how a command ended.
type ending struct {
	code int            // exit code, 128 + signal as a shell tells it
	sig  syscall.Signal // that ended it; 0: none
	text string         // what it said
	took time.Duration
	hung bool
}

// start starts kmx in the checkout.
func (s *site) start(args ...string) *command { return s.launch(s.lab.Kmx, args...) }

// launch starts any program in the checkout.
func (s *site) launch(program string, args ...string) *command {
	c := &command{site: s, gone: make(chan struct{}), begun: time.Now()}
	c.out, c.err = os.CreateTemp(s.lab.Work, "said-")
	if c.err == nil {
		c.cmd = exec.Command(program, args...)
		c.cmd.Dir, c.cmd.Env = s.dir, s.environment()
		c.cmd.Stdout, c.cmd.Stderr = c.out, c.out
		c.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		c.err = c.cmd.Start()
	}
	if c.err != nil {
		close(c.gone)
		return c
	}
	ours.add(c.cmd.Process.Pid)
	go func() {
		c.err = c.cmd.Wait()
		ours.remove(c.cmd.Process.Pid)
		close(c.gone)
	}()
	return c
}

// environment is that of a user without any choice of kmx.
func (s *site) environment() []string {
	var env []string
	for _, e := range os.Environ() {
		name, _, _ := strings.Cut(e, "=")
		switch {
		case strings.HasPrefix(name, "KMX_") && name != "KMX_TOOLCHAINS", strings.HasPrefix(name, "D4R_"), strings.HasPrefix(name, "MAGEFILE_"),
			strings.HasPrefix(name, "GITHUB_"), name == "CI", name == "MAKEFLAGS":
			continue
		}
		env = append(env, e)
	}
	env = append(env, "KMX_CACHE="+s.cache, "KMX_LOG=plain", "D4R_DLSS_DLLS="+s.path(libraryFile))
	if !s.real {
		env = append(env, "D4R_ROCM_DIR="+s.lab.prefix())
	}
	return append(env, s.env...)
}

// wait waits for the end. A command that hangs is killed with everything it
// started.
func (c *command) wait() ending {
	e := ending{}
	select {
	case <-c.gone:
	case <-time.After(patience):
		e.hung = true
		killAll()
		<-c.gone
	}
	e.took = time.Since(c.begun)
	e.code = -1
	if c.cmd != nil && c.cmd.ProcessState != nil {
		status := c.cmd.ProcessState.Sys().(syscall.WaitStatus)
		e.code = status.ExitStatus()
		if status.Signaled() {
			e.sig = status.Signal()
			e.code = 128 + int(e.sig)
		}
	}
	if c.out != nil {
		text, err := os.ReadFile(c.out.Name())
		if err != nil {
			c.err = err
		}
		c.out.Close()
		os.Remove(c.out.Name())
		e.text = string(text)
	}
	if e.code == -1 {
		e.text += fmt.Sprintf("\nit could not be started: %v", c.err)
	}
	if e.hung {
		e.text += fmt.Sprintf("\nit was still running after %s", patience)
	}
	return e
}

func (s *site) do(args ...string) ending { return s.start(args...).wait() }

// exit is how people see the end.
func (e ending) exit() string {
	switch {
	case e.hung:
		return "hangs"
	case e.sig != 0:
		return fmt.Sprintf("%d (%s)", e.code, strings.ToUpper(e.sig.String()[:1])+e.sig.String()[1:])
	}
	return fmt.Sprint(e.code)
}

// line is the line that matches, with the hint that follows it, and with the
// names of the places of this run in words. Of alternatives (a|b) the first one
// counts that any line has. No match: "".
func (e ending) line(s *site, says string) string {
	for one := range strings.SplitSeq(says, "|") {
		if line := e.match(s, one); line != "" {
			return line
		}
	}
	return ""
}

func (e ending) match(s *site, says string) string {
	want := regexp.MustCompile(says)
	lines := strings.Split(e.text, "\n")
	for i, line := range lines {
		if !want.MatchString(line) {
			continue
		}
		line = strings.TrimSpace(line)
		for _, next := range lines[i+1:] {
			if !strings.HasPrefix(next, "  ") {
				break
			}
			if hint, ok := strings.CutPrefix(strings.TrimSpace(next), "hint: "); ok {
				line += " (hint: " + hint + ")"
				break
			}
		}
		return s.plain(line)
	}
	return ""
}

var (
	digests = regexp.MustCompile(`\b([0-9a-f]{6})[0-9a-f]{58}\b`)
	counter = regexp.MustCompile(`^\[ *\d+/\d+\] `)
	pids    = regexp.MustCompile(`pid \d+`)
	clocks  = regexp.MustCompile(`since \d\d:\d\d:\d\d`)
	temps   = regexp.MustCompile(`\.(kmx-tmp|` + releaseName + `\.kmx-tree)-[0-9a-f-]+`)
	boxes   = regexp.MustCompile(`/p\d+-\d+(/action\d+)?`)
)

// plain takes out of a line what differs from run to run.
func (s *site) plain(line string) string {
	for _, place := range [][2]string{{s.cache, "$KMX_CACHE"}, {s.dir, "."}, {filepath.Dir(s.lab.Real), "…"}, {s.lab.Work, "…"}} {
		line = strings.ReplaceAll(line, place[0], place[1])
	}
	line = counter.ReplaceAllString(line, "")
	line = digests.ReplaceAllString(line, "$1…")
	line = temps.ReplaceAllString(line, ".$1-…")
	line = boxes.ReplaceAllString(line, "/p…")
	return clocks.ReplaceAllString(pids.ReplaceAllString(line, "pid N"), "since …")
}

var addresses = regexp.MustCompile(`toy/\w+@gfx\d+(\+\w+)*`)
