package plan

import (
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"kmx/cache"
	"kmx/engine"
	"kmx/internal/diag"
	"kmx/matrix"
)

func base() engine.Action {
	return engine.Action{
		Kind: "compile-hip", Tool: "hip:bin/clang++",
		Args:      []string{"-x", "hip", "-O1", "-mllvm", "-fast-isel", "-DX=1", "-Iinclude", "-MD", "k/a.hip", "-o", "a.hsaco"},
		Env:       []engine.EnvVar{{Name: "MODE", Value: "1"}, {Name: "WAVES", Value: "4"}},
		Toolchain: cache.Sum([]byte("tc")),
		Inputs:    []engine.Input{{Path: "include/a.h", Digest: cache.Sum([]byte("h"))}, {Path: "k/a.hip", Digest: cache.Sum([]byte("s"))}},
		Outputs:   []string{"a.hsaco", "a.txt"},
		Depfile:   "inputs.d",
	}
}

// perturb visits every part of an action by reflection, changes it, shows what
// the change put there, and takes it back. A field added to Action takes part
// without a change here.
func perturb(t *testing.T, a *engine.Action, show func(path, value string)) {
	var walk func(v reflect.Value, path string)
	walk = func(v reflect.Value, path string) {
		old := reflect.New(v.Type()).Elem()
		old.Set(v)
		switch v.Kind() {
		case reflect.String:
			v.SetString(old.String() + "~")
			show(path, v.String())
		case reflect.Array: // a digest
			v.Index(5).SetUint(v.Index(5).Uint() ^ 1)
			b := make([]byte, v.Len())
			reflect.Copy(reflect.ValueOf(b), v)
			show(path, hex.EncodeToString(b))
		case reflect.Struct:
			for i := range v.NumField() {
				walk(v.Field(i), path+"."+v.Type().Field(i).Name)
			}
		case reflect.Slice:
			for i := range v.Len() {
				walk(v.Index(i), fmt.Sprintf("%s[%d]", path, i))
			}
			for i := range old.Len() {
				less := reflect.AppendSlice(reflect.MakeSlice(v.Type(), 0, v.Len()), old.Slice(0, i))
				v.Set(reflect.AppendSlice(less, old.Slice(i+1, old.Len())))
				gone := old.Index(i)
				if gone.Kind() == reflect.Struct {
					gone = gone.Field(0)
				}
				show(fmt.Sprintf("%s without %d", path, i), gone.String())
			}
			v.Set(reflect.MakeSlice(v.Type(), 0, 0))
			show(path+" emptied", "")
		default:
			t.Fatalf("%s is of kind %s, which this test cannot change", path, v.Kind())
		}
		v.Set(old)
	}
	walk(reflect.ValueOf(a).Elem(), "Action")
}

func said(causes []Cause) string {
	var b strings.Builder
	for _, c := range causes {
		fmt.Fprintln(&b, c.Kind, c.Text, c.Before, c.After, strings.Join(c.Follows, " "))
	}
	return b.String()
}

// Whatever part of an action is changed, the key changes and the reasons name
// the part: both come from the one visitor.
func TestReasonsNameEveryField(t *testing.T) {
	was := base()
	before, key := was.Fields(), was.Key()
	now := base()
	changes := 0
	perturb(t, &now, func(path, value string) {
		if strings.HasPrefix(path, "Action.Inputs[") && strings.HasSuffix(path, "].Bytes") {
			return // in no key
		}
		changes++
		causes := Reasons(before, now.Fields(), Evidence{})
		if now.Key() == key {
			t.Errorf("%s: the key is the same", path)
		}
		if len(causes) == 0 || !strings.Contains(said(causes), value) {
			t.Errorf("%s: %q is not named in\n%s", path, value, said(causes))
		}
		for _, c := range causes {
			if c.Text == "" || c.Kind == "" || strings.Contains(c.Text, "\n") {
				t.Errorf("%s: a cause without words, or with several lines: %+v", path, c)
			}
		}
	})
	if now.Key() != key || changes < 40 {
		t.Fatalf("%d changes, and the action is restored: %v", changes, now.Key() == key)
	}
	if causes := Reasons(before, now.Fields(), Evidence{}); len(causes) > 0 {
		t.Errorf("the same action has changed:\n%s", said(causes))
	}
}

// Reasons are empty exactly when the keys are equal.
func TestReasonsAgreeWithKeys(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	pick := func(of ...string) string { return of[rnd.IntN(len(of))] }
	random := func() engine.Action {
		a := engine.Action{Kind: pick("a", "b"), Tool: pick("t", "u"), Depfile: pick("", "d")}
		for range rnd.IntN(4) {
			a.Args = append(a.Args, pick("-g", "-O1", "-O2", "-DX=1", "-DX=2", "-mllvm", "k/a.hip", ""))
		}
		for range rnd.IntN(3) {
			a.Env = append(a.Env, engine.EnvVar{Name: pick("A", "B"), Value: pick("", "1")})
		}
		for range rnd.IntN(3) {
			a.Inputs = append(a.Inputs, engine.Input{Path: pick("k/a.hip", "h"), Digest: cache.Digest{byte(rnd.IntN(2))}})
		}
		for range rnd.IntN(2) {
			a.Outputs = append(a.Outputs, pick("o", "p"))
		}
		return a
	}
	for i := range 20_000 {
		a, b := random(), random()
		if i%10 == 0 { // what has no order, in another order
			b = a
			b.Env, b.Inputs = slices.Clone(a.Env), slices.Clone(a.Inputs)
			slices.Reverse(b.Env)
			slices.Reverse(b.Inputs)
		}
		same := a.Key() == b.Key()
		if i%10 == 0 && !same {
			t.Fatalf("the order of environment and inputs is in the key: %+v", a)
		}
		if causes := Reasons(a.Fields(), b.Fields(), Evidence{}); same != (len(causes) == 0) {
			t.Fatalf("keys equal: %v, reasons:\n%s%+v\n%+v", same, said(causes), a, b)
		}
	}
}

func args(args ...string) []cache.Field {
	f := []cache.Field{{Tag: "tool", Value: "hip:bin/clang++"}, {Tag: "input", Name: "k/a.hip", Value: "1"}, {Tag: "input", Name: "k/b.hip", Value: "2"}}
	for _, a := range args {
		f = append(f, cache.Field{Tag: "arg", Value: a})
	}
	return f
}

func TestReasonsOfArguments(t *testing.T) {
	for _, c := range []struct{ name, before, now, want string }{
		{"added", "-x hip", "-x hip -mcumode", "flag -mcumode added"},
		{"removed", "-O2 -g0", "-g0", "flag -O2 removed"},
		{"another value", "-O2 -g0", "-O3 -g0", "flag -O3 changed from -O2"},
		{"another value behind =", "-std=c++20", "-std=c++23", "flag -std=c++23 changed from -std=c++20"},
		{"an operand stays with its option", "-mllvm -a -mllvm -b", "-mllvm -a -mllvm -c", "flag -mllvm -c added; flag -mllvm -b removed"},
		{"an operand's value", "-mllvm -misched=a", "-mllvm -misched=b", "flag -mllvm -misched=b changed from -mllvm -misched=a"},
		{"a definition", "-DX=2 -DY=1", "-DX=1 -DY=1", "define X = 1 changed from 2"},
		{"a definition added", "-DY=1", "-DX=1 -DY=1", "define X = 1 added"},
		{"another place", "-a -b -c", "-b -c -a", "flag -a moved"},
		{"the source", "k/a.hip -o x", "k/b.hip -o x", "source k/b.hip changed from k/a.hip"},
		{"an include directory", "-Ia", "-Ib -Ia", "include directory b added"},
		{"twice", "-g", "-g -g", "flag -g added"},
	} {
		var got []string
		for _, cause := range Reasons(args(strings.Fields(c.before)...), args(strings.Fields(c.now)...), Evidence{}) {
			got = append(got, cause.Text)
		}
		if text := strings.Join(got, "; "); text != c.want {
			t.Errorf("%s: %s, want %s", c.name, text, c.want)
		}
	}
}

func TestReasonsOfVariables(t *testing.T) {
	at := func(line int) matrix.Origin {
		return matrix.Origin{What: "flags", Range: diag.Range{File: "matrix.hcl", Start: diag.Pos{Line: line, Column: 5}}}
	}
	command := []matrix.Token{{Text: "hip:bin/clang++"}, {Text: "-g", From: at(7)}, {Text: "-DX=1", From: at(8)}}
	change := VariableChange{Name: "debug", Before: "false", After: "true", Given: "-vars"}
	list := VariableChange{Name: "extra", Before: `["-a", "-b"]`, After: "[]", Given: "default"}
	for _, c := range []struct {
		name, before, now, want string
		changes                 *VariableChanges
	}{
		{"a place", "", "-g", "flag -g added (matrix.hcl:7:5)", nil},
		{"the matrix changed too", "", "-g", "flag -g added (matrix.hcl:7:5)", &VariableChanges{Changed: []VariableChange{change}}},
		{"only a variable changed", "", "-g", "variable debug: flag -g added (true, was false, -vars)", &VariableChanges{Changed: []VariableChange{change}, SameMatrix: true}},
		{"what it held is gone", "-a -g -b", "-g", `variable extra: flag -a removed, flag -b removed ([], was ["-a", "-b"], default)`, &VariableChanges{Changed: []VariableChange{list}}},
		{"what it did not hold is gone", "-c -g", "-g", "flag -c removed", &VariableChanges{Changed: []VariableChange{list}}},
	} {
		e := Evidence{Origins: NewOrigins(nil), Command: command, Variables: c.changes}
		var got []string
		for _, cause := range Reasons(args(strings.Fields(c.before)...), args(strings.Fields(c.now)...), e) {
			got = append(got, cause.Text)
		}
		if text := strings.Join(got, "; "); text != c.want {
			t.Errorf("%s: %s, want %s", c.name, text, c.want)
		}
	}
}
