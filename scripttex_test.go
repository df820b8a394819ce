package kmx

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"kmx/amdgpu/codeobj/codeobjtest"
	"kmx/cuda/standin"
)

// standinLibrary FILE [FAULT] writes the stand-in library, sound or with a
// fault, or its next version.
func standinLibrary(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: standin FILE [FAULT|next]")
	}
	var o standin.Options
	switch {
	case len(args) == 2 && args[1] == "next":
		o.Version = standin.Next
	case len(args) == 2:
		o.Fault = standin.Fault(args[1])
	}
	f, err := os.Create(ts.MkAbs(args[0]))
	ts.Check(err)
	defer f.Close()
	ts.Check(standin.Write(f, o))
}

// emitterName is the name under which this test binary is an emitter.
const emitterName = "d4r_emit"

// emitter makes the program d4r_emit: an emitter as ZLUDA's, by its command line,
// that does what D4R_ZLUDA_FAKE says: see fakeEmitter.
func emitter(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 0 {
		ts.Fatalf("usage: emitter")
	}
	self, err := os.Executable()
	ts.Check(err)
	ts.Check(os.Symlink(self, ts.MkAbs(emitterName)))
}

// fakeEmitter is the emitter IN.ptx OUTDIR ARCH. It makes no object of the PTX,
// only one that says what it should.
func fakeEmitter(args []string) int {
	fail := func(format string, args ...any) int {
		fmt.Fprintf(os.Stderr, "emitter: "+format+"\n", args...)
		return 1
	}
	if len(args) != 3 {
		return fail("usage: IN.ptx OUTDIR ARCH")
	}
	in, out, arch := args[0], args[1], args[2]
	text, err := os.ReadFile(in)
	if err != nil {
		return fail("%v", err)
	}
	if helper := os.Getenv("D4R_ZLUDA_EXTRA_BC"); helper != "" {
		if code, err := os.ReadFile(helper); err != nil || !strings.HasPrefix(string(code), "BC") {
			return fail("%s is no bitcode: %v", helper, err)
		}
	}
	if !strings.Contains(string(text), ".extern .func d4r_") {
		return fail("%s calls nothing", in)
	}
	kernel := strings.TrimSuffix(filepath.Base(in), ".ptx")
	switch os.Getenv("D4R_ZLUDA_FAKE") {
	case "crash":
		_ = os.WriteFile(filepath.Join(out, "module.hsaco"), []byte("half"), 0o644)
		p, err := os.FindProcess(os.Getpid())
		if err == nil {
			err = p.Kill()
		}
		time.Sleep(time.Minute)
		return fail("cannot die: %v", err)
	case "hang":
		time.Sleep(time.Hour)
	case "nothing":
		return 0
	case "refuses":
		return fail("%s:1: cannot lower this", in)
	case "other":
		arch = map[string]string{"gfx1101": "gfx1100"}[arch]
	}
	o := codeobjtest.New(kernel, arch)
	o.Kernels, o.Vars = o.Kernels[:1], nil
	if os.Getenv("D4R_ZLUDA_WAVE64") == "1" {
		o.Kernels[0].Wave = 64
	}
	if err := os.WriteFile(filepath.Join(out, "module.hsaco"), o.Bytes(), 0o644); err != nil {
		return fail("%v", err)
	}
	return 0
}
