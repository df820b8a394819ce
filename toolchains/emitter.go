package toolchains

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"kmx/cache"
	"kmx/engine"
	"kmx/internal/diag"
)

// KindEmitter is the kind of what makes objects of PTX: ZLUDA's emitter where
// D4R_ZLUDA_EMIT names it, kmx's own otherwise.
const KindEmitter = "emitter"

// The emitters, as manifests call them.
const (
	// EmitterZLUDA is a program with the command line IN.ptx OUTDIR ARCH.
	EmitterZLUDA = "zluda"
	// EmitterOwn lowers PTX inside of kmx; a clang makes the object.
	EmitterOwn = "kmx"
)

// EmitterEnv names the program of ZLUDA's emitter.
const EmitterEnv = "D4R_ZLUDA_EMIT"

// EmitterTool is the symbolic name of ZLUDA's emitter within its toolchain.
const EmitterTool = "bin/emitter"

// Emitter is the emitter that this environment asks for.
func Emitter(getenv func(string) string) string {
	if getenv(EmitterEnv) != "" {
		return EmitterZLUDA
	}
	return EmitterOwn
}

// findEmitter locates the emitter for a request.
func findEmitter(ctx context.Context, r Request, memo *cache.Memo) (*Toolchain, error) {
	if Emitter(os.Getenv) == EmitterZLUDA {
		return findProgram(ctx, r, os.Getenv(EmitterEnv), memo)
	}
	t, err := findClang(ctx, r, memo)
	if t != nil {
		t.Emitter = EmitterOwn
	}
	return t, err
}

// findProgram fingerprints an emitter that is a program: itself and the shared
// libraries that it loads. It is not started: emitters have no words about
// themselves.
func findProgram(ctx context.Context, r Request, given string, memo *cache.Memo) (*Toolchain, error) {
	fail := func(format string, args ...any) error {
		return diag.Failf(diag.Toolchain, "name the program in "+EmitterEnv+", or unset it: kmx has an emitter of its own",
			"toolchain %s: %s=%s: %s", r.Name, EmitterEnv, given, fmt.Sprintf(format, args...))
	}
	path, err := filepath.Abs(given)
	if err != nil {
		return nil, fail("%v", err)
	}
	look := newLooker()
	info, ok := look.stat(path)
	switch {
	case !ok:
		return nil, fail("there is no such file")
	case !info.Mode().IsRegular():
		return nil, fail("it is no file")
	case runtime.GOOS != "windows" && info.Mode()&0o111 == 0:
		return nil, fail("it is not executable")
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, fail("%v", err)
	}
	files := []File{{Name: EmitterTool + exe, Path: real}}
	libs, err := newLoader(look, nil).load(real)
	switch {
	case errors.Is(err, errNotELF) && (runtime.GOOS == "windows" || runtime.GOOS == "darwin"):
	case errors.Is(err, errNotELF):
		return nil, fail("it is a script or for another system: what it starts cannot be fingerprinted")
	case err != nil:
		return nil, fail("%v", err)
	}
	for _, lib := range libs {
		files = append(files, File{Name: "lib/" + lib.name, Path: lib.path})
	}
	h := hashes{}
	if err := h.all(ctx, files, memo); err != nil {
		return nil, fail("it cannot be fingerprinted: %v", err)
	}
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	files = slices.CompactFunc(files, func(a, b File) bool { return a.Name == b.Name })
	still, err := newSteady(path, files, memo)
	if err != nil {
		return nil, fail("it cannot be fingerprinted: %v", err)
	}
	t := &Toolchain{
		Name: r.Name, Kind: KindEmitter, Emitter: EmitterZLUDA, Banner: filepath.Base(real), Why: EmitterEnv,
		Root: filepath.Dir(real), Files: files, Digest: digestOf(files, false), Core: digestOf(files, true),
	}
	// Its bytes are all that is known of its version.
	program := files[slices.IndexFunc(files, func(f File) bool { return f.Name == EmitterTool+exe })]
	t.Version = "zluda " + short(program.Digest)
	t.Tools = map[string]engine.Tool{r.Name + ":" + EmitterTool: {Path: path, Changed: still.changed}}
	t.Seen = look.seen(files)
	return t, nil
}
