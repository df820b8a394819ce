package emu

// vreg is one vector register of 32 lanes. A wave of 64 has two register files,
// and runs each vector instruction on one and then the other, as the hardware
// does.
type vreg = [32]uint32

const allLanes = 0xffffffff

// waveState says what a wave waits for.
type waveState uint8

const (
	waveReady waveState = iota
	waveAtBarrier
	waveEnded
)

// wave is the architectural state of one wave.
type wave struct {
	s      [128]uint32 // scalar registers by hardware number, VCC, M0 and EXEC among them
	scc    uint32      // 0 or 1
	mode   fpMode
	v      [2][256]vreg
	halves int // 1: wave32, 2: wave64

	next    int // index of the next instruction
	current int // index of the one that runs
	state   waveState
	ran     int64 // instructions
	group   *group
	id      int
	signals int         // barrier signals given (gfx12)
	waits   int         // barrier waits passed (gfx12)
	issued  uint32      // instructions that access LDS
	pending []ldsAccess // that it has not waited for
	fault   *Fault

	tmp  [4]vreg       // operands that are not a plain register
	out  [2]vreg       // results before they are written
	wide [3][32]uint64 // 64-bit operands
	near *region       // where the last access went
	priv []byte        // private segments, lane after lane

	matrixA, matrixB wmmaOperand
	matrixD          [2][8]vreg
}

func (w *wave) exec(h int) uint32 { return w.s[regExec+h] }

func (w *wave) exec64() uint64 { return w.get64(regExec) & w.laneMask() }

// laneMask has a bit for each lane that exists.
func (w *wave) laneMask() uint64 {
	if w.halves == 1 {
		return allLanes
	}
	return 1<<64 - 1
}

// get64 reads a pair of scalar registers; a pair at null is 0.
func (w *wave) get64(reg int) uint64 {
	if reg == regNull {
		return 0
	}
	return uint64(w.s[reg]) | uint64(w.s[reg+1])<<32
}

func (w *wave) set32(reg int, v uint32) {
	if reg != regNull {
		w.s[reg] = v
	}
}

func (w *wave) set64(reg int, v uint64) {
	if reg != regNull {
		w.s[reg], w.s[reg+1] = uint32(v), uint32(v>>32)
	}
}

// setMask writes a lane mask, once all of the wave has read its operands: the
// mask may overlap them.
func (w *wave) setMask(reg int, bits [2]uint32) {
	if reg == regNull {
		return
	}
	for h := range w.halves {
		w.s[reg+h] = bits[h]
	}
}

func (w *wave) mask(reg, h int) uint32 {
	if reg == regNull {
		return 0
	}
	return w.s[reg+h]
}

func (w *wave) setSCC(b bool) {
	w.scc = 0
	if b {
		w.scc = 1
	}
}

// special is the value of an operand that is no register.
func (w *wave) special(which int) uint64 {
	switch which {
	case specialSCC:
		return uint64(w.scc)
	case specialVCCZ:
		return bit(w.get64(regVCC)&w.laneMask() == 0)
	case specialEXECZ:
		return bit(w.exec64() == 0)
	case specialSharedBase:
		return sharedAperture
	case specialSharedLimit:
		return sharedAperture | allLanes
	case specialPrivateBase:
		return privateAperture
	}
	return privateAperture | allLanes
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// jump continues at a loaded address.
func (w *wave) jump(to uint64) {
	index, ok := w.group.program.indexOf(to - w.group.base)
	if !ok {
		w.fail(BadJump, -1, "it jumps to 0x%x, where no instruction begins", to)
		return
	}
	w.next = index
}
