//go:build linux

package main

import (
	_ "embed"
	"encoding/binary"
	"fmt"

	"kmx/cuda/ptx"
	"kmx/tex"
)

// roundfSource has roundf in both forms that compilers write, each a kernel that
// fills a buffer, and one that compares two buffers.
//
//go:embed device/roundf.ptx
var roundfSource []byte

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
	for _, kernel := range []string{"roundf_and_or", "roundf_copysign", "roundf_and_or_keep", "roundf_copysign_keep"} {
		r, err := tex.Edit(tex.Request{Kernel: kernel, Recipe: "stores", Module: m, Counts: map[string]string{"round": "1"}})
		if err != nil {
			b.count("roundf", "kernels edited", kernel, err)
			continue
		}
		b.count("roundf", "kernels edited", kernel, nil)
		if err := b.allFloats(kernel, plain, r.Text); err != nil {
			return fmt.Errorf("%s: %w", kernel, err)
		}
	}
	return nil
}

// allFloats compares one kernel with its edited form on every f32.
func (b *batch) allFloats(kernel string, plain uint64, text []byte) error {
	d := b.d
	edited, err := d.load(text)
	if err != nil {
		return err
	}
	defer d.ModuleUnload(edited)
	var buffers [2]uint64
	for i := range buffers {
		if err := d.check("cuMemAlloc", d.MemAlloc(&buffers[i], 4*roundfChunk)); err != nil {
			return err
		}
		defer d.MemFree(buffers[i])
	}
	counts, err := d.buffer(make([]byte, 24))
	if err != nil {
		return err
	}
	defer d.MemFree(counts)
	grid, block := [3]int{roundfChunk / 256, 1, 1}, [3]int{256, 1, 1}
	for first := uint64(0); first < 1<<32; first += roundfChunk {
		if err := b.ctx.Err(); err != nil {
			return err
		}
		start := binary.LittleEndian.AppendUint32(nil, uint32(first))
		for i, m := range []uint64{plain, edited} {
			if err := d.launch(m, kernel, grid, block, [][]byte{word(buffers[i]), start}); err != nil {
				return err
			}
		}
		if err := d.launch(plain, "compare_floats", grid, block, [][]byte{word(buffers[0]), word(buffers[1]), word(counts)}); err != nil {
			return err
		}
	}
	out, err := d.read(counts, 24)
	if err != nil {
		return err
	}
	t := b.of("roundf", "f32 for which "+kernel+" and its rewrite agree")
	t.Done = 1 << 32
	t.Failed = binary.LittleEndian.Uint64(out)
	t.Note = fmt.Sprintf("%d of them are NaNs in both", binary.LittleEndian.Uint64(out[8:]))
	if t.Failed > 0 {
		t.Failures = []failure{{kernel, fmt.Sprintf("one is at element %d of its part", binary.LittleEndian.Uint64(out[16:]))}}
	}
	return nil
}

func word(v uint64) []byte { return binary.LittleEndian.AppendUint64(nil, v) }
