//go:build linux

package main

import (
	_ "embed"

	"kmx/cuda/ptx"
	"kmx/emit/emittest"
)

// functions is the CUDA build of the device functions that edited kernels call.
//
//go:embed device/functions.ptx
var functions []byte

// assemble has ptxas take every module of the stand-in library, as it is and with
// each kernel edited, and links the edited kernels with the functions they call.
func (b *batch) assemble() error {
	modules, variants, err := b.library()
	if err != nil {
		return err
	}
	whole := map[string][]byte{}
	for _, m := range modules {
		whole[m.Name] = m.Text
	}
	b.assembleAll("assemble", "original modules that ptxas takes", whole, nil)
	edited := map[string][]byte{}
	for _, v := range variants {
		edited[v.name] = v.edited
	}
	b.assembleAll("assemble", "edited modules that ptxas takes", edited, functions)
	for _, v := range variants {
		if err := b.ctx.Err(); err != nil {
			return err
		}
		b.count("assemble", "edited kernels that link with their functions", v.name, b.linked(v))
	}
	return nil
}

func (b *batch) linked(v variant) error {
	m, err := ptx.Parse(v.name, v.edited)
	if err != nil {
		return err
	}
	text, err := emittest.Alone(m, v.kernel.Name)
	if err != nil {
		return err
	}
	return b.compile(text, functions)
}
