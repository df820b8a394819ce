package plan

import (
	"slices"

	"kmx/engine"
	"kmx/matrix"
	"kmx/toolchains"
)

const depfile = "inputs.d"

// Mechanism is the origin of arguments that no line of the matrix asks for:
// they make the driver write one device object and say what it read.
const Mechanism = "kind " + toolchains.KindClang

// Command is the driver command that makes a cell's object, the symbolic tool
// first, each token with what put it there. One target per command, device
// code only. The flags a kernel is built with are all the matrix's; what is
// added here is the mechanism: language, target, wave size, inputs, outputs,
// depfile.
//
// The action is made from these tokens, so what is told about a command cannot
// differ from what is run.
func Command(c *matrix.Cell) []matrix.Token { return driver(c, objectName(c)) }

// driver is the command that makes the file output of a cell's source; more
// says what is made instead of an object.
func driver(c *matrix.Cell, output string, more ...string) []matrix.Token {
	command := make([]matrix.Token, 0, 20+len(c.Flags)+len(c.Defines)+len(c.Include))
	say := func(from matrix.Origin, words ...string) {
		for _, w := range words {
			command = append(command, matrix.Token{Text: w, From: from})
		}
	}
	mechanism := matrix.Origin{What: Mechanism}

	say(matrix.Origin{What: "toolchain " + c.Toolchain}, c.Toolchain+":bin/clang++")
	say(mechanism, "-x", "hip")
	say(matrix.Origin{Range: c.Target.Declared, What: "target " + c.Target.Name}, "--offload-arch="+c.Target.Name)
	say(mechanism, "--offload-device-only", "--no-gpu-bundle-output",
		"--no-default-config", "--rocm-path=/nonexistent", "-fno-crash-diagnostics")
	command = append(command, c.Flags...)
	if c.Wave64 {
		say(c.Wave64From, "-mwavefrontsize64")
	}
	for _, d := range c.Defines {
		say(d.From, "-D"+d.Name+"="+d.Value)
	}
	for _, t := range c.Include {
		say(t.From, "-I"+t.Text)
	}
	say(mechanism, more...)
	say(mechanism, "-MD", "-MF", depfile, "-MT", output)
	say(c.SourceFrom, c.Source)
	say(mechanism, "-o", output)
	return command
}

func objectName(c *matrix.Cell) string { return c.Kernel + ".hsaco" }

// compileHIP is the action that makes a cell's object with a clang driver.
// Paths are relative to the project, the tool is symbolic, so the action is
// the same in every checkout and on every machine with the same toolchain.
func compileHIP(c *matrix.Cell, tc *toolchains.Toolchain, read reading) engine.Action {
	argv := texts(Command(c))
	a := engine.Action{
		Kind:      "compile-hip",
		Tool:      argv[0],
		Args:      argv[1:],
		Toolchain: tc.Digest,
		Outputs:   []string{objectName(c)},
		Depfile:   depfile,
	}
	for _, e := range c.Env {
		a.Env = append(a.Env, engine.EnvVar{Name: e.Name, Value: e.Value})
	}
	a.Inputs = read.inputs(ruleOf(a.Args, a.Env, read.traits))
	return a
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
