//go:build linux

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"kmx/cache"
)

// replay gives what the real compiler gave for the same arguments and files, and
// asks it when nobody has yet: a table of faults compiles a dozen kernels a
// thousand times. ok is false for calls that only the real one can answer.
func (f fault) replay(c call, folder string) (code int, ok bool) {
	if slices.Contains(c.args, "-###") || c.object != "" && c.depfile == "" {
		return 0, false
	}
	h := cache.NewHasher()
	fmt.Fprintf(h, "%q\n", c.args)
	for _, pattern := range []string{"*.hip", "*/*.h", "*.h"} {
		names, _ := filepath.Glob(pattern)
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				return 0, false
			}
			fmt.Fprintf(h, "%s %d\n", name, len(data))
			h.Write(data)
		}
	}
	made := filepath.Join(folder, h.Sum().String())
	files := map[string]string{"stdout": "", "stderr": ""}
	if c.object != "" {
		files["object"], files["depfile"] = c.object, c.depfile
	}
	if !put(made, files) {
		f.record(c, made)
		if !put(made, files) {
			return 0, false
		}
	}
	return 0, true
}

// put puts what was recorded where it belongs, and says what was said.
func put(made string, files map[string]string) bool {
	for name, to := range files {
		data, err := os.ReadFile(filepath.Join(made, name))
		if err != nil {
			return false
		}
		switch {
		case name == "stdout":
			_, err = os.Stdout.Write(data)
		case name == "stderr":
			_, err = os.Stderr.Write(data)
		default:
			err = os.WriteFile(to, data, 0o644)
		}
		if err != nil {
			return false
		}
	}
	return true
}

// record asks the real compiler, and keeps what it gave if it succeeded.
func (f fault) record(c call, made string) {
	cmd := exec.Command(f.Real, c.args...)
	cmd.Env = append(os.Environ(), f.Env...)
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if cmd.Run() != nil || os.MkdirAll(filepath.Dir(made), 0o755) != nil {
		return
	}
	fresh, err := os.MkdirTemp(filepath.Dir(made), "fresh-")
	if err != nil {
		return
	}
	defer os.RemoveAll(fresh)
	keep := map[string][]byte{"stdout": []byte(stdout.String()), "stderr": []byte(stderr.String())}
	for name, from := range map[string]string{"object": c.object, "depfile": c.depfile} {
		if from != "" {
			if keep[name], err = os.ReadFile(from); err != nil {
				return
			}
		}
	}
	for name, data := range keep {
		if os.WriteFile(filepath.Join(fresh, name), data, 0o644) != nil {
			return
		}
	}
	os.Rename(fresh, made)
}
