//go:build linux

package main

import (
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"

	"kmx/cuda/ptx"
	"kmx/tex"
)

// roundfSource has roundf in both forms that compilers write, each a kernel that
// fills a buffer, and one that compares two buffers.
//
//go:embed device/roundf.ptx
var roundfSource []byte

// roundfKernels are the kernels to edit: both forms, with .ftz and without.
var roundfKernels = []string{"roundf_and_or", "roundf_copysign", "roundf_and_or_keep", "roundf_copysign_keep"}

// roundfChunk is the numbers of one launch: 2^26 in 256 MiB.
const roundfChunk = 1 << 26

// roundf runs the idiom and what the recipe makes of it over all f32.
func (b *batch) roundf() error {
	m, err := ptx.Parse("device/roundf.ptx", roundfSource)
	if err != nil {
		return err
	}
	plain, err := b.d.load(roundfSource)
	if err != nil {
		return err
	}
	defer b.d.ModuleUnload(plain)
	for _, kernel := range roundfKernels {
		r, err := tex.Edit(tex.Request{Kernel: kernel, Recipe: "stores", Module: m, Counts: map[string]string{"round": "1"}})
		if err != nil {
			b.count("roundf", "kernels edited", kernel, err)
			continue
		}
		b.count("roundf", "kernels edited", kernel, nil)
		edited, err := b.d.load(r.Text)
		if err != nil {
			return fmt.Errorf("%s: %w", kernel, err)
		}
		defer b.d.ModuleUnload(edited)
		differ, nans, at, err := b.allFloats(form{plain, kernel}, form{edited, kernel})
		if err != nil {
			return fmt.Errorf("%s: %w", kernel, err)
		}
		t := b.of("roundf", "f32 for which "+kernel+" and its rewrite agree")
		t.Done, t.Failed = 1<<32, differ
		t.Note = fmt.Sprintf("%d of them are NaNs in both", nans)
		if differ > 0 {
			t.Failures = []failure{{kernel, fmt.Sprintf("one is at element %d of its part", at)}}
		}
	}
	// A comparison that can find nothing proves nothing.
	differ, _, _, err := b.allFloats(form{plain, "roundf_and_or"}, form{plain, "roundf_to_nearest"})
	if err == nil && differ == 0 {
		err = errors.New("no f32 differs")
	}
	b.count("roundf", "wrong rewrites that are found out", "add.rn for add.rz", err)
	b.of("roundf", "wrong rewrites that are found out").Note = fmt.Sprintf("%d f32 differ", differ)
	return nil
}

// form is a kernel of a module.
type form struct {
	module uint64
	kernel string
}

// allFloats runs two kernels on every f32 and counts those that give different
// numbers, and those that give a NaN twice; at is where one differs.
func (b *batch) allFloats(one, other form) (differ, nans, at uint64, err error) {
	d := b.d
	var buffers [2]uint64
	for i := range buffers {
		if err := d.check("cuMemAlloc", d.MemAlloc(&buffers[i], 4*roundfChunk)); err != nil {
			return 0, 0, 0, err
		}
		defer d.MemFree(buffers[i])
	}
	counts, err := d.buffer(make([]byte, 24))
	if err != nil {
		return 0, 0, 0, err
	}
	defer d.MemFree(counts)
	grid, block := [3]int{roundfChunk / 256, 1, 1}, [3]int{256, 1, 1}
	for first := uint64(0); first < 1<<32; first += roundfChunk {
		if err := b.ctx.Err(); err != nil {
			return 0, 0, 0, err
		}
		start := binary.LittleEndian.AppendUint32(nil, uint32(first))
		for i, f := range []form{one, other} {
			if err := d.launch(f.module, f.kernel, grid, block, [][]byte{word(buffers[i]), start}); err != nil {
				return 0, 0, 0, err
			}
		}
		if err := d.launch(one.module, "compare_floats", grid, block, [][]byte{word(buffers[0]), word(buffers[1]), word(counts)}); err != nil {
			return 0, 0, 0, err
		}
	}
	out, err := d.read(counts, 24)
	if err != nil {
		return 0, 0, 0, err
	}
	return binary.LittleEndian.Uint64(out), binary.LittleEndian.Uint64(out[8:]), binary.LittleEndian.Uint64(out[16:]), nil
}

func word(v uint64) []byte { return binary.LittleEndian.AppendUint64(nil, v) }
