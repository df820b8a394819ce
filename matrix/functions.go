package matrix

import (
	"fmt"
	"slices"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
)

// functions is every function an expression can call. Functions that read a
// file, a clock or the machine are not here, nor those whose result can be
// far larger than their input.
var functions = map[string]function.Function{
	// numbers
	"abs":      stdlib.AbsoluteFunc,
	"ceil":     stdlib.CeilFunc,
	"floor":    stdlib.FloorFunc,
	"max":      stdlib.MaxFunc,
	"min":      stdlib.MinFunc,
	"parseint": stdlib.ParseIntFunc,
	"signum":   stdlib.SignumFunc,

	// strings
	"chomp":        stdlib.ChompFunc,
	"format":       narrow(stdlib.FormatFunc),
	"formatlist":   narrow(stdlib.FormatListFunc),
	"join":         stdlib.JoinFunc,
	"lower":        stdlib.LowerFunc,
	"regex":        stdlib.RegexFunc,
	"regexall":     stdlib.RegexAllFunc,
	"regexreplace": stdlib.RegexReplaceFunc,
	"replace":      stdlib.ReplaceFunc,
	"split":        stdlib.SplitFunc,
	"strlen":       stdlib.StrlenFunc,
	"strrev":       stdlib.ReverseFunc,
	"substr":       stdlib.SubstrFunc,
	"title":        stdlib.TitleFunc,
	"trim":         stdlib.TrimFunc,
	"trimprefix":   stdlib.TrimPrefixFunc,
	"trimspace":    stdlib.TrimSpaceFunc,
	"trimsuffix":   stdlib.TrimSuffixFunc,
	"upper":        stdlib.UpperFunc,

	// lists and objects
	"chunklist":    stdlib.ChunklistFunc,
	"coalesce":     stdlib.CoalesceFunc,
	"coalescelist": stdlib.CoalesceListFunc,
	"compact":      stdlib.CompactFunc,
	"concat":       stdlib.ConcatFunc,
	"contains":     stdlib.ContainsFunc,
	"distinct":     stdlib.DistinctFunc,
	"element":      stdlib.ElementFunc,
	"flatten":      stdlib.FlattenFunc,
	"hasindex":     stdlib.HasIndexFunc,
	"keys":         stdlib.KeysFunc,
	"length":       stdlib.LengthFunc,
	"lookup":       stdlib.LookupFunc,
	"merge":        stdlib.MergeFunc,
	"reverse":      stdlib.ReverseListFunc,
	"slice":        stdlib.SliceFunc,
	"sort":         stdlib.SortFunc,
	"values":       stdlib.ValuesFunc,
	"zipmap":       stdlib.ZipmapFunc,

	// sets
	"setintersection": stdlib.SetIntersectionFunc,
	"setsubtract":     stdlib.SetSubtractFunc,
	"setunion":        stdlib.SetUnionFunc,

	// types
	"tobool":   stdlib.MakeToFunc(cty.Bool),
	"tolist":   stdlib.MakeToFunc(cty.List(cty.DynamicPseudoType)),
	"tonumber": stdlib.MakeToFunc(cty.Number),
	"toset":    stdlib.MakeToFunc(cty.Set(cty.DynamicPseudoType)),
	"tostring": stdlib.MakeToFunc(cty.String),
}

var functionNames = func() []string {
	var names []string
	for n := range functions {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}()

// narrow refuses format strings whose widths or precisions have more than
// three digits, which would make megabytes of padding.
func narrow(f function.Function) function.Function {
	params := f.Params()
	variadic := f.VarParam()
	check := func(args []cty.Value) error {
		if len(args) == 0 || !args[0].IsKnown() || args[0].IsNull() || args[0].Type() != cty.String {
			return nil
		}
		digits := 0
		for _, c := range args[0].AsString() {
			if c < '0' || c > '9' {
				digits = 0
				continue
			}
			if digits++; digits > 3 {
				return function.NewArgError(0, fmt.Errorf("numbers of more than three digits are not allowed in a format"))
			}
		}
		return nil
	}
	return function.New(&function.Spec{
		Params:   params,
		VarParam: variadic,
		Type:     f.ReturnTypeForValues,
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			if err := check(args); err != nil {
				return cty.DynamicVal, err
			}
			return f.Call(args)
		},
	})
}
