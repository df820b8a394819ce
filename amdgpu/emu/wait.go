package emu

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// ldsAccess is one that its wave has not waited for: the hardware may perform it
// any time until then, also behind a barrier.
type ldsAccess struct {
	seq   uint32 // of the instruction, among the wave's of LDS
	at, n uint32
	lane  int
	write bool
}

// asked remembers an access until it is waited for.
func (w *wave) asked(lane int, at, n uint32, write bool) {
	w.pending = append(w.pending, ldsAccess{w.issued, at, n, lane, write})
}

// await forgets all accesses but those of the last n instructions: a wave's
// accesses of LDS are performed in order.
func (w *wave) await(n uint32) {
	if n == 0 {
		w.pending = w.pending[:0]
		return
	}
	kept := w.pending[:0]
	for _, a := range w.pending {
		if w.issued-a.seq < n {
			kept = append(kept, a)
		}
	}
	w.pending = kept
}

// linger takes accesses that are still not waited for into the epoch behind a
// barrier: what others do there races with them.
func (w *wave) linger() {
	watch := w.group.watch
	if watch == nil {
		return
	}
	for _, a := range w.pending {
		if watch.access(w, a.lane, a.at, a.n, a.write); w.fault != nil {
			return
		}
	}
}

// counted makes a DS instruction count as one to be waited for.
func counted(run func(*wave)) func(*wave) {
	return func(w *wave) {
		w.issued++
		run(w)
	}
}

var lgkmcnt = regexp.MustCompile(`lgkmcnt\((\d+)\)`)

// buildWait makes the instructions that wait for LDS; others of the kind concern
// memory, which is performed at once here.
//
//	gfx11  s_waitcnt: lgkmcnt in words, or bits 9..4 of a number; s_waitcnt_lgkmcnt
//	gfx12  s_wait_dscnt; bits 5..0 of s_wait_loadcnt_dscnt and s_wait_storecnt_dscnt
//
// Scalar loads count in lgkmcnt as well. They come back in any order, so that
// nobody can wait for LDS with a number above zero while one is under way.
func buildWait(d *decoded) (func(*wave), error) {
	run, err := buildTiming(d)
	if err != nil {
		return nil, err
	}
	var n uint64
	switch {
	case d.name == "s_waitcnt":
		text := d.rest
		if m := lgkmcnt.FindStringSubmatch(text); m != nil {
			n, err = strconv.ParseUint(m[1], 10, 6)
		} else if strings.Contains(text, "cnt(") {
			return run, nil
		} else if n, err = strconv.ParseUint(text, 0, 16); err == nil {
			n = n >> 4 & 63
		}
	case d.name == "s_wait_idle":
	case strings.HasSuffix(d.name, "lgkmcnt"), strings.HasSuffix(d.name, "dscnt"):
		if len(d.operands) == 0 || d.operands[len(d.operands)-1].kind != konst {
			return nil, fmt.Errorf("operands of %s are not modelled", d.name)
		}
		n = uint64(d.operands[len(d.operands)-1].integer) & 63
	default:
		return run, nil
	}
	if err != nil {
		return nil, fmt.Errorf("operands of %s are not modelled", d.name)
	}
	return func(w *wave) { w.await(uint32(n)) }, nil
}
