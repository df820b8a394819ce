package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"kmx/cuda/standin"
)

// librarySize is about that of a large DLSS library.
const librarySize = 100_000_000

// ptx measures how fast a library is gone through, and with how much memory: a
// stand-in library of our own kernels under other names, compressed as real
// ones are. Each stage is a process that does all before it too; what it takes
// by itself is asked of the process with all stages.
func (b *bench) ptx() error {
	path := filepath.Join(b.work, "library.dll")
	size, rounds := int64(librarySize), 7
	if b.quick {
		size, rounds = 5_000_000, 1
	}
	if err := writeLibrary(path, size); err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	var all []*contender
	for _, s := range stages {
		all = append(all, &contender{name: s, argv: []string{program, "-" + stageFlag + "=" + s, path}})
	}
	last := all[len(all)-1]
	var seen went
	took := map[string][]float64{} // seconds of CPU by stage
	for range rounds {
		out, err := last.command().CombinedOutput()
		if err != nil {
			return fmt.Errorf("%w\n%s", err, out)
		}
		if seen, err = parseWent(string(out)); err != nil {
			return fmt.Errorf("%q: %w", out, err)
		}
		for stage, d := range map[string]time.Duration{stageExtract: seen.extract, stageParse: seen.parse, stageEdit: seen.edit} {
			took[stage] = append(took[stage], d.Seconds())
		}
	}
	turns, err := race(all, rounds)
	if err != nil {
		return err
	}
	fmt.Printf("a library of %d MB: %d modules with %.0f MB of PTX; %d kernels of modules of %.1f MB are edited; medians of %d rounds\n\n",
		info.Size()/1e6, seen.modules, mega(seen.bytes), seen.kernel, mega(seen.edited), rounds)
	fmt.Println("| up to | wall s | CPU s | of it the stage | MB of PTX a second of its CPU | peak MB |")
	fmt.Println("|---|---|---|---|---|---|")
	for _, c := range all {
		bytes := seen.bytes
		if c.name == stageEdit {
			bytes = seen.edited
		}
		peak, err := c.peak()
		if err != nil {
			return err
		}
		alone := median(took[c.name])
		fmt.Printf("| %s | %.2f | %.2f | %.2f | %.0f | %.0f |\n", c.name, typical(turns[c.name], wall), typical(turns[c.name], cpu),
			alone, mega(bytes)/alone, mega(int(peak)))
	}
	fmt.Println()
	return nil
}

func mega(bytes int) float64 { return float64(bytes) / 1e6 }

func writeLibrary(path string, size int64) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	if err := standin.Write(w, standin.Options{Pad: size}); err != nil {
		f.Close()
		return err
	}
	if err := w.Flush(); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
