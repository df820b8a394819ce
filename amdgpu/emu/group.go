package emu

import "sync"

// group is a work-group as it runs: its waves, LDS and barrier. A worker has one
// and uses it for one work-group after another.
type group struct {
	*dispatch
	kernel  string
	block   [3]uint32
	waves   []*wave
	lds     []byte
	watch   *ldsWatch
	ulp     int
	scratch int // bytes of a lane's private segment
	counts  counts
	ran     []int64 // times each instruction ran
	atomics *sync.Mutex
}

func newGroup(r *dispatch) *group {
	g := &group{dispatch: r, kernel: r.kernel.Name, lds: make([]byte, r.lds), ulp: r.launch.ULP,
		scratch: max(r.kernel.Scratch, int(r.descriptor.Scratch)), ran: make([]int64, len(r.program.code)), atomics: &r.atomics}
	if r.kernel.DynamicStack {
		g.scratch = max(g.scratch, dynamicStack)
	}
	if !r.launch.AllowRaces && r.waves > 1 || r.launch.CheckUninitialised {
		g.watch = &ldsWatch{cells: make([]ldsCell, (r.lds+3)/4)}
		if r.launch.CheckUninitialised {
			g.watch.written = make([]uint8, (r.lds+3)/4)
		}
	}
	for id := range r.waves {
		w := &wave{group: g, id: id, halves: r.kernel.WaveSize / 32}
		w.priv = make([]byte, g.scratch*r.kernel.WaveSize)
		g.waves = append(g.waves, w)
	}
	return g
}

// dynamicStack is the private segment of a kernel that calls what the compiler
// could not see through; a runtime's default is 16 KiB as well.
const dynamicStack = 16 << 10

func (g *group) addTo(s *Stats) {
	for i, n := range g.ran {
		s.Executed[i] += n
	}
	g.counts.addTo(s)
}

// quantum is how many instructions a wave runs in its turn in Interleaved order:
// few enough to mix waves between barriers.
const quantum = 29

// run executes one work-group.
func (g *group) run(block [3]uint32) *Fault {
	g.block = block
	fill(g.lds, g.launch.Poison)
	if g.watch != nil {
		g.watch.reset()
	}
	for _, w := range g.waves {
		w.start()
	}
	turn := int64(1 << 62)
	if g.launch.Order == Interleaved {
		turn = quantum
	}
	for {
		ready, ended := 0, 0
		for i := range g.waves {
			if g.launch.Order == Reverse {
				i = len(g.waves) - 1 - i
			}
			w := g.waves[i]
			if w.state == waveReady {
				if w.execute(turn); w.fault != nil {
					return w.fault
				}
			}
			switch w.state {
			case waveReady:
				ready++
			case waveEnded:
				ended++
			}
		}
		if ended == len(g.waves) {
			return nil
		}
		if !g.release() && ready == 0 {
			return g.deadlock()
		}
	}
}

// release lets the waves go whose barrier is complete: every wave that has not
// ended has signalled it. It says whether there was one.
func (g *group) release() bool {
	some := false
	for _, w := range g.waves {
		if w.state == waveAtBarrier && g.complete(w.waits+1) {
			w.state = waveReady
			w.waits++
			w.linger()
			some = true
		}
	}
	return some
}

// complete says whether barrier n of the work-group, counted from 1, is.
func (g *group) complete(n int) bool {
	for _, w := range g.waves {
		if w.state != waveEnded && w.signals < n {
			return false
		}
	}
	return true
}

func (g *group) deadlock() *Fault {
	for _, w := range g.waves {
		if w.state == waveAtBarrier {
			w.fail(Deadlock, -1, "no wave can run: the others wait at barriers that this one does not reach")
			return w.fault
		}
	}
	return nil
}

func fill(b []byte, pattern uint32) {
	for i := range b {
		b[i] = byte(pattern >> (8 * (i & 3)))
	}
}

// start puts a wave at the kernel's entry, as the hardware would.
func (w *wave) start() {
	g, d := w.group, &w.group.descriptor
	poison := g.launch.Poison
	for i := range w.s {
		w.s[i] = poison
	}
	for h := range w.halves {
		for r := range w.v[h] {
			fillRegister(&w.v[h][r], poison)
		}
	}
	fill(w.priv, poison)
	w.scc, w.fault, w.near, w.ran, w.signals, w.waits = 0, nil, nil, 0, 0, 0
	w.issued, w.pending = 0, w.pending[:0]
	w.state, w.next = waveReady, g.entry
	w.mode = fpMode(d.RSRC1 & rsrc1FloatMode >> 12)
	if g.program.target == gfx11 {
		if d.RSRC1&rsrc1ClampNaN != 0 {
			w.mode |= modeClampNaN
		}
		if d.RSRC1&rsrc1IEEE != 0 {
			w.mode |= modeIEEE
		}
	} else {
		w.mode |= modeClampNaN // gfx12 always clamps so
	}
	w.startItems()
	w.startScalars()
}

func fillRegister(r *vreg, v uint32) {
	for l := range r {
		r[l] = v
	}
}

// startItems sets EXEC and v0: the work-item ids, ten bits each.
func (w *wave) startItems() {
	b := w.group.launch.Block
	items := int(b[0] * b[1] * b[2])
	first := w.id * 32 * w.halves
	ids := w.group.descriptor.RSRC2 & rsrc2WorkitemIDs >> 11
	w.set64(regExec, 0)
	for l := range 32 * w.halves {
		i := first + l
		if i >= items {
			break
		}
		x, y, z := uint32(i)%b[0], uint32(i)/b[0]%b[1], uint32(i)/b[0]/b[1]
		if ids < 1 {
			y = 0
		}
		if ids < 2 {
			z = 0
		}
		w.v[l/32][0][l%32] = x | y<<10 | z<<20
		w.s[regExec+l/32] |= 1 << (l % 32)
	}
}

// startScalars sets the user SGPRs that the descriptor asks for, and the
// work-group's ids: after them on gfx11, in ttmp9 and ttmp7 on gfx12.
func (w *wave) startScalars() {
	g, d := w.group, &w.group.descriptor
	at := 0
	pair := func(property uint16, v uint64) {
		if d.Properties&property != 0 {
			w.set64(at, v)
			at += 2
		}
	}
	if d.Properties&propPrivateSegmentBuffer != 0 {
		at += 4 // not used with architected flat scratch: left as poison
	}
	pair(propDispatchPtr, g.packet)
	pair(propQueuePtr, 0)
	pair(propKernargSegmentPtr, g.kernarg)
	pair(propDispatchID, 0)
	pair(propFlatScratchInit, 0)
	if d.Properties&propPrivateSegmentSize != 0 {
		w.s[at] = uint32(g.scratch)
	}
	if g.program.target == gfx12 {
		w.s[regTTMP+9] = g.block[0]
		w.s[regTTMP+7] = g.block[1]&0xffff | g.block[2]<<16
		return
	}
	at = int(d.RSRC2 & rsrc2UserSGPRs >> 1)
	for i, enable := range []uint32{rsrc2WorkgroupIDX, rsrc2WorkgroupIDY, rsrc2WorkgroupIDZ} {
		if d.RSRC2&enable != 0 {
			w.s[at] = g.block[i]
			at++
		}
	}
}

// execute runs a wave for so many instructions, or until it waits, ends or
// faults.
func (w *wave) execute(turn int64) {
	g := w.group
	code, ran := g.program.code, g.ran
	limit := g.launch.MaxInstructions
	for w.state == waveReady && w.fault == nil && turn > 0 {
		chunk := min(turn, 1<<16)
		turn -= chunk
		n := chunk
		for ; n > 0; n-- {
			i := w.next
			if uint(i) >= uint(len(code)) {
				w.fail(BadJump, -1, "execution ran past the last instruction")
				return
			}
			w.current, w.next = i, i+1
			ran[i]++
			code[i].run(w)
			if w.fault != nil || w.state != waveReady {
				n--
				break
			}
		}
		w.ran += chunk - n
		switch {
		case w.fault != nil || w.state != waveReady:
		case w.ran > limit:
			w.fail(EndlessLoop, -1, "this wave has executed %d instructions, the launch allows %d", w.ran, limit)
		case g.stop.Load():
			w.fail(Stopped, -1, "the launch was stopped")
		}
	}
}
