package flow

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"kmx/cache"
	"kmx/engine"
)

// disassemble is a short unified diff of the code of one symbol in two objects;
// nothing where the toolchain has no llvm-objdump beside its compiler.
func (c *comparison) disassemble(ctx context.Context, address, symbol string, before, after cache.Digest) ([]string, error) {
	cell := c.now.made.plan.Cells[c.now.index[address]]
	tool := c.now.made.toolchains[cell.Toolchain].Tools[cell.Toolchain+":bin/clang++"]
	objdump := filepath.Join(filepath.Dir(tool.Path), "llvm-objdump")
	if runtime.GOOS == "windows" {
		objdump += ".exe"
	}
	if _, err := os.Stat(objdump); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	dir, err := os.MkdirTemp(c.store.SandboxRoot(), "disassembly-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	var texts [2][]string
	for i, d := range []cache.Digest{before, after} {
		name := filepath.Join(dir, []string{"before", "after"}[i])
		if err := c.store.Place(d, name, 0o644); err != nil {
			return nil, err
		}
		if texts[i], err = instructions(ctx, objdump, tool, symbol, name); err != nil {
			return nil, err
		}
	}
	lines := firstHunk(texts[0], texts[1])
	if len(lines) == 0 {
		return nil, nil // the same words for other bytes
	}
	return append([]string{"--- " + c.Since, "+++ the working tree"}, lines...), nil
}

// instructions lists the instructions of a symbol without their addresses.
func instructions(ctx context.Context, objdump string, tool engine.Tool, symbol, object string) ([]string, error) {
	cmd := exec.CommandContext(ctx, objdump, "--disassemble-symbols="+symbol, "--no-show-raw-insn", "--no-leading-addr", object)
	cmd.Env = append(os.Environ(), tool.Env...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		if text := strings.TrimSpace(stderr.String()); text != "" {
			err = errors.New(text)
		}
		return nil, err
	}
	_, body, _ := strings.Cut(string(out), "<"+symbol+">:\n")
	var lines []string
	for line := range strings.Lines(body) {
		line, _, _ = strings.Cut(line, "//") // address and bytes
		if line = strings.Join(strings.Fields(line), " "); line != "" {
			lines = append(lines, line)
		}
	}
	return lines, nil
}

const (
	hunkContext = 3  // lines shown before and after a difference
	hunkChange  = 12 // lines of either side looked at for where they meet again
)

// firstHunk is the first difference of two texts, as a unified diff shows it.
func firstHunk(a, b []string) []string {
	at := 0
	for at < len(a) && at < len(b) && a[at] == b[at] {
		at++
	}
	if at == len(a) && at == len(b) {
		return nil
	}
	a, b = a[max(0, at-hunkContext):], b[max(0, at-hunkContext):]
	same := min(at, hunkContext)
	// The nearest place at which two lines in a row are the same again.
	less, more := min(len(a)-same, hunkChange), min(len(b)-same, hunkChange)
	meet := false
search:
	for total := range 2 * hunkChange {
		for i := range total + 1 {
			x, y := same+i, same+total-i
			if i > hunkChange || total-i > hunkChange || x >= len(a) || y >= len(b) || a[x] != b[y] {
				continue
			}
			if x+1 < len(a) && y+1 < len(b) && a[x+1] != b[y+1] {
				continue
			}
			less, more, meet = i, total-i, true
			break search
		}
	}
	var lines []string
	add := func(mark string, text []string) {
		for _, line := range text {
			lines = append(lines, mark+line)
		}
	}
	add(" ", a[:same])
	add("-", a[same:same+less])
	add("+", b[same:same+more])
	if meet {
		for i := 0; i < hunkContext && same+less+i < len(a) && same+more+i < len(b) && a[same+less+i] == b[same+more+i]; i++ {
			add(" ", a[same+less+i:same+less+i+1])
		}
	} else if same+less < len(a) || same+more < len(b) {
		lines = append(lines, "...")
	}
	return lines
}
