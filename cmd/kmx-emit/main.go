// Command kmx-emit is the built-in emitter behind the command line of ZLUDA's:
//
//	kmx-emit IN.ptx OUTDIR ARCH
//
// It translates every entry of IN.ptx for the GPU ARCH and writes
// OUTDIR/module.hsaco, the code object, and OUTDIR/asm.s, its assembly. The
// environment holds the options; docs/emitter.md lists the variables.
//
// Exit codes: 0 done, 1 something in the module is not translated or the compiler
// failed, 2 a wrong call, 4 no compiler, 5 a file could not be read or written.
// Nothing is written unless everything was made.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"

	"kmx/cuda/ptx"
	"kmx/emit"
	"kmx/engine"
	"kmx/internal/diag"
	"kmx/internal/durable"
	"kmx/toolchains"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.LookupEnv, os.Stderr))
}

const usage = "usage: kmx-emit IN.ptx OUTDIR ARCH   (the environment is described in docs/emitter.md)"

// run is the program.
func run(ctx context.Context, args []string, lookup func(string) (string, bool), talk io.Writer) int {
	if len(args) != 3 {
		fmt.Fprintln(talk, usage)
		return int(diag.Usage)
	}
	in, dir, arch := args[0], args[1], args[2]
	options, err := readEnvironment(arch, lookup)
	if err == nil {
		err = emitModule(ctx, in, dir, options)
	}
	if err != nil {
		fmt.Fprintln(talk, "kmx-emit:", err)
		var list diag.List
		if errors.As(err, &list) {
			return int(diag.Cells) // a module that cannot be read or translated
		}
		return diag.ExitCode(err)
	}
	return 0
}

// emitModule makes the two files of a module.
func emitModule(ctx context.Context, in, dir string, o emit.Options) error {
	text, err := os.ReadFile(in)
	if err != nil {
		return diag.Failf(diag.IO, "", "the module cannot be read: %w", err)
	}
	m, err := ptx.Parse(filepath.ToSlash(in), text)
	if err != nil {
		return err
	}
	ir, err := emit.Lower(m, "", o)
	if err != nil {
		return err
	}
	tc, err := toolchains.Find(ctx, toolchains.Request{Name: "emit", Kind: toolchains.KindClang}, nil)
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "kmx-emit-")
	if err != nil {
		return diag.Failf(diag.IO, "", "no folder for the compiler: %w", err)
	}
	defer os.RemoveAll(work)
	c := compiler{tool: tc.Tools["emit:bin/clang++"], dir: work}
	object, assembly, err := c.compile(ctx, ir, o)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return diag.Failf(diag.IO, "", "%w", err)
	}
	for name, data := range map[string][]byte{"asm.s": assembly, "module.hsaco": object} {
		if err := durable.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			return diag.Failf(diag.IO, "", "%w", err)
		}
	}
	return nil
}

// compiler runs clang in a folder of its own, where names are the same on every
// machine.
type compiler struct {
	tool engine.Tool
	dir  string
}

func (c compiler) compile(ctx context.Context, ir []byte, o emit.Options) (object, assembly []byte, err error) {
	bitcode := o.Bitcode
	o.Bitcode = nil
	for i, from := range bitcode {
		name := fmt.Sprintf("bitcode-%d.bc", i)
		data, err := os.ReadFile(from)
		if err != nil {
			return nil, nil, diag.Failf(diag.IO, "D4R_ZLUDA_EXTRA_BC names the bitcode to link", "%w", err)
		}
		if err := os.WriteFile(filepath.Join(c.dir, name), data, 0o600); err != nil {
			return nil, nil, diag.Failf(diag.IO, "", "%w", err)
		}
		o.Bitcode = append(o.Bitcode, name)
	}
	const source = "module.ll"
	if err := os.WriteFile(filepath.Join(c.dir, source), ir, 0o600); err != nil {
		return nil, nil, diag.Failf(diag.IO, "", "%w", err)
	}
	outputs := [2][]byte{}
	for i, name := range []string{"module.hsaco", "asm.s"} {
		if err := c.run(ctx, emit.Args(o, source, name, i == 1)); err != nil {
			return nil, nil, err
		}
		if outputs[i], err = os.ReadFile(filepath.Join(c.dir, name)); err != nil {
			return nil, nil, diag.Failf(diag.Cells, "", "the compiler wrote nothing: %w", err)
		}
	}
	return outputs[0], outputs[1], nil
}

func (c compiler) run(ctx context.Context, args []string) error {
	cmd := exec.CommandContext(ctx, c.tool.Path, args...)
	cmd.Dir = c.dir
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + c.dir, "TMP=" + c.dir, "LC_ALL=C"}, c.tool.Env...)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return diag.Failf(diag.Cells, "", "the compiler failed on the translation (%w):\n%s", err, said.String())
	}
	return nil
}
