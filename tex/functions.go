package tex

import (
	"fmt"
	"strings"
)

// function is a device function as PTX sees it: the types of its parameters
// and of its result, "" for none. Every parameter is passed by value.
type function struct {
	name   string
	params []string
	result string
}

// The device functions. Integers of 16 bits are passed as .b16, as a C function
// with an unsigned short takes them.
var (
	// surface, x, y, the channels. x counts bytes, in sustP pixels.
	sustV2B16 = function{"d4r_sust_v2b16", []string{"b64", "b32", "b32", "b16", "b16"}, ""}
	sustB32   = function{"d4r_sust_b32", []string{"b64", "b32", "b32", "b32"}, ""}
	sustP     = function{"d4r_sust_p_v4b32", []string{"b64", "b32", "b32", "b32", "b32", "b32", "b32"}, ""}
	sustV4B16 = function{"d4r_sust_v4b16", []string{"b64", "b32", "b32", "b16", "b16", "b16", "b16"}, ""}
	// two e4m3 codes; gives the pair as f16
	decE4M3x2 = function{"d4r_dec_e4m3x2", []string{"b16"}, "b32"}
	// shared memory, weights, output, sizes x and y, origin x and y
	enc0Tail = function{"d4r_enc0_tail", []string{"b32", "b64", "b64", "b32", "b32", "b32", "b32"}, ""}
	// shared memory, weights, input, sizes x and y, origin x and y
	dec0Head = function{"d4r_dec0_head", []string{"b32", "b64", "b64", "b32", "b32", "b32", "b32"}, ""}
	// shared memory, weights, output, merged output, sx, sy, tw, th, block x and y
	enc0lTail = function{"d4r_enc0l_tail", []string{"b32", "b64", "b64", "b64", "b32", "b32", "b32", "b32", "b32", "b32"}, ""}
	// weights, input, skip, sx, sy, tw, th, block x and y; gives a shared address
	dec0lBlock = function{"d4r_dec0l_block", []string{"b64", "b64", "b64", "b32", "b32", "b32", "b32", "b32", "b32"}, "b32"}
)

// declaration is the .extern .func of f, with its line end.
func (f function) declaration() string {
	var b strings.Builder
	b.WriteString(".extern .func ")
	if f.result != "" {
		fmt.Fprintf(&b, "(.param .%s %s_result) ", f.result, f.name)
	}
	b.WriteString(f.name + "\n(\n")
	for i, t := range f.params {
		comma := ","
		if i == len(f.params)-1 {
			comma = ""
		}
		fmt.Fprintf(&b, "\t.param .%s %s_param_%d%s\n", t, f.name, i, comma)
	}
	b.WriteString(")\n;\n")
	return b.String()
}

// call is the statements that call f, within a scope. before and after stand
// inside the scope, around the call; the result, if any, is stored to result.
func (f function) call(n *names, before, args []string, result string, after []string) string {
	var b strings.Builder
	line := func(format string, a ...any) { fmt.Fprintf(&b, "\t"+format+"\n", a...) }
	line("{")
	for _, s := range before {
		line("%s", s)
	}
	var params []string
	for i, t := range f.params {
		p := n.param(i)
		params = append(params, p)
		line(".param .%s %s;", t, p)
	}
	for i, t := range f.params {
		line("st.param.%s [%s], %s;", storeType(t, args[i]), params[i], args[i])
	}
	if f.result != "" {
		line(".param .%s %s;", f.result, n.result())
		line("call.uni (%s), %s, (%s);", n.result(), f.name, strings.Join(params, ", "))
		line("ld.param.%s %s, [%s];", f.result, result, n.result())
	} else {
		line("call.uni %s, (%s);", f.name, strings.Join(params, ", "))
	}
	for _, s := range after {
		line("%s", s)
	}
	b.WriteString("\t}")
	return b.String()
}

// storeType is the type of the store of an argument: the parameter's own, but
// for f32 constants, which only .f32 takes.
func storeType(t, arg string) string {
	if t == "b32" && (strings.HasPrefix(arg, "0f") || strings.HasPrefix(arg, "0F")) {
		return "f32"
	}
	return t
}
