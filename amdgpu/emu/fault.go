package emu

import (
	"fmt"
	"strings"
)

// FaultKind names what went wrong.
type FaultKind int

const (
	OutOfBounds       FaultKind = iota // an access outside every mapped buffer
	ReadOnly                           // a store to code, constants or a read-only buffer
	Misaligned                         // an address the hardware does not take
	OutsideLDS                         // LDS beyond the work-group's allocation
	OutsideScratch                     // beyond the private segment
	PartialExec                        // WMMA with inactive lanes
	InactiveLane                       // a cross-lane operation that reads an inactive lane
	ReplicationBroken                  // gfx11 WMMA operand that differs between the halves of the wave
	NotModelled                        // an instruction or form that the emulator does not know
	BadJump                            // control left the code
	EndlessLoop                        // MaxInstructions reached
	Deadlock                           // waves wait at a barrier that cannot complete
	Race                               // LDS accesses of two waves with no barrier between them
	Uninitialised                      // an LDS read of what nobody wrote, where asked for
	Trapped                            // the program asked for it
	Stopped                            // the context ended
)

var faultNames = [...]string{
	"out of bounds", "store to read-only memory", "misaligned", "outside LDS", "outside scratch", "WMMA with inactive lanes",
	"read of an inactive lane", "WMMA operand not replicated", "not modelled", "jump out of the code", "endless loop",
	"deadlock at a barrier", "missing barrier", "uninitialised LDS", "trap", "stopped",
}

func (k FaultKind) String() string {
	if k < 0 || int(k) >= len(faultNames) {
		return fmt.Sprintf("fault %d", int(k))
	}
	return faultNames[k]
}

// A Fault is why a launch did not finish: the first that any wave met.
type Fault struct {
	Kind   FaultKind
	Kernel string
	Block  [3]uint32
	Wave   int    // of the work-group, from 0
	Lane   int    // -1: the whole wave
	PC     uint64 // of the instruction, in the object's own addresses, as llvm-objdump shows it
	Text   string // instruction
	Detail string // what is wrong, with the values
	Source string // function and offset: "kernel+0x24"
}

func (f *Fault) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s, block (%d,%d,%d) wave %d", f.Kind, f.Kernel, f.Block[0], f.Block[1], f.Block[2], f.Wave)
	if f.Lane >= 0 {
		fmt.Fprintf(&b, " lane %d", f.Lane)
	}
	fmt.Fprintf(&b, ", 0x%x", f.PC)
	if f.Source != "" {
		fmt.Fprintf(&b, " (%s)", f.Source)
	}
	fmt.Fprintf(&b, ": %s: %s", f.Text, f.Detail)
	return b.String()
}

// fail records the first fault of a wave; the loop that runs it sees it after
// the instruction.
func (w *wave) fail(kind FaultKind, lane int, format string, args ...any) {
	if w.fault != nil {
		return
	}
	in := w.group.program.code[w.current]
	w.fault = &Fault{
		Kind: kind, Kernel: w.group.kernel, Block: w.group.block, Wave: w.id, Lane: lane,
		PC: in.addr, Text: in.text, Detail: fmt.Sprintf(format, args...), Source: w.group.program.place(in.addr),
	}
}
