package standin

// Control flow, with labels as compilers place them.

// jump appends a branch; p nil: always.
func (f *fn) jump(to *block, p *reg, not bool) {
	to.label = 1
	op := "bra"
	if p == nil {
		op = "bra.uni"
	}
	in := f.do(op, target{to})
	if p != nil {
		in.under(p, f)
		in.not = not
	}
}

// when runs the body where p holds.
func (f *fn) when(p *reg, body func()) {
	end := f.block()
	f.jump(end, p, true)
	f.place(f.block())
	body()
	f.place(end)
}

// choose runs one of two bodies.
func (f *fn) choose(p *reg, yes, no func()) {
	other, end := f.block(), f.block()
	f.jump(other, p, true)
	f.place(f.block())
	yes()
	f.jump(end, nil, false)
	f.place(other)
	no()
	f.place(end)
}

// loop runs the body count times (at least once; count: *reg or int).
func (f *fn) loop(count any, body func(i *reg)) {
	i := f.word("mov.u32", 0)
	head := f.block()
	f.place(head)
	body(i)
	f.do("add.s32", i, i, 1)
	p := f.pred("setp.lt.s32", i, count)
	f.jump(head, p, false)
	f.place(f.block())
}

// rolled is a loop whose author asked that it stay one.
func (f *fn) rolled(count any, body func(i *reg)) {
	f.loop(count, func(i *reg) {
		f.cur.pragma = "nounroll"
		body(i)
	})
}

// leave returns where p holds.
func (f *fn) leave(p *reg, end *block) {
	f.jump(end, p, false)
	f.place(f.block())
}

// end places the block of leave and returns.
func (f *fn) end(b *block) {
	f.place(b)
	f.do("ret")
}

// set copies, as a merge of two values is written.
func (f *fn) set(to *reg, from any) {
	switch to.class {
	case float:
		f.do("mov.f32", to, from)
	case long:
		f.do("mov.u64", to, from)
	case pred:
		f.do("mov.pred", to, from)
	default:
		f.do("mov.u32", to, from)
	}
}
