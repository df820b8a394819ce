package verify

import (
	"cmp"
	"context"
	"os"
	"path"
	"reflect"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"kmx/amdgpu/codeobj"
	"kmx/release"
)

// objects opens every object of a set and holds it against its entry. Files that
// are not what their digests say were told already.
func (p *prover) objects(ctx context.Context, s Set) error {
	said := make([][]string, len(s.Objects))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, e := range s.Objects {
		if p.known[path.Join(s.At, e.File.Name)] {
			continue
		}
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			data, err := os.ReadFile(p.path(path.Join(s.At, e.File.Name)))
			if err != nil {
				said[i] = []string{err.Error()}
				return nil
			}
			said[i] = Object(data, e)
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	for i, e := range s.Objects {
		for _, what := range said[i] {
			p.say(s.At, e.File.Name, "%s", what)
		}
	}
	return nil
}

// Object says how a code object differs from the entry of its manifest: GPU,
// wave size, format, control symbols and their values, resources, exports.
func Object(data []byte, e release.Entry) []string {
	var said []string
	if place := e.Family + "/" + e.Name + "@" + e.Target; e.Address != place && !strings.HasPrefix(e.Address, place+"+") {
		said = append(said, "its address "+e.Address+" is not one of "+place)
	}
	want := codeobj.Want{Name: e.Name, Target: e.Target, WaveSize: e.WaveSize, Hook: map[string]uint32{}}
	for _, s := range e.Symbols {
		if name, control := strings.CutPrefix(s.Name, "d4r_"); control && s.Kind == "data" && s.Size == 4 && s.Value != nil {
			want.Hook[name] = uint32(*s.Value)
		}
	}
	obj, problems := codeobj.Check(data, want)
	for _, problem := range problems {
		said = append(said, problem.String())
	}
	if obj == nil || len(problems) > 0 {
		return said
	}
	kernel := func(k release.Kernel) string { return k.Name }
	symbol := func(s release.Symbol) string { return s.Name }
	said = append(said, differences("kernel", e.Kernels, release.KernelsOf(obj), kernel)...)
	return append(said, differences("symbol", e.Symbols, release.SymbolsOf(obj), symbol)...)
}

// differences compares what a manifest lists with what there is, by name.
func differences[T any](what string, listed, found []T, name func(T) string) []string {
	var said []string
	order := func(a, b T) int { return cmp.Compare(name(a), name(b)) }
	listed, found = slices.SortedFunc(slices.Values(listed), order), slices.SortedFunc(slices.Values(found), order)
	have := map[string]T{}
	for _, f := range found {
		have[name(f)] = f
	}
	for _, l := range listed {
		f, ok := have[name(l)]
		delete(have, name(l))
		if !ok {
			said = append(said, "the manifest lists "+what+" "+name(l)+", the object has none of that name")
		} else if field := firstOther(l, f); field != "" {
			said = append(said, "the manifest is wrong about "+what+" "+name(l)+": "+field)
		}
	}
	for _, f := range found {
		if _, more := have[name(f)]; more {
			said = append(said, "the object has "+what+" "+name(f)+", the manifest does not list it")
		}
	}
	return said
}

// firstOther names the first field in which two values of a struct differ, by its
// name in the manifest, and both values.
func firstOther[T any](listed, found T) string {
	l, f := reflect.ValueOf(listed), reflect.ValueOf(found)
	for i := range l.NumField() {
		a, b := l.Field(i), f.Field(i)
		if reflect.DeepEqual(a.Interface(), b.Interface()) {
			continue
		}
		field, _, _ := strings.Cut(l.Type().Field(i).Tag.Get("json"), ",")
		return field + " is " + shown(b) + ", the manifest says " + shown(a)
	}
	return ""
}
