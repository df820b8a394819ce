package emu

import (
	"fmt"
	"math"
	"math/bits"
)

// sampleSpec is a sampling instruction. Those with derivatives, offsets,
// comparisons, biases and clamps are not modelled.
type sampleSpec struct {
	lod    bool // the last component is the level of detail
	gather bool
}

var sampleSpecs = map[string]sampleSpec{
	"sample": {}, "sample_l": {lod: true}, "sample_lz": {},
	"gather4": {gather: true}, "gather4_l": {gather: true, lod: true}, "gather4_lz": {gather: true},
}

// sample is image_sample and image_gather4.
type sample struct {
	imageOp
	gather       bool
	unnormalised bool
	sampler      int // scalar register
}

func buildSample(d *decoded, spec sampleSpec) (func(*wave), error) {
	extra, results := 0, 0
	if spec.lod {
		extra = 1
	}
	if spec.gather {
		results = 4
	}
	op, err := makeImageOp(d, 4, extra, true, results)
	if err != nil {
		return nil, err
	}
	s := &sample{imageOp: op, gather: spec.gather, unnormalised: d.mods.flag("unorm")}
	if s.gather && (bits.OnesCount32(op.mask) != 1 || op.kind != kind2D && op.kind != kind2DArray) {
		return nil, fmt.Errorf("%s of dmask 0x%x and kind %s is not modelled", d.name, op.mask, kindNames[op.kind])
	}
	if o := d.operands[3]; o.kind != sgpr || o.count != 4 {
		return nil, fmt.Errorf("sampler %s does not have 4 registers", o.text)
	}
	s.sampler = d.operands[3].reg
	return s.run, nil
}

// coordinate is component c of a lane.
func (s *sample) coordinate(w *wave, h, l, c int) float64 {
	v := s.component(w, h, l, c)
	if s.a16 {
		return widenF16(uint16(v))
	}
	return float64(math.Float32frombits(v))
}

func (s *sample) run(w *wave) {
	r, ok := s.image(w)
	if !ok {
		return
	}
	if r.null {
		results := bits.OnesCount32(s.mask)
		if s.gather {
			results = 4
		}
		s.zero(w, results)
		return
	}
	state, err := readSampler((*[4]uint32)(w.s[s.sampler : s.sampler+4]))
	switch {
	case err != nil:
	case state.linear && !s.gather && r.format.integer():
		err = fmt.Errorf("linear filtering of format %v is not modelled", r.number)
	case state.border == BorderBlack && r.border != 0:
		err = fmt.Errorf("a border colour in another order than R, G, B, A is not modelled")
	}
	if err != nil {
		w.fail(NotModelled, -1, "%v", err)
		return
	}
	state.unnormalised = state.unnormalised || s.unnormalised
	v := view{imageResource: &r, samplerState: &state, w: w}
	for h := range w.halves {
		for rest := w.exec(h); rest != 0; rest &= rest - 1 {
			l := bits.TrailingZeros32(rest) & 31
			v.lane = h*32 + l
			s.one(&v, h, l)
			if w.fault != nil {
				return
			}
		}
	}
	w.group.counts.globalLoaded += v.texels * int64(r.format.bytes)
}

// one does a lane.
func (s *sample) one(v *view, h, l int) {
	x := v.scaled(s.coordinate(v.w, h, l, 0), v.width)
	y, layer := math.NaN(), uint64(0)
	if s.kind == kind2D || s.kind == kind2DArray {
		y = v.scaled(s.coordinate(v.w, h, l, 1), v.height)
	}
	if s.kind == kind1DArray || s.kind == kind2DArray {
		c := math.RoundToEven(s.coordinate(v.w, h, l, s.components-1))
		layer = uint64(max(0, min(c, float64(v.last-v.first))))
		if c != c {
			layer = 0
		}
	}
	switch {
	case s.gather:
		// counter-clockwise from the lower left one, where y grows downwards
		i, _ := footprint(x)
		j, _ := footprint(y)
		for n, at := range [4][2]int64{{i, j + 1}, {i + 1, j + 1}, {i + 1, j}, {i, j}} {
			t := v.selected(v.texel(at[0], at[1], layer))
			s.putOne(v.w, h, l, v.format, n, t[bits.TrailingZeros32(s.mask)&3])
		}
	case v.linear:
		t := v.selected(v.blend(x, y, layer))
		s.put(v.w, h, l, v.format, &t)
	default:
		j := int64(0)
		if y == y {
			j = v.nearest(y)
		}
		t := v.selected(v.texel(v.nearest(x), j, layer))
		s.put(v.w, h, l, v.format, &t)
	}
}

// view is an image through a sampler, for the lanes of a wave.
type view struct {
	*imageResource
	*samplerState
	w      *wave
	lane   int
	texels int64 // read
}

// texel is the value of a texel that may lie outside. Denormals in f32 are 0, as
// the manuals say of samples.
func (v *view) texel(i, j int64, layer uint64) [4]uint32 {
	x, inX := v.modes[0].resolve(i, v.width)
	y, inY := v.modes[1].resolve(j, v.height)
	if !inX || !inY {
		return v.colour(v.format)
	}
	addr, ok := v.at(x, y, layer)
	if !ok {
		return [4]uint32{}
	}
	b, ok := v.w.bytes(v.lane, addr, uint64(v.format.bytes), false)
	if !ok {
		return [4]uint32{}
	}
	v.texels++
	t := v.format.decode(b)
	if v.format.kind == texelFloat {
		for c := range t {
			t[c] = flushF32(t[c])
		}
	}
	return t
}

func flushF32(x uint32) uint32 {
	if x&infF32 == 0 {
		return x & signF32
	}
	return x
}

// blend is the linear filter: the sum of up to four texels with weights of 2 * 8
// bits, rounded once. A texel whose weight is 0 has no part in it, whatever it is.
func (v *view) blend(x, y float64, layer uint64) (out [4]uint32) {
	i, right := footprint(x)
	j, below := int64(0), int64(0)
	if y == y {
		j, below = footprint(y)
	}
	const one = 1 << filterBits
	var sum [4]float64
	for n, weight := range [4]int64{(one - right) * (one - below), right * (one - below), (one - right) * below, right * below} {
		if weight == 0 {
			continue
		}
		t := v.texel(i+int64(n&1), j+int64(n>>1), layer)
		for c := range sum {
			sum[c] += float64(math.Float32frombits(t[c])) * float64(weight)
		}
	}
	for c, s := range sum {
		out[c] = flushF32(math.Float32bits(float32(s / (one * one))))
	}
	return out
}
