package emu_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kmx/amdgpu/emu"
	"kmx/toolchains/toolchaintest"
)

// The packed e4m3 conversions of the kernels against the definition of the
// format, one value at a time: every f16 in every place of a register pair, and
// every pair of codes. Where NaN is treated in another way is stated with each.

// e4m3Values are the values of codes 0..0x7e; index is the code.
func e4m3Values() []float64 {
	v := make([]float64, 0x7f)
	for c := range v {
		e, m := c>>3, float64(c&7)
		if e == 0 {
			v[c] = math.Ldexp(m, -9)
		} else {
			v[c] = math.Ldexp(m+8, e-10)
		}
	}
	return v
}

// nearestE4M3 is the code nearest to a magnitude, ties to even; 0x7e beyond.
func nearestE4M3(values []float64, v float64) uint8 {
	best := 0
	for c, w := range values {
		d, least := math.Abs(w-v), math.Abs(values[best]-v)
		if d < least || d == least && c&1 == 0 {
			best = c
		}
	}
	if v > values[0x7e] {
		best = 0x7e
	}
	return uint8(best)
}

// halfValue is the value of an f16 by its definition.
func halfValue(h uint16) float64 {
	e, m := int(h>>10&31), float64(h&0x3ff)
	var v float64
	switch {
	case e == 31 && m != 0:
		return math.NaN()
	case e == 31:
		v = math.Inf(1)
	case e == 0:
		v = math.Ldexp(m, -24)
	default:
		v = math.Ldexp(m+1024, e-25)
	}
	if h&0x8000 != 0 {
		return -v
	}
	return v
}

// halfOf is the f16 of a value that has one.
func halfOf(v float64) uint16 {
	for h := range uint16(0x7c00) {
		if halfValue(h) == v {
			return h
		}
	}
	return 0x7e00
}

func TestE4M3OfKernels(t *testing.T) {
	values := e4m3Values()
	encoded := make([]uint8, 1<<16) // saturating; NaN 0x7f
	for h := range encoded {
		x := uint16(h)
		v := halfValue(x)
		sign := uint8(x>>8) & 0x80
		if encoded[h] = sign | nearestE4M3(values, math.Abs(v)); v != v {
			encoded[h] = sign | 0x7f
		}
	}
	decoded := make([]uint16, 256) // of the NaN codes, the value that their bits would have
	for c := range decoded {
		decoded[c] = halfOf(480) | uint16(c&0x80)<<8
		if c&0x7f < 0x7f {
			decoded[c] = halfOf(values[c&0x7f]) | uint16(c&0x80)<<8
		}
	}
	nan := func(h uint16) bool { return h&0x7fff > 0x7c00 }
	sign8 := func(h uint16) uint8 { return uint8(h>>8) & 0x80 }

	for _, target := range []string{"gfx1101", "gfx1201"} {
		t.Run(target, func(t *testing.T) {
			p := buildFile(t, "testdata/e4m3.hip", target, "-I../../kernels/common")
			run := func(kernel string, check func(halfIn uint16, codeIn uint8, halfOut uint16, codeOut uint8) bool) {
				runE4M3(t, p, kernel, check)
			}
			run("encode", func(h uint16, _ uint8, _ uint16, c uint8) bool { return c == encoded[h] })
			run("round_trip", func(h uint16, _ uint8, q uint16, _ uint8) bool {
				if nan(h) { // 448, where decoding the NaN code gives 480
					return q == halfOf(448)|h&0x8000
				}
				return q == decoded[encoded[h]]
			})
			run("encode_rounded", func(h uint16, _ uint8, _ uint16, c uint8) bool {
				if nan(h) { // as a number, because the rounding made it one
					return c == sign8(h)|0x7e
				}
				return c == encoded[h]
			})
			run("decode", func(_ uint16, c uint8, h uint16, _ uint8) bool { return h == decoded[c] })
			run("recode", func(_ uint16, in uint8, _ uint16, out uint8) bool {
				if in&0x7f == 0x7f { // saturates at 448
					return out == in&0x80|0x7e
				}
				return out == in
			})
			if target == "gfx1101" {
				return
			}
			run("encode_native", func(h uint16, _ uint8, _ uint16, c uint8) bool { return c == encoded[h] || nan(h) && c&0x7f == 0x7f })
			run("decode_native", func(_ uint16, c uint8, h uint16, _ uint8) bool {
				if c&0x7f == 0x7f { // the hardware keeps NaN
					return nan(h)
				}
				return h == decoded[c]
			})
		})
	}
}

// runE4M3 gives a kernel vectors in which each f16, and each pair of codes, takes
// every place, with several neighbours.
func runE4M3(t *testing.T, p *emu.Program, kernel string, check func(uint16, uint8, uint16, uint8) bool) {
	t.Helper()
	const n = 1 << 16
	strides := []int{0x1235, 0x8001, 1}
	if testing.Short() {
		strides = strides[:1]
	}
	for _, stride := range strides {
		halves, codes := make([]byte, 16*n), make([]byte, 8*n)
		for v := range n {
			for j := range 8 {
				binary.LittleEndian.PutUint16(halves[16*v+2*j:], uint16(v+j*stride))
			}
			for j := range 4 {
				binary.LittleEndian.PutUint16(codes[8*v+2*j:], uint16(v+j*stride))
			}
		}
		d := newDevice(t)
		halfIn, codeIn := d.buffer("halves", halves), d.buffer("codes", codes)
		halfOut, codeOut := d.buffer("half results", make([]byte, 16*n)), d.buffer("code results", make([]byte, 8*n))
		d.mustLaunch(p, emu.Launch{Kernel: kernel, Grid: [3]uint32{n / 256, 1, 1}, Block: [3]uint32{256, 1, 1}})
		for i := range 8 * n {
			h, c := binary.LittleEndian.Uint16(halfIn[2*i:]), codeIn[i]
			hOut, cOut := binary.LittleEndian.Uint16(halfOut[2*i:]), codeOut[i]
			if !check(h, c, hOut, cOut) {
				t.Errorf("%s: place %d of a vector: f16 %04x or code %02x became f16 %04x or code %02x", kernel, i%8, h, c, hOut, cOut)
				return
			}
		}
	}
}

// buildFile is build for a file with includes.
func buildFile(t *testing.T, file, target string, flags ...string) *emu.Program {
	t.Helper()
	object := filepath.Join(t.TempDir(), "k.hsaco")
	args := append([]string{"-x", "hip", "--offload-arch=" + target, "--offload-device-only", "--no-gpu-bundle-output",
		"-nogpuinc", "-nogpulib", "-nostdlibinc", "--no-default-config", "-std=c++20", "-O3", "-fuse-cuid=none", "-ffp-contract=off",
		"-mcode-object-version=5", "-w", "-o", object}, append(flags, file)...)
	var stderr bytes.Buffer
	cmd := toolchaintest.Clang(t, args...)
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(cmd.Args, " "), err, stderr.String())
	}
	data, err := os.ReadFile(object)
	if err != nil {
		t.Fatal(err)
	}
	p, err := emu.Load(t.Context(), data, objdump(t))
	if err != nil {
		t.Fatal(err)
	}
	return p
}
