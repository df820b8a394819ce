package plan

import (
	"slices"

	"kmx/engine"
	"kmx/matrix"
	"kmx/toolchains"
)

// compileHIP is the action that makes a cell's object with the driver of a
// clang toolchain: one target per command, device code only. The flags a
// kernel is built with are all the matrix's; what is added here is the
// mechanism: language, target, wave size, inputs, outputs, depfile.
//
// Paths are relative to the project, the tool is symbolic, so the action is
// the same in every checkout and on every machine with the same toolchain.
func compileHIP(c *matrix.Cell, tc *toolchains.Toolchain, inputs []engine.Input) engine.Action {
	object := c.Kernel + ".hsaco"
	const depfile = "inputs.d"
	args := []string{
		"-x", "hip", "--offload-arch=" + c.Target.Name, "--offload-device-only", "--no-gpu-bundle-output",
		"--no-default-config", "--rocm-path=/nonexistent", "-fno-crash-diagnostics",
	}
	for _, t := range c.Flags {
		args = append(args, t.Text)
	}
	if c.Wave64 {
		args = append(args, "-mwavefrontsize64")
	}
	for _, d := range c.Defines {
		args = append(args, "-D"+d.Name+"="+d.Value)
	}
	for _, t := range c.Include {
		args = append(args, "-I"+t.Text)
	}
	args = append(args, "-MD", "-MF", depfile, "-MT", object, c.Source, "-o", object)
	return engine.Action{
		Kind:      "compile-hip",
		Tool:      tc.Name + ":bin/clang++",
		Args:      args,
		Toolchain: tc.Digest,
		Inputs:    inputs,
		Outputs:   []string{object},
		Depfile:   depfile,
	}
}

// forcedInputs lists the files that flags make the compiler read (-include and
// -imacros), so that they are inputs like any source.
func forcedInputs(flags []matrix.Token) []string {
	var names []string
	for i, t := range flags {
		if (t.Text == "-include" || t.Text == "-imacros") && i+1 < len(flags) {
			names = append(names, flags[i+1].Text)
		}
	}
	return slices.Compact(names)
}
