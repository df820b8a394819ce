//go:build unix

package engine

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"kmx/cache"
)

// TestMain lets the test binary stand for another kmx that shares the cache.
func TestMain(m *testing.M) {
	if dir := os.Getenv("KMX_TEST_OTHER_PROCESS"); dir != "" {
		if err := otherProcess(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if dir := os.Getenv("KMX_TEST_KILLED_PROCESS"); dir != "" {
		c, err := cache.Open(filepath.Join(dir, "cache"), nil)
		if err == nil {
			sleeps := script("a", "exec 3> "+os.Getenv("KMX_TEST_PIPE")+"; echo up >&3; exec sleep 1000")
			_, err = Run(context.Background(), &Graph{Nodes: []*Node{sleeps}}, Options{
				Cache: c, Root: dir, Jobs: 1, Tools: map[string]Tool{"sh": {Path: "/bin/sh"}},
			})
		}
		fmt.Fprintln(os.Stderr, "was not killed:", err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func otherProcess(dir string) error {
	c, err := cache.Open(filepath.Join(dir, "cache"), nil)
	if err != nil {
		return err
	}
	defer c.Close()
	_, err = Run(context.Background(), &Graph{Nodes: counted(dir)}, Options{
		Cache: c, Root: dir, Jobs: 2, Tools: map[string]Tool{"sh": {Path: "/bin/sh"}},
		Sink: func(e Event) {
			if e.Kind == Warning {
				fmt.Println(e.Message)
			}
		},
	})
	return err
}

// counted are nodes whose runs leave a line each. The first cannot end before the test says so.
func counted(dir string) []*Node {
	ran := filepath.Join(dir, "ran")
	nodes := []*Node{script("gate", "echo gate >> "+ran+"; read go < "+filepath.Join(dir, "gate")+"; : > out")}
	for i := range 6 {
		nodes = append(nodes, needs(script(fmt.Sprint("n", i), fmt.Sprintf("echo n%d >> %s; : > out", i, ran)), 0))
	}
	return nodes
}

func TestTwoProcessesBuildAKeyOnce(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "gate")
	if err := exec.Command("mkfifo", pipe).Run(); err != nil {
		t.Skip("no mkfifo:", err)
	}
	start := func() (*exec.Cmd, *lines) {
		out := &lines{seen: make(chan string, 100)}
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "KMX_TEST_OTHER_PROCESS="+dir)
		cmd.Stdout, cmd.Stderr = out, os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd, out
	}
	first, said1 := start()
	second, said2 := start()
	// One of them runs the gate; the other says that it waits. Only then the gate opens.
	var message string
	select {
	case message = <-said1.seen:
	case message = <-said2.seen:
	}
	if !strings.Contains(message, "waiting for ") || !strings.Contains(message, "which builds the same") {
		t.Errorf("said %q", message)
	}
	if err := os.WriteFile(pipe, []byte("go\n"), 0); err != nil {
		t.Error(err)
	}
	for _, cmd := range []*exec.Cmd{first, second} {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	ran, err := os.ReadFile(filepath.Join(dir, "ran"))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(ran), "\n"); n != 7 {
		t.Errorf("%d runs of 7 actions:\n%s", n, ran)
	}
}

// lines hands on what is written to it.
type lines struct{ seen chan string }

func (l *lines) Write(b []byte) (int, error) {
	l.seen <- string(b)
	return len(b), nil
}
