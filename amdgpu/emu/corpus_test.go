package emu_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"kmx/amdgpu/emu"
	"kmx/toolchains/toolchaintest"
)

// The corpus: small kernels whose expected results come from the same text,
// compiled as plain C++ for this machine. It covers what compilers emit rather
// than what the networks need, at three levels of optimisation.
//
// By default gfx1101 and gfx1201 run at all levels; -short takes one level of each
// file; KMX_TEST_ALL=1 adds the other targets, wave64 and more inputs.

type corpusBuild struct {
	target string
	level  int
	wave64 bool
}

func (b corpusBuild) String() string {
	s := fmt.Sprintf("%s-O%d", b.target, b.level)
	if b.wave64 {
		s += "-wave64"
	}
	return s
}

// notWave64 are the files whose kernels are written for 32 lanes.
var notWave64 = map[string]bool{"wmma": true, "gfx12": true}

func corpusBuilds(index int, stem string) []corpusBuild {
	var builds []corpusBuild
	targets := []string{"gfx1101", "gfx1201"}
	if everything() {
		targets = []string{"gfx1100", "gfx1101", "gfx1102", "gfx1103", "gfx1200", "gfx1201"}
	}
	for i, target := range targets {
		if stem == "gfx12" && !strings.HasPrefix(target, "gfx12") {
			continue
		}
		for j, level := range []int{0, 1, 3} {
			if testing.Short() && j != (index+i)%3 {
				continue
			}
			builds = append(builds, corpusBuild{target, level, false})
			if everything() && !notWave64[stem] && (target == "gfx1101" || target == "gfx1201") {
				builds = append(builds, corpusBuild{target, level, true})
			}
		}
	}
	return builds
}

// everything: the documented switch for everything.
func everything() bool { return os.Getenv("KMX_TEST_ALL") == "1" }

func TestCorpus(t *testing.T) {
	objdump := objdump(t)
	files, err := filepath.Glob("testdata/corpus/*.hip")
	if err != nil || len(files) < 10 {
		t.Fatalf("corpus: %d files, %v", len(files), err)
	}
	for i, file := range files {
		stem := strings.TrimSuffix(filepath.Base(file), ".hip")
		t.Run(stem, func(t *testing.T) {
			t.Parallel()
			hosts := map[bool]string{}
			for _, b := range corpusBuilds(i, stem) {
				if hosts[b.wave64] == "" {
					hosts[b.wave64] = compileHost(t, file, b.wave64)
				}
				t.Run(b.String(), func(t *testing.T) {
					object := compileCorpus(t, file, b)
					p, err := emu.Load(context.Background(), object, objdump)
					if err != nil {
						t.Fatal(err)
					}
					runCorpus(t, p, hosts[b.wave64])
				})
			}
		})
	}
}

func runClang(t *testing.T, args ...string) {
	t.Helper()
	cmd := toolchaintest.Clang(t, args...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(cmd.Args, " "), err, out)
	}
}

func compileCorpus(t *testing.T, file string, b corpusBuild) []byte {
	t.Helper()
	object := filepath.Join(t.TempDir(), "k.hsaco")
	args := []string{"-x", "hip", "--offload-device-only", "--no-gpu-bundle-output", "-nogpuinc", "-nogpulib", "-nostdlibinc",
		"--no-default-config", "-std=c++20", "-fuse-cuid=none", "-mcode-object-version=5", "-ffp-contract=off", "-w",
		"-O" + strconv.Itoa(b.level), "--offload-arch=" + b.target, "-o", object, file}
	if b.wave64 {
		args = append(args, "-mwavefrontsize64")
	}
	runClang(t, args...)
	data, err := os.ReadFile(object)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func compileHost(t *testing.T, file string, wave64 bool) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "host")
	trial := toolchaintest.Clang(t, "-x", "c++", "-o", program, "-lm", "-")
	trial.Stdin = strings.NewReader("#include <math.h>\n#include <stdio.h>\nint main() { return puts(\"\") < sqrt(2.0); }\n")
	if err := trial.Run(); err != nil {
		t.Skipf("the compiler makes no programs for this machine (it needs a C library to build with, as in libc6-dev and gcc): %v", err)
	}
	wave := "-DWAVE=32"
	if wave64 {
		wave = "-DWAVE=64"
	}
	runClang(t, "-x", "c++", "-std=c++20", "-O1", "-ffp-contract=off", "-Xclang", "-ffloat16-excess-precision=none",
		"-mavx2", "-mfma", "-mf16c", "-nostdlib++", "-w", wave, "-o", program, file, "-lm")
	return program
}

func runCorpus(t *testing.T, p *emu.Program, host string) {
	names, err := exec.Command(host).Output()
	if err != nil {
		t.Fatal(err)
	}
	have := map[string]bool{}
	for _, k := range p.Kernels() {
		have[k.Name] = true
	}
	expected := strings.Fields(string(names))
	if len(expected) != len(have) {
		t.Errorf("the object has %d kernels, the host program %d", len(have), len(expected))
	}
	seeds := 1
	if everything() {
		seeds = 4
	}
	for _, name := range expected {
		for seed := range seeds {
			in := corpusInput(uint64(seed) + 1)
			cmd := exec.Command(host, name)
			cmd.Stdin = bytes.NewReader(in)
			want, err := cmd.Output()
			if err != nil {
				t.Fatalf("%s on the host: %v", name, err)
			}
			for _, order := range []emu.Order{emu.Forward, emu.Reverse, emu.Interleaved} {
				checkCorpus(t, p, name, in, want, order)
			}
		}
	}
}

const corpusWords = 4096

func checkCorpus(t *testing.T, p *emu.Program, name string, in, want []byte, order emu.Order) {
	t.Helper()
	out := bytes.Repeat([]byte{0xef, 0xbe, 0xad, 0xde}, corpusWords)
	m := emu.NewMemory()
	args := make([]byte, 16)
	for i, b := range []struct {
		name string
		data []byte
	}{{"in", bytes.Clone(in)}, {"out", out}} {
		addr, err := m.Map(b.name, 0, b.data)
		if err != nil {
			t.Fatal(err)
		}
		binary.LittleEndian.PutUint64(args[8*i:], addr)
	}
	lanes := uint32(64)
	if at := strings.LastIndex(name, "_b"); at >= 0 {
		if n, err := strconv.Atoi(name[at+2:]); err == nil {
			lanes = uint32(n)
		}
	}
	_, err := p.Launch(context.Background(), m, emu.Launch{Kernel: name, Grid: [3]uint32{2, 1, 1}, Block: [3]uint32{lanes, 1, 1}, Args: args, Order: order, MaxInstructions: 10_000_000})
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	for i := 0; i < len(out); i += 4 {
		if got, want := binary.LittleEndian.Uint32(out[i:]), binary.LittleEndian.Uint32(want[i:]); got != want {
			w := i / 4
			t.Errorf("%s, order %d: word %d (lane %d, result %d, or row %d of 128, lane %d) is %08x, the host has %08x", name, order, w, w/32, w%32, w/128, w%128, got, want)
			return
		}
	}
}

// corpusInput is what corpus.h describes: integers, small integers, moderate
// floats, edges.
func corpusInput(seed uint64) []byte {
	r := rand.New(rand.NewPCG(seed, 4))
	edges := []uint32{0, 1, 0xffffffff, 0x80000000, 0x7fffffff, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7fa00000,
		0x00000002, 0x007fffff, 0x00800000, 0x7f7fffff, 0x33000000, 0x43e00000, 0x43e80000, 0xc3e00001, 0x477fe000, 0x477ff000, 0x38800000, 0x387fffff, 0x80000001, 0x4f000000}
	var b []byte
	for w := range uint32(corpusWords) {
		var x uint32
		switch w / 1024 {
		case 0:
			x = r.Uint32()
		case 1:
			x = r.Uint32() >> r.IntN(32)
			if r.IntN(3) == 0 {
				x = -(x & 0xffff)
			}
		case 2: // between 2^-7 and 2^4
			x = r.Uint32()&0x807fffff | uint32(120+r.IntN(11))<<23
		default:
			x = edges[r.IntN(len(edges))]
			if r.IntN(2) == 0 {
				x = r.Uint32()
			}
		}
		b = binary.LittleEndian.AppendUint32(b, x)
	}
	return b
}
