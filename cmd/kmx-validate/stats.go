package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"

	"kmx/amdgpu/emu"
	"kmx/cache"
	"kmx/internal/diag"
	"kmx/internal/durable"
	"kmx/report"
	"kmx/validate/capture"
	"kmx/validate/layout"
)

// A counted object is one whose launch is to be counted, as validate:stats lists
// them.
type countedObject struct {
	Address string       `json:"address"`
	Kernel  string       `json:"kernel"`
	Digest  cache.Digest `json:"digest"`
	Path    string       `json:"path"`
}

// statsCase is the launch that is counted: six whole windows.
var statsCase = capture.Case{Name: "six windows", Grid: layout.Grid{W: 24, H: 16}, Seed: 2}

// stats runs one seeded launch of every object of a list and adds what it
// executed to a statistics file. Objects that the file knows are left out, and
// kernels for which no launches can be generated.
func stats(ctx context.Context, out io.Writer, flags *flag.FlagSet, args, choices []string) error {
	workers := flags.Int("workers", 0, "")
	again := flags.Bool("again", false, "")
	asJSON := flags.Bool("json", false, "")
	if err := parse(flags, choices); err != nil {
		return err
	}
	list, err := readCounted(args[0])
	if err != nil {
		return diag.Failf(diag.IO, "", "%w", err)
	}
	known, err := report.ReadEmulations(args[1])
	if err != nil {
		return diag.Failf(diag.IO, "remove the file; mage validate:stats makes it again", "%w", err)
	}
	objdump, err := emu.FindObjdump()
	if err != nil {
		return diag.Failf(diag.Toolchain, "", "%w", err)
	}
	asked := report.Emulations{}
	var problems diag.List
	skipped := 0
	for _, o := range list {
		layer, err := layout.Find(o.Kernel)
		if err != nil {
			skipped++
			continue
		}
		if e := known[o.Digest]; e == nil || *again {
			if known[o.Digest], err = count(ctx, o, layer, objdump, *workers); err != nil {
				delete(known, o.Digest)
				if ctx.Err() != nil {
					return ctx.Err()
				}
				problems = append(problems, diag.Message{Summary: o.Address + ": " + err.Error()})
				continue
			}
			data, err := known.JSON()
			if err == nil {
				err = durable.WriteFile(args[1], data, 0o644) // each at once: a long run can be broken off
			}
			if err != nil {
				return diag.Failf(diag.IO, "", "%w", err)
			}
			if !*asJSON {
				fmt.Fprintf(os.Stderr, "%s  %v\n", o.Address, known[o.Digest])
			}
		}
		e := *known[o.Digest]
		e.Address = o.Address
		asked[o.Digest] = &e
	}
	if *asJSON {
		data, err := asked.JSON()
		if err != nil {
			return err
		}
		_, err = out.Write(data)
		if err != nil {
			return err
		}
	} else if err := asked.Table(out); err != nil {
		return err
	}
	if skipped > 0 {
		fmt.Fprintf(os.Stderr, "%d of %d objects have kernels for which no launches can be generated\n", skipped, len(list))
	}
	if problems != nil {
		return &diag.Failure{Class: diag.Verify, Messages: problems}
	}
	return nil
}

func readCounted(path string) (list []countedObject, err error) {
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, &list)
	}
	return list, err
}

// count runs an object's launch.
func count(ctx context.Context, o countedObject, layer layout.Layer, objdump string, workers int) (*report.Emulation, error) {
	object, err := os.ReadFile(o.Path)
	if err != nil {
		return nil, err
	}
	launch, err := capture.Generate(layer, statsCase)
	if err != nil {
		return nil, err
	}
	r, err := capture.Replay(ctx, object, launch, capture.ReplayOptions{Objdump: objdump, Workers: workers})
	if err != nil {
		return nil, err
	}
	e := &report.Emulation{
		Address: o.Address, Kernel: o.Kernel, Target: r.Target, Case: statsCase.String(), Waves: r.Stats.Waves, Instructions: map[string]int64{},
		LDSCycles: r.Stats.LDSAccesses, LDSConflicts: r.Stats.LDSConflicts, ScalarLoaded: r.Stats.ScalarLoaded,
		Global:  report.Moved{Loaded: r.Stats.GlobalLoaded, Stored: r.Stats.GlobalStored},
		LDS:     report.Moved{Loaded: r.Stats.LDSLoaded, Stored: r.Stats.LDSStored},
		Scratch: report.Moved{Loaded: r.Stats.ScratchLoaded, Stored: r.Stats.ScratchStored},
	}
	for class, n := range r.Stats.Instructions {
		if n > 0 {
			e.Instructions[emu.Class(class).String()] = n
		}
	}
	return e, nil
}
