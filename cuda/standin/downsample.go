package standin

// The downsample kernels: static ones by two samples and a gather, dynamic ones
// over a footprint whose size is a parameter, with weights in local memory that
// a function of the module computes.

type downsample struct{ dynamic, hdr bool }

func downsampleLayout(d downsample) []Param {
	l := layout(
		texture(0, "colour", "rgba16f", Input, "linear"),
		surface(8, "result", "rgba32f", Output, "sust.p.2d.v4.b32.zero", "rgba16f", "rgba8", "rgb10a2"),
		surface(16, "copy", "r32f", Output, "sust.b.2d.b32.zero", "rg16f"),
		size(24, "out_w", "out_h", Output), size(32, "in_w", "in_h", Input),
		number(40, "inv_w", func(f Frame) float64 { return 1 / float64(f.OutWidth) }),
		number(44, "inv_h", func(f Frame) float64 { return 1 / float64(f.OutHeight) }),
		number(48, "inv_in_w", func(f Frame) float64 { return 1 / float64(f.InWidth) }),
		number(52, "inv_in_h", func(f Frame) float64 { return 1 / float64(f.InHeight) }),
		constant(56, "exposure", 0.5),
	)
	if d.dynamic {
		l = append(l, scalar(60, "taps", func(f Frame) uint32 { return 1 + uint32(f.OutWidth)%6 }))
	}
	return l
}

func (d downsample) size() int {
	if d.dynamic {
		return 72
	}
	return 64
}

func (d downsample) program(f *fn) {
	x, y := f.pixel(4, 4)
	dims := f.ldv("out_w", "out_h")
	end := f.block()
	f.leave(f.outside(x, y, dims[0], dims[1]), end)
	var c vec
	if d.dynamic {
		c = d.footprint(f, x, y, dims)
	} else {
		c = d.samples(f, x, y)
	}
	if d.hdr {
		gain := f.ld("exposure")
		down := f.rcp(f.fma(f.fmax(f.luma(c), 0.0), gain, 1.0))
		c = append(each(3, func(i int) *reg { return f.fmul(c[i], down) }), c[3])
	} else {
		c = each(4, func(i int) *reg { return f.sat(c[i]) })
	}
	f.storeColour(f.ld("result"), x, y, c)
	copied := f.ld("copy")
	dark := f.pred("setp.lt.ftz.f32", f.luma(c), 0.0625)
	f.choose(dark, func() { f.storeWord(copied, x, y, f.pack2(c[0], c[1])) },
		func() { f.storeWord(copied, x, y, f.bits(f.float("sqrt.approx.ftz.f32", f.fmax(f.luma(c), 0.0)))) })
	f.end(end)
}

// samples is the mean of two filtered samples, one of a level of detail, and
// the depth of a gather in the fourth channel.
func (d downsample) samples(f *fn, x, y *reg) vec {
	inv, tex := f.ldv("inv_w", "inv_h"), f.ld("colour")
	u, v := f.fmul(f.fadd(f.toFloat(x), 0.5), inv[0]), f.fmul(f.fadd(f.toFloat(y), 0.5), inv[1])
	step := f.ldv("inv_in_w", "inv_in_h")
	a := f.sample(tex, f.fma(step[0], 0.5, u), v)
	b := f.level(tex, u, f.fma(step[1], -0.5, v), f.float("mov.f32", 0.0))
	g := f.gather(tex, u, v)
	c := each(3, func(i int) *reg { return f.fmul(f.fadd(a[i], b[i]), 0.5) })
	return append(c, f.fmul(f.fadd(f.fadd(g[0], g[1]), f.fadd(g[2], g[3])), 0.25))
}

const maxTaps = 4

// footprint sums weighted texels. taps is clamped: a wrong parameter must not
// make it run long or leave the local array.
func (d downsample) footprint(f *fn, x, y *reg, dims vec) vec {
	taps := f.imax(f.imin(f.ld("taps"), maxTaps), 1)
	in := f.ldv("in_w", "in_h")
	lastX, lastY := f.iadd(in[0], -1), f.iadd(in[1], -1)
	x0 := f.word("div.u32", f.word("mul.lo.s32", x, in[0]), dims[0])
	y0 := f.word("div.u32", f.word("mul.lo.s32", y, in[1]), dims[1])
	f.depot = 4 * maxTaps
	local := f.long("add.u64", "%SPL", 0)
	width := f.rcp(f.toFloat(taps))
	f.rolled(taps, func(i *reg) {
		w := f.call(windowName, f.fmul(f.fadd(f.toFloat(i), 0.5), width), f.toFloat(taps))
		f.do("st.local.f32", mem{f.element(local, i, 4), 0}, w)
	})
	tex := f.ld("colour")
	sum := f.vector(float, 4)
	total := f.float("mov.f32", 0.0)
	for _, s := range sum {
		f.set(s, 0.0)
	}
	f.rolled(taps, func(j *reg) {
		wy := f.float("ld.local.f32", mem{f.element(local, j, 4), 0})
		ty := f.clamp(f.iadd(y0, j), lastY)
		f.rolled(taps, func(i *reg) {
			wx := f.float("ld.local.f32", mem{f.element(local, i, 4), 0})
			tx := f.clamp(f.iadd(x0, i), lastX)
			c := f.fetch(tex, tx, ty)
			w := f.fmul(wx, wy)
			for k, s := range sum {
				f.do("fma.rn.ftz.f32", s, c[k], w, s)
			}
			f.do("add.ftz.f32", total, total, w)
		})
	})
	down := f.float("div.approx.ftz.f32", 1.0, total)
	return each(4, func(i int) *reg { return f.fmul(sum[i], down) })
}

// windowName is the function of the modules that weighs taps.
const windowName = "_Z13standinWindowff"

const windowText = `.func  (.param .b32 func_retval0) _Z13standinWindowff(
	.param .b32 _Z13standinWindowff_param_0,
	.param .b32 _Z13standinWindowff_param_1
)
{
	.reg .pred 	%p<3>;
	.reg .f32 	%f<12>;


	ld.param.f32 	%f1, [_Z13standinWindowff_param_0];
	ld.param.f32 	%f2, [_Z13standinWindowff_param_1];
	add.ftz.f32 	%f3, %f1, 0fBF000000;
	abs.ftz.f32 	%f4, %f3;
	mov.f32 	%f5, 0f3F800000;
	fma.rn.ftz.f32 	%f6, %f4, 0fBFC00000, %f5;
	setp.gt.ftz.f32 	%p1, %f2, 0f40000000;
	max.ftz.f32 	%f7, %f6, 0f3E000000;
	@%p1 bra 	$L__BB#_2;

	mov.f32 	%f11, 0f3F800000;
	bra.uni 	$L__BB#_3;

$L__BB#_2:
	mul.ftz.f32 	%f11, %f7, %f7;

$L__BB#_3:
	st.param.f32 	[func_retval0+0], %f11;
	ret;

}
`
