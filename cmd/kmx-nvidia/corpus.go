//go:build linux

package main

import (
	"fmt"
	"os"
	"path/filepath"

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
