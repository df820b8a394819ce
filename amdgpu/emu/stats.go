package emu

import (
	"fmt"
	"math/bits"
	"strings"
)

// Class groups instructions by the unit that executes them.
type Class uint8

const (
	ClassVALU    Class = iota // vector arithmetic, dual instructions counted once
	ClassWMMA                 // matrix multiply
	ClassSALU                 // scalar arithmetic
	ClassSMEM                 // scalar loads
	ClassVMEM                 // global, flat, buffer, image
	ClassScratch              // private segment: spills and stack
	ClassLDS                  // LDS loads, stores, atomics and permutes
	ClassBranch               // branches, calls, the end of the program
	ClassBarrier              // barriers; signal and wait count one each
	ClassWait                 // waits, delays, hints: no work
	classes
)

var classNames = [classes]string{"valu", "wmma", "salu", "smem", "vmem", "scratch", "lds", "branch", "barrier", "wait"}

func (c Class) String() string {
	if c >= classes {
		return "class?"
	}
	return classNames[c]
}

// Stats is what a launch executed. Instructions are counted a wave each; bytes
// are what active lanes moved, whether or not caches would have merged it.
type Stats struct {
	Waves        int64
	Instructions [classes]int64 // by Class
	// LDSAccesses are the cycles that LDS loads, stores and atomics take at
	// least, LDSConflicts those that bank conflicts add, both by the model that
	// docs/emulator.md gives.
	LDSAccesses, LDSConflicts    int64
	GlobalLoaded, GlobalStored   int64 // bytes, atomics on both sides
	ScalarLoaded                 int64
	ScratchLoaded, ScratchStored int64
	LDSLoaded, LDSStored         int64
	Executed                     []int64 // times each instruction ran, in the order of addresses; see Program.Profile
}

// Total is the number of executed wave instructions.
func (s *Stats) Total() int64 {
	var sum int64
	for _, n := range s.Instructions {
		sum += n
	}
	return sum
}

// WMMAs is the number of matrix instructions.
func (s *Stats) WMMAs() int64 { return s.Instructions[ClassWMMA] }

// Barriers is the number of barrier instructions.
func (s *Stats) Barriers() int64 { return s.Instructions[ClassBarrier] }

// Add adds another launch, of the same or another kernel.
func (s *Stats) Add(o *Stats) {
	s.Waves += o.Waves
	for i, n := range o.Instructions {
		s.Instructions[i] += n
	}
	s.LDSAccesses += o.LDSAccesses
	s.LDSConflicts += o.LDSConflicts
	s.GlobalLoaded += o.GlobalLoaded
	s.GlobalStored += o.GlobalStored
	s.ScalarLoaded += o.ScalarLoaded
	s.ScratchLoaded += o.ScratchLoaded
	s.ScratchStored += o.ScratchStored
	s.LDSLoaded += o.LDSLoaded
	s.LDSStored += o.LDSStored
	if len(s.Executed) == len(o.Executed) {
		for i, n := range o.Executed {
			s.Executed[i] += n
		}
	} else if len(s.Executed) > 0 {
		s.Executed = nil // of different programs
	}
}

func (s *Stats) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d waves, %d wave instructions:", s.Waves, s.Total())
	for c, n := range s.Instructions {
		if n > 0 {
			fmt.Fprintf(&b, " %s %d", Class(c), n)
		}
	}
	fmt.Fprintf(&b, "; global %d bytes loaded, %d stored", s.GlobalLoaded, s.GlobalStored)
	if s.LDSAccesses > 0 {
		fmt.Fprintf(&b, "; LDS %d bytes loaded, %d stored, %d cycles and %d more for bank conflicts", s.LDSLoaded, s.LDSStored, s.LDSAccesses, s.LDSConflicts)
	}
	if s.ScratchLoaded+s.ScratchStored > 0 {
		fmt.Fprintf(&b, "; scratch %d bytes loaded, %d stored", s.ScratchLoaded, s.ScratchStored)
	}
	return b.String()
}

// instructionClass sorts a mnemonic into its class.
func instructionClass(name string) Class {
	has := func(prefixes ...string) bool {
		for _, p := range prefixes {
			if strings.HasPrefix(name, p) {
				return true
			}
		}
		return false
	}
	switch {
	case has("v_wmma", "v_swmmac"):
		return ClassWMMA
	case has("v_"):
		return ClassVALU
	case has("ds_"):
		return ClassLDS
	case has("scratch_"):
		return ClassScratch
	case timing[name], has("s_wait", "s_delay_alu", "s_sendmsg", "s_code_end"):
		return ClassWait
	case has("global_", "flat_", "buffer_", "image_"):
		return ClassVMEM
	case has("s_load", "s_buffer_load"):
		return ClassSMEM
	case has("s_barrier"):
		return ClassBarrier
	case has("s_branch", "s_cbranch", "s_setpc", "s_swappc", "s_call", "s_endpgm", "s_trap"):
		return ClassBranch
	}
	return ClassSALU
}

// counts are what instructions count themselves, for one worker.
type counts struct {
	globalLoaded, globalStored   int64
	scalarLoaded                 int64
	scratchLoaded, scratchStored int64
	ldsLoaded, ldsStored         int64
	ldsAccesses, ldsConflicts    int64
	rows                         [ldsBanks][32]uint32 // of a pass, by bank; see conflicts
}

func (c *counts) addTo(s *Stats) {
	s.GlobalLoaded += c.globalLoaded
	s.GlobalStored += c.globalStored
	s.ScalarLoaded += c.scalarLoaded
	s.ScratchLoaded += c.scratchLoaded
	s.ScratchStored += c.scratchStored
	s.LDSLoaded += c.ldsLoaded
	s.LDSStored += c.ldsStored
	s.LDSAccesses += c.ldsAccesses
	s.LDSConflicts += c.ldsConflicts
}

// ldsBanks is the number of 4-byte banks.
const ldsBanks = 64

// lds counts an access of so many bytes by each active lane. A pass serves up to
// 128 bytes: 32 lanes of 4 bytes, 16 of 8, 8 of 16. Different dwords of a bank
// within a pass take a cycle each; lanes that want the same dword share it.
func (c *counts) lds(at *vreg, exec, offset, size uint32, write bool) {
	n := int64(bits.OnesCount32(exec)) * int64(size)
	if write {
		c.ldsStored += n
	} else {
		c.ldsLoaded += n
	}
	dwords := max(size/4, 1)
	group := 32 / dwords
	if dwords == 3 {
		group = 8
	}
	for first := uint32(0); first < 32; first += group {
		lanes := exec >> first & uint32(uint64(1)<<group-1)
		if lanes == 0 {
			continue
		}
		c.ldsAccesses++
		c.ldsConflicts += c.conflicts(at, offset, lanes, first, dwords)
	}
}

// conflicts is how many cycles more than one a pass takes.
func (c *counts) conflicts(at *vreg, offset, lanes, first, dwords uint32) int64 {
	var depth [ldsBanks]uint8
	worst, rows := uint8(1), &c.rows
	for rest := lanes; rest != 0; rest &= rest - 1 {
		l := (uint32(bits.TrailingZeros32(rest)) + first) & 31
		dword := (at[l] + offset) / 4
		for i := range dwords {
			bank, row := (dword+i)%ldsBanks, (dword+i)/ldsBanks
			k, d := uint8(0), depth[bank]
			for k < d && rows[bank][k&31] != row {
				k++
			}
			if k == d && d < 32 {
				rows[bank][d] = row
				depth[bank] = d + 1
				worst = max(worst, d+1)
			}
		}
	}
	return int64(worst) - 1
}
