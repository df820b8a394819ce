package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"kmx/cuda/fatbin"
	"kmx/cuda/ptx"
	"kmx/cuda/standin"
	"kmx/tex"
)

// The stages of going through a library, each with all before it.
const (
	stageExtract = "extract" // every module, one after the other
	stageParse   = "parse"   // and every statement of it
	stageEdit    = "edit"    // and every texture kernel
)

var stages = []string{stageExtract, stageParse, stageEdit}

// stageFlag makes the bench go through a library once instead of measuring: the
// process that is measured.
const stageFlag = "stage"

// went is what a process went through.
type went struct {
	modules, bytes int // of PTX
	edited, kernel int // bytes of the modules that were edited, and kernels
	// CPU time by stage. The collector of memory runs beside all of them and
	// counts where it happens to.
	extract, parse, edit time.Duration
}

const wentFormat = "%d modules of %d bytes, %d bytes edited for %d kernels; ns: %d %d %d\n"

// goThrough goes through a library up to a stage and says what it saw.
func goThrough(stage, path string, w io.Writer) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	var seen went
	kernels := textureKernels()
	clock := used()
	lap := func(of *time.Duration) {
		now := used()
		*of += now - clock
		clock = now
	}
	modules := map[string]*ptx.Module{} // those with texture kernels, by kernel
	for m, err := range fatbin.All(f, info.Size(), filepath.Base(path), fatbin.DefaultLimits) {
		if err != nil {
			return err
		}
		lap(&seen.extract)
		seen.modules++
		seen.bytes += len(m.PTX)
		if stage == stageExtract {
			continue
		}
		parsed, err := ptx.Parse(fmt.Sprint(filepath.Base(path), ".", m.Index, ".ptx"), m.PTX)
		if err != nil {
			return err
		}
		for _, k := range parsed.Entries() {
			if _, ok := kernels[k.Name]; ok && stage == stageEdit {
				modules[k.Name] = parsed
			}
		}
		lap(&seen.parse)
	}
	if stage == stageEdit {
		for name, recipe := range kernels {
			r := tex.Request{Kernel: name, Recipe: recipe.name, Module: modules[name], Reference: modules[recipe.reference], ReferenceKernel: recipe.reference}
			if r.Module == nil {
				return fmt.Errorf("%s has no %s", path, name)
			}
			if _, err := tex.Edit(r); err != nil {
				return err
			}
			seen.kernel++
			seen.edited += len(r.Module.Text)
		}
	}
	if stage == stageEdit {
		lap(&seen.edit)
	}
	_, err = fmt.Fprintf(w, wentFormat, seen.modules, seen.bytes, seen.edited, seen.kernel, seen.extract, seen.parse, seen.edit)
	return err
}

type recipe struct{ name, reference string }

// textureKernels are the kernels of the stand-in library that the matrix has in
// its family of textures, with their recipes in a set with FP8 on gfx12.
func textureKernels() map[string]recipe {
	all := map[string]recipe{}
	for _, k := range standin.Kernels() {
		r := recipe{name: "stores"}
		switch k.Group {
		case standin.KOutput, standin.MPost, standin.MDownsample, standin.LPost:
		case standin.MEnc0:
			r = recipe{"enc0-tail", "rrlite_enc0_4x4_mvhi_hdr_folded"}
		case standin.MDec0:
			r.name = "dec0-head"
		case standin.LEnc0:
			r = recipe{"l-enc0-tail", "rrlite_enc0_4x4_mvhi_hdr"}
		case standin.LDec0:
			r.name = "l-dec0-block"
		default:
			continue
		}
		all[k.Name] = r
	}
	return all
}

// parseWent reads what goThrough printed.
func parseWent(out string) (w went, err error) {
	_, err = fmt.Sscanf(strings.TrimSpace(out)+"\n", wentFormat, &w.modules, &w.bytes, &w.edited, &w.kernel, &w.extract, &w.parse, &w.edit)
	return w, err
}
