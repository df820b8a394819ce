//go:build linux

package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// assembleAll runs ptxas over modules, as many at a time as there are
// processors. Modules with undefined functions are linked with library: then,
// and where there is no ptxas, the driver's compiler does it.
func (b *batch) assembleAll(part, what string, modules map[string][]byte, library []byte) {
	work, err := os.MkdirTemp("", "kmx-nvidia-")
	if err != nil {
		b.count(part, what, "temporary folder", err)
		return
	}
	defer os.RemoveAll(work)
	if b.dump != "" {
		work = b.dump
	}
	names := slices.Sorted(maps.Keys(modules))
	if b.ptxas == "" {
		for _, name := range names {
			b.count(part, what, name, b.compile(modules[name], library))
		}
		return
	}
	work, err = filepath.Abs(work)
	if err != nil {
		b.count(part, what, "temporary folder", err)
		return
	}
	todo := make(chan string)
	var group sync.WaitGroup
	for range min(runtime.NumCPU(), len(names)) {
		group.Go(func() {
			for name := range todo {
				b.count(part, what, name, ptxas(b.ctx, b.ptxas, b.archOf(modules[name]), filepath.Join(work, name+".ptx"), modules[name], library != nil))
			}
		})
	}
	for _, name := range names {
		todo <- name
	}
	close(todo)
	group.Wait()
}

var targetWord = regexp.MustCompile(`(?m)^\.target sm_(\d+)`)

// archOf is what a module is assembled for: this GPU, or a newer one if it is for
// that alone.
func (b *batch) archOf(text []byte) string {
	if m := targetWord.FindSubmatch(text); m != nil {
		if n, err := strconv.Atoi(string(m[1])); err == nil && n > b.capability {
			return fmt.Sprintf("sm_%d", n)
		}
	}
	return fmt.Sprintf("sm_%d", b.capability)
}

// compile has the driver compile a module, with a library if there is one.
func (b *batch) compile(text, library []byte) (err error) {
	var m uint64
	if library == nil {
		m, err = b.d.load(text)
	} else {
		m, err = b.d.link(text, library)
	}
	if err == nil {
		b.d.ModuleUnload(m)
	}
	return err
}

// ptxas assembles one module; parts makes machine code that is linked later.
func ptxas(ctx context.Context, program, arch, file string, text []byte, parts bool) error {
	if err := os.WriteFile(file, text, 0o644); err != nil {
		return err
	}
	args := []string{"-arch=" + arch, "-o", file + ".o", file}
	if parts {
		args = append([]string{"-c"}, args...)
	}
	out, err := exec.CommandContext(ctx, program, args...).CombinedOutput()
	os.Remove(file + ".o")
	if err != nil {
		return fmt.Errorf("%w\n%s", err, strings.TrimSpace(string(out)))
	}
	return nil
}
