package validate_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"kmx/amdgpu/codeobj"
	"kmx/amdgpu/emu"
	"kmx/internal/num"
	"kmx/validate/model"
)

// surfaceObject is the object that a handle points to.
func surfaceObject(t *testing.T, s *model.Surface, target string, texels, linear uint64) []byte {
	t.Helper()
	image := emu.Image{Width: s.Width, Height: s.Height, Format: surfaceFormats[[2]int{s.Type, s.Order}], Base: texels}
	d, err := image.Descriptor(target)
	if err != nil {
		t.Fatal(err)
	}
	words := make([]uint32, 24)
	copy(words, d[:])
	words[8], words[9], words[10] = uint32(s.Type), uint32(s.Order), uint32(s.Width)
	words[20], words[21] = uint32(s.Format), uint32(s.Tag<<16|s.Pitch/8)
	words[22], words[23] = uint32(linear), uint32(linear>>32)
	b, err := binary.Append(nil, binary.LittleEndian, words)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// surfaceDevice runs testdata/outer/stores.hip.
type surfaceDevice struct {
	device
	target string
}

// place gives a surface memory of its own, which is mapped, and returns the
// handle. The memory of the model is apart from it.
func (d *surfaceDevice) place(s *model.Surface) (handle uint64, texels, linear []byte) {
	d.Helper()
	row, _, err := emu.Image{Width: s.Width, Height: s.Height, Format: surfaceFormats[[2]int{s.Type, s.Order}]}.Layout(d.target)
	if err != nil {
		d.Fatal(err)
	}
	s.Row = row
	s.Texels, texels = untouched(row*s.Height), untouched(row*s.Height)
	s.Linear, linear = untouched(s.Pitch*s.Height), untouched(s.Pitch*s.Height)
	at := d.output("texels", texels)
	object := surfaceObject(d.T, s, d.target, at, d.output("linear", linear))
	return d.input("surface", 0, object), texels, linear
}

// perform launches a kernel of stores.hip; handle is that of the kernel "one".
func (d *surfaceDevice) perform(kernel string, stores []surfaceStore, handles []uint64, handle uint64) {
	d.Helper()
	var b bytes.Buffer
	for _, s := range stores {
		b.Write(params(handles[s.surface], s.kind, s.x, s.y, s.v, uint32(0)))
	}
	for b.Len()%(64*40) != 0 {
		b.WriteByte(0)
	}
	args := params(d.input("stores", 0, b.Bytes()), uint32(len(stores)), uint32(0), handle)
	if _, err := d.program.Launch(d.Context(), d.memory, emu.Launch{
		Kernel: kernel, Grid: [3]uint32{uint32(b.Len() / (64 * 40))}, Block: [3]uint32{64}, Args: args, Workers: 1,
	}); err != nil {
		d.Fatal(err)
	}
}

// storeBuilds are inlined and outlined stores in both sizes of waves.
func storeBuilds() []texBuild {
	var list []texBuild
	for _, target := range texTargets() {
		for _, wave64 := range []bool{false, true} {
			list = append(list, texBuild{source: "stores", target: target, wave64: wave64},
				texBuild{source: "stores", target: target, wave64: wave64, defines: []string{"D4R_ACCURACY=1"}})
		}
	}
	return list
}

// TestStores holds that the stores write what the model writes, and nothing else.
func TestStores(t *testing.T) {
	for _, b := range storeBuilds() {
		t.Run(b.String(), func(t *testing.T) {
			t.Parallel()
			object := b.linked(t, "stores")
			noScratch(t, object, b)
			d := surfaceDevice{device{T: t, program: load(t, object), memory: emu.NewMemory()}, b.target}
			r := rand.New(rand.NewPCG(7, uint64(len(b.String()))))
			list := surfaceCases()
			var stores []surfaceStore
			var handles []uint64
			var texels, linear [][]byte
			for i := range list {
				c := &list[i]
				handle, t, l := d.place(&c.Surface)
				handles, texels, linear = append(handles, handle), append(texels, t), append(linear, l)
				stores = append(stores, c.stores(i, r)...)
			}
			mixed := append([]surfaceStore(nil), stores...)
			r.Shuffle(len(mixed), func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
			half := len(mixed) / 2
			d.perform("mixed", mixed[:half], handles, 0)
			bySurface := map[int][]surfaceStore{}
			for _, s := range mixed[half:] {
				bySurface[s.surface] = append(bySurface[s.surface], s)
			}
			for i := range list {
				d.perform("one", bySurface[i], handles, handles[i])
			}
			for _, s := range stores {
				s.apply(&list[s.surface].Surface)
			}
			written := 0
			for i := range list {
				c := &list[i]
				sameBytes(t, c.name+": image", c.Texels, texels[i])
				sameBytes(t, c.name+": redirect", c.Linear, linear[i])
				if !bytes.Equal(c.Texels, untouched(len(c.Texels))) || !bytes.Equal(c.Linear, untouched(len(c.Linear))) {
					written++
				}
			}
			if written < len(list)*9/10 {
				t.Errorf("only %d of %d surfaces were written to", written, len(list))
			}
		})
	}
}

// noScratch fails the test where a kernel has scratch or spills.
func noScratch(t *testing.T, object []byte, b texBuild) {
	t.Helper()
	o, err := codeobj.Read(object)
	if err != nil {
		t.Fatal(err)
	}
	wave := 32
	if b.wave64 {
		wave = 64
	}
	for _, k := range o.Kernels {
		if k.WaveSize != wave || k.Scratch != 0 || k.VGPRSpills != 0 || k.SGPRSpills != 0 || k.DynamicStack {
			t.Errorf("%v: %s has waves of %d, %d bytes of scratch (dynamic: %v), %d and %d spills", b, k.Name, k.WaveSize, k.Scratch, k.DynamicStack, k.VGPRSpills, k.SGPRSpills)
		}
		t.Logf("%v: %s takes %d VGPRs, %d bytes of code", b, k.Name, k.VGPRs, k.CodeBytes)
	}
}

// TestStoreGrid holds that a texel of 10:10:10:2 that is on the grid stays where it
// is: k/1023 and k/3, correctly rounded, for every k.
func TestStoreGrid(t *testing.T) {
	b := texBuild{source: "stores", target: "gfx1201"}
	d := surfaceDevice{device{T: t, program: load(t, b.linked(t, "stores")), memory: emu.NewMemory()}, b.target}
	s := model.Surface{Type: model.Float, Order: model.OrderRGBA, Format: 80, Width: 32, Height: 32}
	handle, texels, _ := d.place(&s)
	var stores []surfaceStore
	want := make([]byte, len(texels))
	copy(want, texels)
	for k := range 1024 {
		colour, alpha := math.Float32bits(float32(float64(k)/1023)), math.Float32bits(float32(float64(k%4)/3))
		v := [4]uint32{colour, colour, colour, alpha}
		stores = append(stores, surfaceStore{kind: storeP, x: int32(k % 32), y: int32(k / 32), v: v})
		for c, w := range v {
			binary.LittleEndian.PutUint32(want[k/32*s.Row+k%32*16+4*c:], w)
		}
	}
	d.perform("one", stores, []uint64{handle}, handle)
	sameBytes(t, "the grid", want, texels)
}

// TestCodes runs the e4m3 conversions over all their inputs. A decoded NaN is some
// NaN.
func TestCodes(t *testing.T) {
	var builds []texBuild
	for _, target := range texTargets() {
		builds = append(builds, texBuild{source: "stores", target: target})
		if gfx12(target) {
			builds = append(builds, texBuild{source: "stores", target: target, defines: []string{"D4R_TEX_FP8=1"}},
				texBuild{source: "stores", target: target, defines: []string{"D4R_TEX_FP8=1", "D4R_TEX_SOFT_E4M3=1"}})
		}
	}
	for _, b := range builds {
		t.Run(b.String(), func(t *testing.T) {
			t.Parallel()
			d := device{T: t, program: load(t, b.linked(t, "stores")), memory: emu.NewMemory()}
			decoded, encoded := make([]byte, 4<<16), make([]byte, 2<<16)
			args := params(d.output("decoded", decoded), d.output("encoded", encoded))
			if _, err := d.program.Launch(t.Context(), d.memory, emu.Launch{Kernel: "codes", Grid: [3]uint32{1024}, Block: [3]uint32{64}, Args: args}); err != nil {
				t.Fatal(err)
			}
			for i := range 1 << 16 {
				for half, code := range []num.E4M3{num.E4M3(i), num.E4M3(i >> 8)} {
					want, got := code.F16(), num.F16(binary.LittleEndian.Uint16(decoded[4*i+2*half:]))
					if got != want && !(want.IsNaN() && got.IsNaN()) {
						t.Fatalf("code %#02x is decoded to %#04x, want %#04x", uint8(code), uint16(got), uint16(want))
					}
				}
				for half, x := range []num.F16{num.F16(i), num.F16(i * 40503)} {
					if want, got := num.ConvertE4M3(x), num.E4M3(encoded[2*i+half]); got != want {
						t.Fatalf("%#04x is encoded as %#02x, want %#02x", uint16(x), uint8(got), uint8(want))
					}
				}
			}
		})
	}
}
