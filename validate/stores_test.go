package validate_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"kmx/amdgpu/codeobj"
	"kmx/amdgpu/emu"
	"kmx/internal/num"
	"kmx/validate/model"
)

// surfaceFormats are the formats of images by HSA's channel type and order.
var surfaceFormats = map[[2]int]emu.Format{
	{model.Snorm8, model.OrderR}: emu.FormatR8Snorm, {model.Snorm8, model.OrderRG}: emu.FormatRG8Snorm, {model.Snorm8, model.OrderRGBA}: emu.FormatRGBA8Snorm,
	{model.Snorm16, model.OrderR}: emu.FormatR16Snorm, {model.Snorm16, model.OrderRG}: emu.FormatRG16Snorm, {model.Snorm16, model.OrderRGBA}: emu.FormatRGBA16Snorm,
	{model.Unorm8, model.OrderR}: emu.FormatR8Unorm, {model.Unorm8, model.OrderRG}: emu.FormatRG8Unorm, {model.Unorm8, model.OrderRGBA}: emu.FormatRGBA8Unorm,
	{model.Unorm16, model.OrderR}: emu.FormatR16Unorm, {model.Unorm16, model.OrderRG}: emu.FormatRG16Unorm, {model.Unorm16, model.OrderRGBA}: emu.FormatRGBA16Unorm,
	{model.Sint8, model.OrderR}: emu.FormatR8Sint, {model.Sint8, model.OrderRG}: emu.FormatRG8Sint, {model.Sint8, model.OrderRGBA}: emu.FormatRGBA8Sint,
	{model.Sint16, model.OrderR}: emu.FormatR16Sint, {model.Sint16, model.OrderRG}: emu.FormatRG16Sint, {model.Sint16, model.OrderRGBA}: emu.FormatRGBA16Sint,
	{model.Sint32, model.OrderR}: emu.FormatR32Sint, {model.Sint32, model.OrderRG}: emu.FormatRG32Sint, {model.Sint32, model.OrderRGBA}: emu.FormatRGBA32Sint,
	{model.Uint8, model.OrderR}: emu.FormatR8Uint, {model.Uint8, model.OrderRG}: emu.FormatRG8Uint, {model.Uint8, model.OrderRGBA}: emu.FormatRGBA8Uint,
	{model.Uint16, model.OrderR}: emu.FormatR16Uint, {model.Uint16, model.OrderRG}: emu.FormatRG16Uint, {model.Uint16, model.OrderRGBA}: emu.FormatRGBA16Uint,
	{model.Uint32, model.OrderR}: emu.FormatR32Uint, {model.Uint32, model.OrderRG}: emu.FormatRG32Uint, {model.Uint32, model.OrderRGBA}: emu.FormatRGBA32Uint,
	{model.Half, model.OrderR}: emu.FormatR16Float, {model.Half, model.OrderRG}: emu.FormatRG16Float, {model.Half, model.OrderRGBA}: emu.FormatRGBA16Float,
	{model.Float, model.OrderR}: emu.FormatR32Float, {model.Float, model.OrderRG}: emu.FormatRG32Float, {model.Float, model.OrderRGBA}: emu.FormatRGBA32Float,
}

// Kinds of stores, as testdata/outer/stores.hip numbers them.
const (
	storeB32 = iota
	storeV2B16
	storeV4B16
	storeP
)

// surfaceStore is one store of a lane. Words of v beyond those that the kind
// stores do not matter.
type surfaceStore struct {
	surface int
	kind    uint32
	x, y    int32
	v       [4]uint32
}

// apply does to the model what the store does.
func (s surfaceStore) apply(to *model.Surface) {
	var b [8]byte
	binary.LittleEndian.PutUint32(b[:], s.v[0])
	binary.LittleEndian.PutUint32(b[4:], s.v[1])
	switch s.kind {
	case storeB32, storeV2B16:
		to.StoreB(int(s.x), int(s.y), [4]byte(b[:4]))
	case storeV4B16:
		to.StoreV4B16(int(s.x), int(s.y), b)
	case storeP:
		to.StoreP(int(s.x), int(s.y), s.v)
	}
}

// surfaceCase is a surface and the kinds of stores that are tried on it.
type surfaceCase struct {
	name string
	model.Surface
	kinds []uint32
}

const surfaceWidth, surfaceHeight = 19, 64

// surfaceCases are all formats for stores of bytes, CUDA's formats that convert
// and some that do not for formatted stores, and redirected surfaces.
func surfaceCases() []surfaceCase {
	var list []surfaceCase
	raw := []uint32{storeB32, storeV2B16, storeV4B16}
	add := func(name string, kinds []uint32, s model.Surface) {
		s.Width, s.Height = surfaceWidth, surfaceHeight
		list = append(list, surfaceCase{name, s, kinds})
	}
	orders := []int{model.OrderR, model.OrderRG, model.OrderRGBA}
	for _, channel := range []int{model.Snorm8, model.Snorm16, model.Unorm8, model.Unorm16, model.Sint8, model.Sint16, model.Sint32,
		model.Uint8, model.Uint16, model.Uint32, model.Half, model.Float} {
		for _, order := range orders {
			add(fmt.Sprintf("bytes to %v", surfaceFormats[[2]int{channel, order}]), raw, model.Surface{Type: channel, Order: order, Format: 8})
		}
	}
	formatted := []uint32{storeP}
	for i := range 12 {
		channel := []int{model.Uint8, model.Uint16, model.Sint8, model.Sint16}[i/3]
		add(fmt.Sprintf("format %d", 192+i), formatted, model.Surface{Type: channel, Order: orders[i%3], Format: 192 + i})
	}
	add("format 192 on 32 bits", formatted, model.Surface{Type: model.Uint32, Order: model.OrderRGBA, Format: 192})
	add("format 203 on 32 bits", formatted, model.Surface{Type: model.Sint32, Order: model.OrderRGBA, Format: 203})
	for _, channel := range []int{model.Float, model.Half, model.Uint32} {
		for _, format := range []int{80, 79, 191, 204, 8, 0x20, 1 << 30} {
			add(fmt.Sprintf("format %d on %v", format, surfaceFormats[[2]int{channel, model.OrderRGBA}]), formatted,
				model.Surface{Type: channel, Order: model.OrderRGBA, Format: format})
		}
	}
	all := append(raw, storeP)
	for _, tag := range []int{model.TagRGBA16F, model.TagPacked, 0x5231, 0x5234, 0x2325} {
		for _, format := range []int{80, 0x20, 196} {
			channel := model.Half
			if format == 196 {
				channel = model.Uint16
			}
			for _, pitch := range []int{8 * surfaceWidth, 8 * (surfaceWidth + 5), 8 * (surfaceWidth - 7)} {
				add(fmt.Sprintf("format %d, tag %#x, rows of %d bytes", format, tag, pitch), all,
					model.Surface{Type: channel, Order: model.OrderRGBA, Format: format, Tag: tag, Pitch: pitch})
			}
		}
	}
	return list
}

// interesting are f32 numbers at which conversions change.
func interesting(r *rand.Rand) uint32 {
	step := func(k, steps int) uint32 {
		return math.Float32bits((float32(k)+0.5)/float32(steps)) + uint32(r.IntN(5)-2)
	}
	switch r.IntN(9) {
	case 0:
		return r.Uint32()
	case 1:
		return []uint32{0, 1 << 31, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00001, 0x7f800001, 0x3f800000, 0xbf800000, 0x3f800001, 0xbf800001, 0x3f7fffff, 1, 0x80000001, 0x007fffff, 0x3effffff}[r.IntN(16)]
	case 2:
		return step(r.IntN(1024), 1023)
	case 3:
		return step(r.IntN(256), 255)
	case 4:
		return step(r.IntN(65536), 65535) | r.Uint32()&(1<<31)
	case 5:
		return step(r.IntN(128), 127) | r.Uint32()&(1<<31)
	case 6:
		return math.Float32bits(float32(r.IntN(4)) / 3)
	}
	return math.Float32bits(4*r.Float32() - 2)
}

// stores are n stores to a surface, each to another row, so that no two of them
// meet. Some go beyond the surface on either side.
func (c *surfaceCase) stores(index int, r *rand.Rand) []surfaceStore {
	var list []surfaceStore
	for y := range c.Height {
		s := surfaceStore{surface: index, kind: c.kinds[r.IntN(len(c.kinds))], y: int32(y)}
		size := []int{4, 4, 8, 1}[s.kind]
		units := c.Width * c.TexelBytes() / size
		if s.kind == storeP || c.Tag != 0 {
			units = c.Width
		}
		s.x = int32((r.IntN(units+4) - 2) * size)
		switch {
		case r.IntN(8) == 0:
			s.x += int32(r.IntN(4))
		case s.kind != storeP && r.IntN(8) == 0:
			s.x = int32(c.Width*c.TexelBytes() - size/2) // half beyond the end
		case r.IntN(24) == 0:
			s.x = []int32{math.MinInt32, math.MaxInt32, math.MaxInt32 - 3, -4, -8, 1 << 20, 1 << 30}[r.IntN(7)]
		}
		if r.IntN(24) == 0 {
			s.y = []int32{-1, math.MinInt32, math.MaxInt32, int32(c.Height), int32(c.Height) + 1<<16, 1 << 30}[r.IntN(6)]
		}
		for i := range s.v {
			if s.v[i] = r.Uint32(); s.kind == storeP {
				s.v[i] = interesting(r)
			}
		}
		if s.kind != storeP && r.IntN(4) == 0 { // ends of the formats
			s.v[0], s.v[1] = 0x80ff8000, 0xfc017f80
		}
		list = append(list, s)
	}
	return list
}

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
