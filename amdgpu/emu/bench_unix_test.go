//go:build unix

package emu_test

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"kmx/amdgpu/emu"
)

// BenchmarkWorkers runs many work-groups on one and on two workers: wave
// instructions a second, and a second of processor time. The former grows with
// the workers as far as processors are free; the latter falls where they are in
// each other's way.
func BenchmarkWorkers(b *testing.B) {
	p := build(b, benchmarked, "gfx1201")
	for _, kernel := range []string{"integer", "matrix", "shared"} {
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s/%d", kernel, workers), func(b *testing.B) {
				d := newDevice(b)
				d.buffer("out", make([]byte, 128))
				d.buffer("in", make([]byte, 128))
				var ran int64
				var took, used time.Duration
				for b.Loop() {
					begin, before := time.Now(), processorTime(b)
					ran += d.mustLaunch(p, emu.Launch{Kernel: kernel, Grid: [3]uint32{32}, Block: [3]uint32{32}, Workers: workers}).Total()
					took += time.Since(begin)
					used += processorTime(b) - before
				}
				b.ReportMetric(float64(ran)/took.Seconds()/1e6, "Minstr/s")
				b.ReportMetric(float64(ran)/used.Seconds()/1e6, "Minstr/cpu-s")
			})
		}
	}
}

func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
