package engine

import (
	"encoding/binary"
	"reflect"
	"slices"
	"strings"
	"testing"

	"kmx/cache"
)

// sample has at least one of everything, so that each part can be changed alone.
func sample() Action {
	return Action{
		Kind: "compile", Tool: "hip:bin/clang++", Args: []string{"-O3", "a.hip"},
		Env:       []EnvVar{{"SOURCE_DATE_EPOCH", "0"}, {"A", "b"}},
		Toolchain: cache.Sum([]byte("closure")),
		Inputs: []Input{
			{Path: "kernels/a.hip", Digest: cache.Sum([]byte("a"))}, {Path: "kernels/a.h", Digest: cache.Sum([]byte("h"))},
		},
		Outputs: []string{"out.hsaco", "out.txt"},
		Depfile: "out.d",
	}
}

// Every field of Action, and of what it is made of, must reach the key. The walk is by reflection, so that a field that
// somebody adds later is caught as well. One is meant to stay out: the bytes of an input that counts by a rule, since the
// rule says that they make no difference.
func TestEveryFieldIsInTheKey(t *testing.T) {
	a := sample()
	a.Inputs[0].Rule, a.Inputs[0].Bytes = "tokens", cache.Sum([]byte("a // a"))
	before := a.Key()
	var walk func(name string, v reflect.Value, a *Action)
	try := func(name string, a *Action) {
		if name == "Action.Inputs[0].Bytes" {
			if a.Key() != before {
				t.Errorf("%s reaches the key", name)
			}
			return
		}
		if a.Key() == before {
			t.Errorf("%s does not reach the key", name)
		}
	}
	walk = func(name string, v reflect.Value, a *Action) {
		old := reflect.New(v.Type()).Elem()
		old.Set(v)
		switch v.Kind() {
		case reflect.String:
			v.SetString(v.String() + "x")
			try(name, a)
		case reflect.Bool:
			v.SetBool(!v.Bool())
			try(name, a)
		case reflect.Int, reflect.Int64:
			v.SetInt(v.Int() + 1)
			try(name, a)
		case reflect.Array: // digests
			v.Index(v.Len() - 1).SetUint(v.Index(v.Len()-1).Uint() ^ 1)
			try(name, a)
		case reflect.Slice:
			v.Set(reflect.Append(slicesClone(v), reflect.Zero(v.Type().Elem())))
			try(name+" (one more)", a)
			v.Set(slicesClone(old))
			walk(name+"[0]", v.Index(0), a)
		case reflect.Struct:
			for i := range v.NumField() {
				walk(name+"."+v.Type().Field(i).Name, v.Field(i), a)
			}
		default:
			t.Errorf("%s has kind %s, which this test does not know", name, v.Kind())
		}
		v.Set(old)
	}
	walk("Action", reflect.ValueOf(&a).Elem(), &a)
	if a.Key() != before {
		t.Error("the walk did not restore the action")
	}
}

// An input that counts by a rule is told from one with the same digest of its bytes, and its record says its bytes.
func TestRule(t *testing.T) {
	a := sample()
	before := a.Key()
	in := &a.Inputs[0]
	in.Rule, in.Bytes = "tokens", cache.Sum([]byte("a // a"))
	if a.Key() == before {
		t.Error("the rule is not in the key")
	}
	if in.Content() != in.Bytes || a.Inputs[1].Content() != a.Inputs[1].Digest {
		t.Error("Content is not the digest of the bytes")
	}
	fields := a.Fields()
	if got, want := fields[len(fields)-1], (cache.Field{Tag: "bytes", Name: in.Path, Value: in.Bytes.String()}); got != want {
		t.Errorf("the last field is %v, want %v", got, want)
	}
}

func slicesClone(v reflect.Value) reflect.Value {
	return reflect.AppendSlice(reflect.MakeSlice(v.Type(), 0, v.Len()+1), v)
}

func TestKeyIgnoresEverythingElse(t *testing.T) {
	a := sample()
	want := a.Key()
	t.Setenv("HOME", "/elsewhere")
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("USER", "somebody")
	t.Setenv("TZ", "Pacific/Auckland")
	t.Setenv("CPATH", "/evil")
	t.Setenv("LC_ALL", "tr_TR.UTF-8")
	t.Chdir(t.TempDir())
	if got := a.Key(); got != want {
		t.Errorf("the key depends on the environment or the directory: %s, %s", want, got)
	}
	b := sample()
	slices.Reverse(b.Inputs)
	slices.Reverse(b.Env)
	slices.Reverse(b.Outputs)
	if got := b.Key(); got != want {
		t.Errorf("the key depends on an order without meaning: %s, %s", want, got)
	}
	if b.Inputs[0].Path != "kernels/a.h" {
		t.Error("making a key reordered the caller's inputs")
	}
	c := sample()
	slices.Reverse(c.Args)
	if c.Key() == want {
		t.Error("the key ignores the order of arguments")
	}
}

// A key is a promise to every cache in existence: this one may only change together with keyFormat.
func TestKeyIsStable(t *testing.T) {
	a := sample()
	const want = "a5f4e7355c992923c732fea337850610750dade9c9867a8007980c14fd162a05"
	if got := a.Key().String(); got != want {
		t.Errorf("the key of the sample is %s, it was %s; a new encoding needs a new keyFormat", got, want)
	}
}

func TestFieldsAreWhatIsHashed(t *testing.T) {
	a := sample()
	b := appendText(nil, keyFormat)
	for _, f := range a.Fields() {
		b = appendField(b, f.Tag, f.Name, f.Value)
	}
	if cache.Sum(b) != a.Key() {
		t.Error("the fields of the record do not give the key")
	}
	var got []string
	for _, f := range a.Fields() {
		got = append(got, strings.TrimSpace(f.Tag+" "+f.Name))
	}
	want := "kind tool toolchain arg arg env A env SOURCE_DATE_EPOCH input kernels/a.h input kernels/a.hip output out.hsaco output out.txt depfile"
	if strings.Join(got, " ") != want {
		t.Errorf("fields:\n%s\nwant:\n%s", strings.Join(got, " "), want)
	}
}

// The encoding can be read back, so no two lists of fields share one.
func FuzzEncodingIsInjective(f *testing.F) {
	f.Add([]byte("kind\x00\x00compile"), uint16(4), uint16(9))
	f.Add([]byte{}, uint16(0), uint16(0))
	f.Add([]byte(strings.Repeat("long ", 100)), uint16(130), uint16(131))
	f.Fuzz(func(t *testing.T, data []byte, i, j uint16) {
		lo, hi := int(min(i, j)), int(max(i, j))
		lo, hi = min(lo, len(data)), min(hi, len(data))
		fields := [][3]string{
			{string(data[:lo]), string(data[lo:hi]), string(data[hi:])},
			{string(data[hi:]), "", string(data[:hi])},
		}
		var b []byte
		for _, f := range fields {
			b = appendField(b, f[0], f[1], f[2])
		}
		var got [][3]string
		for len(b) > 0 {
			var f [3]string
			for k := range f {
				n, used := binary.Uvarint(b)
				if used <= 0 || uint64(len(b)-used) < n {
					t.Fatalf("the encoding cannot be read back")
				}
				f[k], b = string(b[used:used+int(n)]), b[used+int(n):]
			}
			got = append(got, f)
		}
		if !slices.Equal(got, fields) {
			t.Fatalf("%q was read back as %q", fields, got)
		}
	})
}

// Moving text across the border between two parts of an action makes another key.
func FuzzKeySplits(f *testing.F) {
	f.Add("-DA=1", uint8(2))
	f.Add("kernels/common/wmma.h", uint8(7))
	f.Fuzz(func(t *testing.T, s string, at uint8) {
		i := int(at)
		if i >= len(s) {
			return
		}
		keys := map[cache.Digest]string{}
		for what, a := range map[string]Action{
			"one argument":     {Args: []string{s}},
			"two arguments":    {Args: []string{s[:i], s[i:]}},
			"a variable":       {Env: []EnvVar{{s[:i], s[i:]}}},
			"a long name":      {Env: []EnvVar{{s, ""}}},
			"an output":        {Outputs: []string{s}},
			"two outputs":      {Outputs: []string{s[:i], s[i:]}},
			"an input":         {Inputs: []Input{{Path: s}}},
			"a kind":           {Kind: s},
			"a tool":           {Tool: s},
			"a kind, a tool":   {Kind: s[:i], Tool: s[i:]},
			"a depfile":        {Depfile: s},
			"a kind, depfile":  {Kind: s[:i], Depfile: s[i:]},
			"argument, output": {Args: []string{s[:i]}, Outputs: []string{s[i:]}},
		} {
			k := a.Key()
			if other, ok := keys[k]; ok && !(i == 0 && strings.HasPrefix(what, "a ") && strings.HasPrefix(other, "a ")) {
				t.Errorf("%s and %s of %q at %d have the same key", what, other, s, i)
			}
			keys[k] = what
		}
	})
}
