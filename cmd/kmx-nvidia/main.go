//go:build linux

// kmx-nvidia is the proof on real hardware that the texture family rests on. On
// a machine with an NVIDIA GPU it
//
//   - runs the corpus of small PTX kernels (emit/testdata/ptx and tier5) and writes
//     what they stored as the vectors that other tests compare with;
//   - runs roundf and its rewrite over all 2^32 numbers;
//   - assembles every module of the stand-in library, as it is and edited;
//   - runs originals and edited kernels over random inputs and compares what
//     they store, byte for byte.
//
// It needs libcuda.so.1, which comes with the driver, and takes ptxas where that
// is installed. It is no part of a build: the target validate:nvidia starts it.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"kmx/emit/emittest"
	"kmx/internal/diag"
	"kmx/internal/durable"
)

// toDo is the exit code for a check that finds a difference.
const toDo diag.Class = 7

type options struct {
	corpus string
	out    string
	ptxas  string
	dump   string
	limit  time.Duration
	only   string
}

func main() {
	err := run(os.Args[1:], os.Stdout)
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return
	}
	var f *diag.Failure
	if !errors.As(err, &f) {
		f = diag.Failf(diag.IO, "", "%w", err)
	}
	if len(f.Messages) == 0 {
		f.Messages = diag.List{{Summary: f.Error()}}
	}
	diag.Print(os.Stderr, f.Messages, diag.Style{})
	os.Exit(diag.ExitCode(f))
}

func read(args []string) (o options, err error) {
	f := flag.NewFlagSet("kmx-nvidia", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.StringVar(&o.corpus, "corpus", "emit/testdata", "the folder with the folders of PTX kernels, ptx and tier5")
	f.StringVar(&o.out, "out", "", "the folder for new vectors and results.json; without it the vectors of the corpus are compared with")
	f.StringVar(&o.ptxas, "ptxas", "ptxas", "the assembler; where there is none, the driver's compiler takes its place")
	f.StringVar(&o.dump, "dump", "", "a folder for every module that is assembled")
	f.DurationVar(&o.limit, "limit", 25*time.Minute, "give up after this long")
	f.StringVar(&o.only, "only", "", "one part alone: corpus, roundf, assemble or edited")
	if err := f.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			f.SetOutput(os.Stdout)
			f.Usage()
			return o, err
		}
		return o, diag.Failf(diag.Usage, "", "%w", err)
	}
	if f.NArg() > 0 {
		return o, diag.Failf(diag.Usage, "", "%q is one word too many", f.Arg(0))
	}
	return o, nil
}

// part is one part of the batch. It returns an error only for what keeps the rest
// from running; what it finds is in the results.
type part struct {
	name string
	run  func(*batch) error
}

var parts = []part{
	{"corpus", (*batch).corpus},
	{"roundf", (*batch).roundf},
	{"assemble", (*batch).assemble},
	{"edited", (*batch).edited},
}

// batch is one run.
type batch struct {
	options
	ctx    context.Context
	out    io.Writer
	d      *driver
	device int32
	results
}

func run(args []string, out io.Writer) error {
	o, err := read(args)
	if err != nil {
		return err
	}
	// A CUDA context belongs to a thread. A goroutine that ends while it is bound
	// to one takes the thread along, which C libraries do not always survive.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	b := &batch{options: o, out: out}
	if b.only != "" && !known(b.only) {
		return diag.Failf(diag.Usage, "", "%q is no part: corpus, roundf, assemble or edited", b.only)
	}
	if err := b.begin(); err != nil {
		return err
	}
	var stop context.CancelFunc
	b.ctx, stop = context.WithTimeout(context.Background(), o.limit)
	defer stop()
	// A kernel that never ends cannot be called off; the process can.
	late := time.AfterFunc(o.limit+10*time.Second, func() {
		fmt.Fprintf(os.Stderr, "Error: not done after %s\n", o.limit)
		os.Exit(int(diag.IO))
	})
	defer late.Stop()
	for _, p := range parts {
		if b.only != "" && b.only != p.name {
			continue
		}
		start := time.Now()
		if err := p.run(b); err != nil {
			b.fail(p.name, "stopped", err)
		}
		fmt.Fprintf(out, "%-9s %.1f s\n", p.name, time.Since(start).Seconds())
	}
	return b.end()
}

func known(name string) bool {
	for _, p := range parts {
		if p.name == name {
			return true
		}
	}
	return false
}

// Attributes of a device.
const (
	capabilityMajor = 75
	capabilityMinor = 76
)

// begin opens the driver and says what it runs on.
func (b *batch) begin() (err error) {
	const hint = "this needs a machine with an NVIDIA GPU and its driver; what it found on one is kept in docs/design/nvidia.md and emit/testdata/ptx/vectors.json"
	if b.d, err = open(); err != nil {
		return diag.Failf(diag.Toolchain, hint, "there is no NVIDIA driver here: %w", err)
	}
	d := b.d
	if err := d.check("cuInit", d.Init(0)); err != nil {
		return diag.Failf(diag.Toolchain, hint, "the NVIDIA driver does not start: %w", err)
	}
	var n, version, major, minor int32
	if d.DeviceGetCount(&n) != 0 || n == 0 {
		return diag.Failf(diag.Toolchain, hint, "the NVIDIA driver knows no GPU here")
	}
	if err := d.check("cuDeviceGet", d.DeviceGet(&b.device, 0)); err != nil {
		return err
	}
	name := make([]byte, 256)
	d.DeviceGetName(&name[0], int32(len(name)), b.device)
	d.DriverGetVersion(&version)
	d.DeviceGetAttribute(&major, capabilityMajor, b.device)
	d.DeviceGetAttribute(&minor, capabilityMinor, b.device)
	b.Machine = emittest.Machine{GPU: fmt.Sprintf("%s (sm_%d%d)", cString(&name[0]), major, minor), Driver: driverVersion(), CUDA: fmt.Sprintf("%d.%d", version/1000, version%1000/10)}
	b.capability = int(10*major + minor)
	if path, err := exec.LookPath(b.ptxas); err == nil {
		b.ptxas = path
		b.Machine.PTXAS = ptxasVersion(path)
	} else {
		b.ptxas = ""
		b.Machine.PTXAS = "the driver's compiler"
	}
	fmt.Fprintf(b.out, "%s, driver %s, CUDA %s, ptxas %s\n", b.Machine.GPU, b.Machine.Driver, b.Machine.CUDA, b.Machine.PTXAS)
	return b.context()
}

// context makes a fresh context; the first one, or after a kernel has broken the
// last.
func (b *batch) context() error {
	d := b.d
	d.CtxReset(b.device)
	var c uint64
	if err := d.check("cuDevicePrimaryCtxRetain", d.CtxRetain(&c, b.device)); err != nil {
		return err
	}
	return d.check("cuCtxSetCurrent", d.CtxSetCurrent(c))
}

// end prints the table, writes the results and says whether all was right.
func (b *batch) end() error {
	b.table(b.out)
	if b.options.out != "" {
		text, err := json.MarshalIndent(&b.results, "", "  ")
		if err != nil {
			return err
		}
		if err := durable.WriteFile(filepath.Join(b.options.out, "results.json"), append(text, '\n'), 0o644); err != nil {
			return err
		}
	}
	if n := b.failed(); n > 0 {
		return &diag.Failure{Class: toDo, Err: fmt.Errorf("%d of %d checks failed", n, b.total())}
	}
	return nil
}
