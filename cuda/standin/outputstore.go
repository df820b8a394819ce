package standin

// past reads the history where the pixel was, unless that is off the frame or
// the flags say there is none. known: 1 where there is history.
func (s shading) past(f *fn, oldX, oldY, lastX, lastY, flags *reg) (colour vec, known *reg) {
	colour = f.vector(float, 3)
	known = f.reg(float)
	history := f.ld("history")
	low := f.pred("setp.lt.ftz.f32", f.fmin(oldX, oldY), -0.5)
	highX := f.pred("setp.gt.ftz.f32", oldX, f.fadd(f.toFloat(lastX), 0.5))
	highY := f.pred("setp.gt.ftz.f32", oldY, f.fadd(f.toFloat(lastY), 0.5))
	fresh := f.pred("setp.eq.s32", f.and(flags, 1), 0)
	miss := f.pred("or.pred", f.pred("or.pred", low, highX), f.pred("or.pred", highY, fresh))
	f.choose(miss, func() {
		for _, c := range colour {
			f.set(c, 0.0)
		}
		f.set(known, 0.0)
	}, func() {
		var c vec
		if s.kind == outputV1 {
			nx := f.clamp(f.word("cvt.rzi.ftz.s32.f32", f.round(oldX)), lastX)
			ny := f.clamp(f.word("cvt.rzi.ftz.s32.f32", f.round(oldY)), lastY)
			c = f.fetch(history, nx, ny)
		} else {
			c = s.smooth(f, history, oldX, oldY)
		}
		for i := range colour {
			f.set(colour[i], f.sat(c[i]))
		}
		f.set(known, 1.0)
	})
	return colour, known
}

// smooth is five samples of the history around a place.
func (s shading) smooth(f *fn, history, px, py *reg) vec {
	inv := f.ldv("inv_w", "inv_h")
	u, v := f.fmul(f.fadd(px, 0.5), inv[0]), f.fmul(f.fadd(py, 0.5), inv[1])
	zero := f.float("mov.f32", 0.0)
	sharp := f.ld("sharp")
	middle := f.level(history, u, v, zero)
	var around vec
	for i, d := range [][2]float64{{-1, 0}, {1, 0}, {0, -1}, {0, 1}} {
		su, sv := u, v
		if d[0] != 0 {
			su = f.fma(inv[0], d[0], u)
		} else {
			sv = f.fma(inv[1], d[1], v)
		}
		c := f.sample(history, su, sv)
		if i == 0 {
			around = c[:3]
			continue
		}
		around = each(3, func(j int) *reg { return f.fadd(around[j], c[j]) })
	}
	return each(3, func(j int) *reg { return f.fma(f.fma(around[j], -0.25, middle[j]), sharp, middle[j]) })
}

// blend mixes the frame with its history.
func (s shading) blend(f *fn, now, past, weights vec, known *reg) vec {
	keep := f.fmul(f.fadd(weights[0], f.fmul(weights[1], 0.5)), known)
	// differences of luma count less than those of colour
	gap := f.fabs(f.fsub(f.luma(now), f.luma(past)))
	trust := f.float("fma.rn.ftz.sat.f32", gap, -2.0, 1.0)
	t := f.fmul(keep, trust)
	return each(3, func(i int) *reg { return f.lerp(now[i], past[i], t) })
}

// tighten limits a colour to what lies around it.
func (s shading) tighten(f *fn, c vec, cx, cy, lastX, lastY, exposure *reg) vec {
	tex := f.ld("colour")
	var low, high vec
	for i, d := range [][2]int{{0, 0}, {-1, 0}, {1, 0}, {0, -1}, {0, 1}} {
		tx, ty := cx, cy
		if d[0] != 0 {
			tx = f.clamp(f.iadd(cx, d[0]), lastX)
		}
		if d[1] != 0 {
			ty = f.clamp(f.iadd(cy, d[1]), lastY)
		}
		n := s.expose(f, f.fetch(tex, tx, ty), exposure)
		if i == 0 {
			low, high = n, n
			continue
		}
		l, h := low, high
		low = each(3, func(j int) *reg { return f.fmin(l[j], n[j]) })
		high = each(3, func(j int) *reg { return f.fmax(h[j], n[j]) })
	}
	return each(3, func(j int) *reg { return f.fmin(f.fmax(c[j], low[j]), high[j]) })
}

// store writes all surfaces of a pixel. off: the lane is outside (max kinds).
func (s shading) store(f *fn, x, y *reg, c, weights vec, flags, off, exposure *reg) {
	brightness := f.luma(c)
	if s.kind == outputMaxV2 {
		s.peak(f, x, y, brightness, off)
		inside := f.block()
		f.jump(inside, off, false)
		f.place(f.block())
		s.surfaces(f, x, y, c, weights, flags, brightness, exposure)
		f.place(inside)
		return
	}
	s.surfaces(f, x, y, c, weights, flags, brightness, exposure)
}

func (s shading) surfaces(f *fn, x, y *reg, c, weights vec, flags, brightness, exposure *reg) {
	result := f.ld("result")
	dither := f.pred("setp.ne.s32", f.and(flags, 2), 0)
	f.choose(dither, func() {
		f.storeColour(result, x, y, append(each(3, func(i int) *reg { return f.quantise(c[i], 1023) }), f.float("mov.f32", 1.0)))
	}, func() {
		out := c
		if s.hdr {
			// back out of the range that was blended in
			up := f.rcp(f.fmax(f.fmul(exposure, f.fsub(1.0, f.fmin(brightness, 0.9375))), 0.0009765625))
			out = each(3, func(i int) *reg { return f.fmul(c[i], up) })
		}
		f.storeColour(result, x, y, append(append(vec{}, out...), f.sat(weights[3])))
	})
	next := f.ld("next")
	f.storePair(next, x, y, brightness, f.fmul(weights[2], weights[4]))
	mask := f.ld("mask")
	steep := f.pred("setp.gtu.ftz.f32", f.fabs(weights[5]), 0.5)
	whole := func() *reg {
		return f.bits(f.roundAround(f.fmul(weights[5], 64.0), f.pred("setp.lt.s32", flags, 0), func() {
			f.storePair(next, x, y, brightness, brightness)
		}))
	}
	if s.kind == outputV2 {
		// short branches are written as guards
		steeper, flat := whole(), f.pack2(weights[6], weights[7])
		f.storeWord(mask, x, y, steeper).under(steep, f)
		f.storeWord(mask, x, y, flat).unless(steep, f)
		return
	}
	f.choose(steep, func() { f.storeWord(mask, x, y, whole()) },
		func() { f.storeWord(mask, x, y, f.pack2(weights[6], weights[7])) })
}

// peak stores the brighter of two neighbours, and notes which lanes saw light.
func (s shading) peak(f *fn, x, y, brightness, off *reg) {
	mine := f.bits(brightness)
	other := f.exchange("bfly", mine, 1)
	top := f.fmax(brightness, f.float("mov.b32", other))
	votes := f.word("vote.sync.ballot.b32", f.pred("setp.gt.ftz.f32", top, 0.5), -1)
	odd := f.pred("setp.eq.s32", f.and(f.special("%tid.x"), 1), 1)
	skip := f.pred("or.pred", odd, off)
	peak, bright := f.ld("peak"), f.pointer("bright")
	end := f.block()
	f.jump(end, skip, false)
	f.place(f.block())
	f.storeWord(peak, f.sar(x, 1), y, f.bits(top))
	some := f.pred("setp.ne.s32", votes, 0)
	f.do("red.global.or.b32", mem{bright, 0}, votes).under(some, f)
	f.place(end)
}
