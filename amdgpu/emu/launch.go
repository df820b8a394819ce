package emu

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"kmx/amdgpu/codeobj"
)

// Order is how the waves of a work-group take their turns. A kernel without a
// race gives the same bytes in every order; Forward against Reverse is the pair
// that shows most races.
type Order int

const (
	Forward     Order = iota // wave 0 runs to the barrier, then wave 1, ...
	Reverse                  // the last wave first; work-groups backwards as well
	Interleaved              // a few instructions of each in turn
)

func (o Order) String() string {
	switch o {
	case Forward:
		return "forward"
	case Reverse:
		return "reverse"
	case Interleaved:
		return "interleaved"
	}
	return fmt.Sprintf("order %d", int(o))
}

// Launch says what to run.
type Launch struct {
	Kernel string
	Grid   [3]uint32 // work-groups; 0 counts as 1
	Block  [3]uint32 // work-items of a work-group; 0 counts as 1
	Args   []byte    // explicit parameters, as they lie in the parameter block; hidden ones are added
	// DynamicLDS is bytes of LDS beyond what the kernel declares.
	DynamicLDS int
	Order      Order
	Workers    int // work-groups at a time; 0: as many as processors
	// ULP is added to the results of v_rcp, v_rsq, v_sqrt, v_exp, v_log, v_sin
	// and v_cos (f32 and f16), whose last bit the hardware does not promise.
	ULP int
	// MaxInstructions is the most that one wave may execute; 0 is 500 million.
	MaxInstructions int64
	// Poison fills registers and LDS at the start; 0 is DefaultPoison. Runs with
	// two values differ where a kernel uses what it never set.
	Poison uint32
	// AllowRaces turns the check of LDS accesses between barriers off.
	AllowRaces bool
	// CheckUninitialised makes a load of LDS that nobody wrote a fault.
	CheckUninitialised bool
}

// DefaultPoison is a NaN as f32 and, in both halves, as f16.
const DefaultPoison = 0x7fb57fb5

// Bits of the kernel descriptor (LLVM's AMDGPU backend documentation, code
// object V3 and later).
const (
	propPrivateSegmentBuffer = 1 << iota
	propDispatchPtr
	propQueuePtr
	propKernargSegmentPtr
	propDispatchID
	propFlatScratchInit
	propPrivateSegmentSize

	rsrc2UserSGPRs    = 0x3e
	rsrc2WorkgroupIDX = 1 << 7
	rsrc2WorkgroupIDY = 1 << 8
	rsrc2WorkgroupIDZ = 1 << 9
	rsrc2WorkitemIDs  = 3 << 11
	rsrc1FloatMode    = 0xff << 12
	rsrc1ClampNaN     = 1 << 21
	rsrc1IEEE         = 1 << 23
)

// dispatch is a launch in progress, shared by its workers.
type dispatch struct {
	program    *Program
	launch     Launch
	kernel     codeobj.Kernel
	descriptor codeobj.Descriptor
	base       uint64 // load address
	space      space
	kernarg    uint64
	packet     uint64
	waves      int // of a work-group
	lds        int
	entry      int
	atomics    sync.Mutex
	stop       atomic.Bool
}

// Launch runs a kernel over a grid and returns what it executed. The error is a
// *Fault when a wave met one, the context's when that ended, and a plain error
// when the launch itself does not fit the kernel. With several workers and
// several faults, the one of the first work-group in order is returned.
func (p *Program) Launch(ctx context.Context, m *Memory, l Launch) (*Stats, error) {
	r, err := p.prepare(m, l)
	if err != nil {
		return nil, err
	}
	groups := int64(r.launch.Grid[0]) * int64(r.launch.Grid[1]) * int64(r.launch.Grid[2])
	workers := r.launch.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	workers = int(min(int64(workers), groups))
	stopWatching := context.AfterFunc(ctx, func() { r.stop.Store(true) })
	defer stopWatching()

	var next atomic.Int64
	var mu sync.Mutex
	var wg sync.WaitGroup
	stats := &Stats{Executed: make([]int64, len(p.code))}
	var fault *Fault
	faultAt := groups
	for range workers {
		wg.Go(func() {
			g := newGroup(r)
			for {
				i := next.Add(1) - 1
				if i >= groups || r.stop.Load() {
					break
				}
				if f := g.run(r.blockOf(i, groups)); f != nil {
					mu.Lock()
					if i < faultAt && f.Kind != Stopped {
						fault, faultAt = f, i
					}
					mu.Unlock()
					next.Store(groups) // no new ones; those that run may fault earlier
					break
				}
			}
			mu.Lock()
			defer mu.Unlock()
			g.addTo(stats)
		})
	}
	wg.Wait()
	if fault != nil {
		return stats, fault
	}
	if err := ctx.Err(); err != nil {
		return stats, err
	}
	for i, n := range stats.Executed {
		stats.Instructions[p.code[i].class] += n
	}
	stats.Waves = groups * int64(r.waves)
	return stats, nil
}

// blockOf is the i-th work-group in the order of the launch.
func (r *dispatch) blockOf(i, groups int64) [3]uint32 {
	if r.launch.Order == Reverse {
		i = groups - 1 - i
	}
	g := r.launch.Grid
	return [3]uint32{uint32(i % int64(g[0])), uint32(i / int64(g[0]) % int64(g[1])), uint32(i / int64(g[0]) / int64(g[1]))}
}

// prepare checks the launch against the kernel and puts what it needs in memory.
func (p *Program) prepare(m *Memory, l Launch) (*dispatch, error) {
	k, ok := p.object.Kernel(l.Kernel)
	if !ok {
		var names []string
		for _, k := range p.object.Kernels {
			names = append(names, k.Name)
		}
		return nil, fmt.Errorf("the object has no kernel %q, it has %q", l.Kernel, names)
	}
	d, ok := p.object.Descriptor(l.Kernel)
	if !ok {
		return nil, fmt.Errorf("kernel %s has no descriptor", l.Kernel)
	}
	for i := range 3 {
		l.Grid[i], l.Block[i] = max(l.Grid[i], 1), max(l.Block[i], 1)
	}
	items := uint64(l.Block[0]) * uint64(l.Block[1]) * uint64(l.Block[2])
	if items > uint64(k.MaxWorkgroup) || items > 1024 {
		return nil, fmt.Errorf("kernel %s may have %d work-items in a work-group, the launch has %d", k.Name, k.MaxWorkgroup, items)
	}
	if l.MaxInstructions <= 0 {
		l.MaxInstructions = 500e6
	}
	if l.Poison == 0 {
		l.Poison = DefaultPoison
	}
	wave := uint64(k.WaveSize)
	r := &dispatch{program: p, launch: l, kernel: k, descriptor: d, waves: int((items + wave - 1) / wave), lds: k.LDS + l.DynamicLDS}
	if r.lds > 64<<10 || l.DynamicLDS < 0 {
		return nil, fmt.Errorf("kernel %s would have %d bytes of LDS, a work-group has at most %d", k.Name, r.lds, 64<<10)
	}
	if r.entry, ok = p.indexOf(d.Entry); !ok {
		return nil, fmt.Errorf("kernel %s begins at 0x%x, where no instruction begins", k.Name, d.Entry)
	}
	if err := p.checkRegisters(k, r.entry); err != nil {
		return nil, err
	}
	image, err := m.load(p)
	if err != nil {
		return nil, err
	}
	r.base = image.base
	args, err := r.parameterBlock()
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	r.space = space{m.regions}
	m.mu.Unlock()
	// Both lie below every other address that is chosen.
	r.kernarg, r.packet = 0x8_0000_0000, 0x8_1000_0000
	r.space.add(region{name: "parameter block", base: r.kernarg, end: r.kernarg + uint64(len(args)), data: args, readOnly: true})
	packet := r.dispatchPacket()
	r.space.add(region{name: "dispatch packet", base: r.packet, end: r.packet + uint64(len(packet)), data: packet, readOnly: true})
	return r, nil
}

// checkRegisters wants the kernel's own code to stay within the registers that
// its descriptor allocates; what it calls may have more.
func (p *Program) checkRegisters(k codeobj.Kernel, entry int) error {
	end := p.code[entry].addr + uint64(k.CodeBytes)
	for i := entry; i < len(p.code) && p.code[i].addr < end; i++ {
		if in := &p.code[i]; in.vgprs > k.AllocatedVGPRs {
			return fmt.Errorf("kernel %s uses %d vector registers at 0x%x (%s), its descriptor allocates %d",
				k.Name, in.vgprs, in.addr, in.text, k.AllocatedVGPRs)
		}
	}
	return nil
}
