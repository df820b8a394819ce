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

	"kmx/emit/emittest"
)

// corpus assembles and runs the small kernels; writes their vectors, or compares
// with those there are.
func (b *batch) corpus() error {
	for _, folder := range []struct {
		name string
		read func(dir string) ([]emittest.Case, error)
		with func(dir string) ([]emittest.Case, error)
	}{
		{"ptx", emittest.Read, emittest.Cases},
		{"tier5", emittest.Read, emittest.Cases},
		{"standin", func(string) ([]emittest.Case, error) { return emittest.StandinCases("") }, emittest.StandinCases},
	} {
		dir := filepath.Join(b.options.corpus, folder.name)
		cases, err := folder.read(dir)
		if err != nil {
			return err
		}
		done, err := b.cases(cases)
		if err == nil && b.options.out != "" {
			err = b.write(folder.name, done)
		} else if err == nil {
			var kept []emittest.Case
			if kept, err = folder.with(dir); err == nil {
				b.compare(kept, done)
			}
		}
		if err != nil {
			return fmt.Errorf("%s: %w", folder.name, err)
		}
	}
	return nil
}

// cases runs each twice and returns those that stored the same, with it.
func (b *batch) cases(cases []emittest.Case) (done []emittest.Case, err error) {
	files := map[string][]byte{}
	for _, c := range cases {
		files[c.Name] = c.Text
	}
	b.assembleAll("corpus", "kernels that ptxas takes", files, nil)
	for _, c := range cases {
		if err := b.ctx.Err(); err != nil {
			return nil, err
		}
		want, err := b.runCase(c)
		if err != nil {
			if fresh := b.context(); fresh != nil {
				return nil, fmt.Errorf("%s: %w; then %w", c.Name, err, fresh)
			}
		} else {
			again, second := b.runCase(c)
			switch {
			case second != nil:
				err = second
			default:
				err = same(c, want, again)
			}
		}
		b.count("corpus", "kernels that run twice to the same end", c.Name, err)
		if err == nil {
			c.Want = want
			done = append(done, c)
		}
	}
	return done, nil
}

func (b *batch) write(folder string, done []emittest.Case) error {
	to := filepath.Join(b.options.out, folder)
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	return emittest.WriteVectors(to, b.Machine, done)
}

// compare holds what this GPU stored against the vectors, as close as each case
// asks for: other GPUs may round their quick functions otherwise.
func (b *batch) compare(kept, done []emittest.Case) {
	got := map[string][][]byte{}
	for _, c := range done {
		got[c.Name] = c.Want
	}
	for _, c := range kept {
		if stored := got[c.Name]; stored != nil {
			b.count("corpus", "kernels that store what the vectors say", c.Name, c.Check(stored))
		}
	}
}

// same compares all outputs byte by byte.
func same(c emittest.Case, got, want [][]byte) error {
	for i, p := range c.Params {
		if p.Out && string(got[i]) != string(want[i]) {
			if err := p.Diff(got[i], want[i]); err != nil {
				return err
			}
			return fmt.Errorf("%s: other bytes for equal numbers", p.Name)
		}
	}
	return nil
}

// runCase compiles and launches one kernel and returns its outputs.
func (b *batch) runCase(c emittest.Case) ([][]byte, error) {
	module, err := b.d.load(c.Text)
	if err != nil {
		return nil, err
	}
	defer b.d.ModuleUnload(module)
	return b.runModule(module, c)
}

// runModule launches the kernel of a case in a module that has it.
func (b *batch) runModule(module uint64, c emittest.Case) (stored [][]byte, err error) {
	d := b.d
	handles := make([]uint64, len(c.Params))
	pictures := make([]picture, len(c.Params))
	for i, p := range c.Params {
		switch p.Kind {
		case emittest.Buffer:
			if handles[i], err = d.buffer(c.Start(i)); err != nil {
				return nil, err
			}
			defer d.MemFree(handles[i])
		case emittest.Texture, emittest.Surface:
			if pictures[i], err = d.picture(p.Image, p.Kind == emittest.Surface, c.Start(i)); err != nil {
				return nil, err
			}
			handles[i] = pictures[i].object
			defer d.free(pictures[i])
		}
	}
	if err := d.launch(module, c.Name, c.Grid, c.Block, c.Arguments(func(i int) uint64 { return handles[i] })); err != nil {
		return nil, err
	}
	stored = make([][]byte, len(c.Params))
	for i, p := range c.Params {
		if !p.Out {
			continue
		}
		if p.Kind == emittest.Surface {
			stored[i], err = d.texels(pictures[i])
		} else {
			stored[i], err = d.read(handles[i], p.Size())
		}
		if err != nil {
			return nil, err
		}
	}
	return stored, nil
}

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
