package main

import (
	"fmt"
	"path/filepath"
	"strconv"

	"kmx/emit"
	"kmx/internal/diag"
)

// A switch of ZLUDA's emitter that has one position here: everything else is a
// refusal, since the object would not be what was asked for.
type fixed struct{ name, value, why string }

var fixedSwitches = []fixed{
	{"D4R_ZLUDA_FAST_MATH", "0", "the built-in emitter takes no liberties with arithmetic"},
}

// readEnvironment makes options of the environment that ZLUDA's emitter has. The
// switches about matrix instructions (D4R_ZLUDA_WMMA and what begins so) change
// nothing here, where those are refused.
func readEnvironment(arch string, lookup func(string) (string, bool)) (emit.Options, error) {
	o := emit.Options{Target: arch, Whole: true} // as ZLUDA links it
	var wrong diag.List
	say := func(format string, args ...any) {
		wrong = append(wrong, diag.Message{Summary: fmt.Sprintf(format, args...)})
	}
	flag := func(name string, otherwise bool) bool {
		switch v, ok := lookup(name); {
		case !ok || v == "":
			return otherwise
		case v == "0" || v == "1":
			return v == "1"
		default:
			say("%s is %q: it is 0 or 1", name, v)
			return otherwise
		}
	}
	o.Wave64 = flag("D4R_ZLUDA_WAVE64", false)
	o.Denormals = !flag("D4R_ZLUDA_IGNORE_DENORMAL", false)
	if v, ok := lookup("D4R_ZLUDA_IMPLICIT_MAX_BLOCK"); ok && v != "" {
		n, err := strconv.Atoi(v)
		if err != nil || n < 1 || n > 1024 {
			say("D4R_ZLUDA_IMPLICIT_MAX_BLOCK is %q: a block has 1 to 1024 threads", v)
		}
		o.MaxBlock = n
	}
	if v, ok := lookup("D4R_ZLUDA_EXTRA_BC"); ok {
		for _, path := range filepath.SplitList(v) {
			if path != "" {
				o.Bitcode = append(o.Bitcode, path)
			}
		}
	}
	for _, f := range fixedSwitches {
		if v, ok := lookup(f.name); ok && v != "" && v != f.value {
			say("%s is %q: %s", f.name, v, f.why)
		}
	}
	if len(wrong) > 0 {
		return o, &diag.Failure{Class: diag.Usage, Messages: wrong}
	}
	return o, nil
}
