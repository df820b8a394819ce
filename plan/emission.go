package plan

import (
	"fmt"
	"path"
	"slices"
	"strconv"

	"kmx/emit"
	"kmx/engine"
	"kmx/matrix"
	"kmx/toolchains"
)

// MechanismEmitter is the origin of arguments that make an emitter write one
// object.
const MechanismEmitter = "kind " + toolchains.KindEmitter

// The environment of ZLUDA's emitter that kmx itself sets or goes by. The
// matrix declares the rest.
const (
	envExtraBitcode   = "D4R_ZLUDA_EXTRA_BC"
	envIgnoreDenormal = "D4R_ZLUDA_IGNORE_DENORMAL"
	envMaxBlock       = "D4R_ZLUDA_IMPLICIT_MAX_BLOCK"
)

// outDir is where ZLUDA's emitter writes module.hsaco.
const outDir = "out"

// ObjectOutput is the output of a cell's action that is its object.
func ObjectOutput(c *matrix.Cell, emitter string) string {
	if isRecipe(c) && emitter == toolchains.EmitterZLUDA {
		return outDir + "/module.hsaco"
	}
	return objectName(c)
}

// emitOptions is how the built-in emitter lowers a cell, by the environment
// that its toolchain declares.
func emitOptions(c *matrix.Cell) emit.Options {
	// What the hook reads stands in the helpers, and nothing calls it.
	o := emit.Options{Target: c.Target.Name, Wave64: c.Wave64, Whole: len(c.Hook) > 0}
	ignore := false
	for _, e := range c.Env {
		switch e.Name {
		case envIgnoreDenormal:
			ignore = e.Value == "1"
		case envMaxBlock:
			o.MaxBlock, _ = strconv.Atoi(e.Value)
		}
	}
	o.Denormals = !ignore
	for _, b := range c.Bitcode {
		o.Bitcode = append(o.Bitcode, bitcodeName(b))
	}
	return o
}

// EmitCommand is the command that makes the object of a cell from a library's
// code, the symbolic tool first, each word with what put it there.
func EmitCommand(c *matrix.Cell, emitter string) []matrix.Token {
	var command []matrix.Token
	say := func(from matrix.Origin, words ...string) {
		for _, w := range words {
			command = append(command, matrix.Token{Text: w, From: from})
		}
	}
	tool := matrix.Origin{What: "toolchain " + c.Toolchain}
	mechanism := matrix.Origin{What: MechanismEmitter}
	target := matrix.Origin{Range: c.Target.Declared, What: "target " + c.Target.Name}
	if emitter == toolchains.EmitterZLUDA {
		say(tool, c.Toolchain+":"+toolchains.EmitterTool)
		say(c.RecipeFrom, c.Kernel+".ptx")
		say(mechanism, outDir)
		say(target, c.Target.Name)
		return command
	}
	say(tool, c.Toolchain+":bin/clang++")
	for _, word := range emit.Args(emitOptions(c), c.Kernel+".ll", objectName(c), false) {
		from := mechanism
		switch {
		case word == "-mcpu="+c.Target.Name:
			from = target
		case word == "-mwavefrontsize64":
			from = c.Wave64From
		case word == c.Kernel+".ll":
			from = c.RecipeFrom
		}
		for _, b := range c.Bitcode {
			if word == bitcodeName(b) {
				from = matrix.Origin{Range: b.Declared, What: "bitcode " + b.Name}
			}
		}
		say(from, word)
	}
	return command
}

// emitEnv is the environment of the command: ZLUDA's emitter takes its
// switches from there. The built-in one has them in the IR and the arguments. What
// is for the recipes has had its effect on the PTX.
func emitEnv(c *matrix.Cell, emitter string) []matrix.Define {
	if emitter != toolchains.EmitterZLUDA {
		return nil
	}
	env := slices.DeleteFunc(slices.Clone(c.Env), func(d matrix.Define) bool { return d.Name == envKinds })
	for _, b := range c.Bitcode {
		env = append(env, matrix.Define{Name: envExtraBitcode, Value: bitcodeName(b), From: matrix.Origin{Range: b.Declared, What: "bitcode " + b.Name}})
	}
	return env
}

// emission is the action that makes a cell's object from what the steps made.
// Its inputs are complete by construction: the emitter is given one file and the
// helpers, and looks for nothing else.
func emission(c *matrix.Cell, tc *toolchains.Toolchain, in made) engine.Action {
	argv := texts(EmitCommand(c, tc.Emitter))
	a := engine.Action{
		Kind: "emit-" + tc.Emitter, Tool: argv[0], Args: argv[1:], Toolchain: tc.Digest,
		Inputs: []engine.Input{{Path: in.name, Digest: in.digest}}, Outputs: []string{ObjectOutput(c, tc.Emitter)},
	}
	for _, e := range emitEnv(c, tc.Emitter) {
		a.Env = append(a.Env, engine.EnvVar{Name: e.Name, Value: e.Value})
	}
	return a
}

// bitcodeName is the file of a helper in the sandbox.
func bitcodeName(b matrix.Bitcode) string { return b.Name + ".bc" }

// BitcodeCommand is the command that compiles a helper of a cell, as Command
// is for the cell itself.
func BitcodeCommand(c *matrix.Cell, b matrix.Bitcode) []matrix.Token {
	h := bitcodeCell(c, b)
	return driver(h, bitcodeName(b), "-emit-llvm", "-c")
}

// bitcodeCell is a helper as if it were a kernel's source.
func bitcodeCell(c *matrix.Cell, b matrix.Bitcode) *matrix.Cell {
	h := *c
	h.Toolchain, h.Flags, h.Defines, h.Include, h.Env = b.Toolchain, b.Flags, b.Defines, b.Include, nil
	h.Source, h.SourceFrom = b.Source.Text, b.Source.From
	return &h
}

// compileBitcode is the action that makes a helper.
func compileBitcode(c *matrix.Cell, b matrix.Bitcode, tc *toolchains.Toolchain, read reading) engine.Action {
	argv := texts(BitcodeCommand(c, b))
	a := engine.Action{
		Kind: "compile-bitcode", Tool: argv[0], Args: argv[1:], Toolchain: tc.Digest,
		Outputs: []string{bitcodeName(b)}, Depfile: depfile,
	}
	a.Inputs = read.inputs(ruleOf(a.Args, a.Env, read.traits))
	return a
}

// bitcodeLabel names the action of a helper; it is no address.
func bitcodeLabel(c *matrix.Cell, b matrix.Bitcode) string {
	return fmt.Sprintf("bitcode %s (%s) for %s", b.Name, path.Base(b.Source.Text), c.Address())
}
