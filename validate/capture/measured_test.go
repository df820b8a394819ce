package capture

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kmx/internal/num"
)

func writeFrame(t *testing.T, dir, name string, w, h int, at func(x, y, c int) float64) {
	t.Helper()
	var b []byte
	for y := range h {
		for x := range w {
			for c := range 4 {
				b = binary.LittleEndian.AppendUint16(b, uint16(num.F16FromFloat64(at(x, y, c))))
			}
		}
	}
	if err := os.WriteFile(filepath.Join(dir, name), b, 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestPSNROfFrames(t *testing.T) {
	a, b := t.TempDir(), t.TempDir()
	shape := FrameShape{8, 6, Span{2, 3}, Span{5, 7}}
	flat := func(v float64) func(x, y, c int) float64 {
		return func(x, y, c int) float64 { return v }
	}
	// Equal where it counts: alpha, the excluded part, and beyond [0, 1] differ.
	writeFrame(t, a, "frame-1.rgba16f", 8, 6, func(x, y, c int) float64 {
		if c == 3 || y >= 2 && y <= 3 && x >= 5 {
			return 0.125
		}
		return 3
	})
	writeFrame(t, b, "frame-1.rgba16f", 8, 6, flat(1))
	// A difference of 1/16 in every component.
	writeFrame(t, a, "frame-2.rgba16f", 8, 6, flat(0.5))
	writeFrame(t, b, "frame-2.rgba16f", 8, 6, flat(0.5625))
	writeFrame(t, a, "frame-3.rgba16f", 8, 6, flat(0))
	writeFrame(t, b, "frame-4.rgba16f", 8, 6, flat(0))
	r, err := PSNR(a, b, shape)
	if err != nil {
		t.Fatal(err)
	}
	want := 20 * math.Log10(16)
	if len(r.Frames) != 2 || r.Frames[0].DB != 99 || math.Abs(r.Frames[1].DB-want) > 1e-9 || math.Abs(r.Mean-(99+want)/2) > 1e-9 || r.MinimumOfFrame != "frame-2.rgba16f" {
		t.Errorf("%+v", r)
	}
	if s := r.String(); !strings.Contains(s, "2 frames, minimum 24.08 dB (frame-2.rgba16f), mean 61.54 dB") || !strings.Contains(s, "frame-4.rgba16f is only in the second") || !strings.Contains(s, "frame-3.rgba16f is only in the first") {
		t.Error(s)
	}
	writeFrame(t, b, "frame-2.rgba16f", 8, 6, func(x, y, c int) float64 {
		if x == 0 && y == 0 {
			return math.NaN()
		}
		return 0.5
	})
	if r, err = PSNR(a, b, shape); err != nil || r.Frames[1].NaN != 3 || !math.IsNaN(r.Frames[1].DB) || !math.IsNaN(r.Minimum) {
		t.Errorf("with NaN: %+v, %v", r, err)
	}
	if _, err := PSNR(a, b, DefaultFrameShape); err == nil || !strings.Contains(err.Error(), "-size") {
		t.Errorf("another size: %v", err)
	}
	if _, err := PSNR(a, t.TempDir(), shape); err == nil {
		t.Error("nothing to compare, and no error")
	}
	if d := DefaultFrameShape; !d.excludes(1850, 1370) || !d.excludes(2459, 1391) || d.excludes(1849, 1370) || d.excludes(2460, 1391) || d.excludes(1850, 1392) {
		t.Error("the watermark is elsewhere")
	}
}

func TestReadProfile(t *testing.T) {
	var b strings.Builder
	b.WriteString("something else\nKERNEL_PROFILE enabled limit=3000\n")
	for frame := range 4 {
		slow := 1.0
		if frame < 2 {
			slow = 50 // warming up
		}
		fmt.Fprintf(&b, "[bridge] KERNEL_PROFILE launch=%d stream=0 gpu_ms=%v name=enc\n", 3*frame, 2*slow)
		fmt.Fprintf(&b, "KERNEL_PROFILE launch=%d gpu_ms=%v eligible=1 name=dec\n", 3*frame+1, 0.5*slow)
		fmt.Fprintf(&b, "KERNEL_PROFILE launch=%d gpu_ms=%v name=dec\n", 3*frame+2, (0.25+float64(frame)*0.25)*slow)
	}
	b.WriteString("KERNEL_PROFILE launch=99 gpu_ms=fast name=enc\n")
	p, err := ReadProfile(strings.NewReader(b.String()), 4, 2)
	if err != nil {
		t.Fatal(err)
	}
	if p.Frames != 2 || p.Launches != 6 || math.Abs(p.Total-(4+1+0.75+1)) > 1e-9 || p.Malformed != 1 || len(p.Kernels) != 2 {
		t.Errorf("%+v", p)
	}
	if k := p.Kernels[1]; k.Name != "dec" || k.Launches != 4 || math.Abs(k.Median-0.625) > 1e-9 {
		t.Errorf("%+v", k)
	}
	if s := p.String(); !strings.Contains(s, "3.0 launches and 3.375 ms a frame, over 2 frames") || !strings.Contains(s, "2.0000         1.00       2.0000  enc") {
		t.Error(s)
	}
	for _, bad := range []struct{ frames, warm int }{{0, 0}, {4, 4}, {4, -1}} {
		if _, err := ReadProfile(strings.NewReader(b.String()), bad.frames, bad.warm); err == nil {
			t.Errorf("%d frames, %d to warm up", bad.frames, bad.warm)
		}
	}
	if _, err := ReadProfile(strings.NewReader("nothing\n"), 4, 2); err == nil || !strings.Contains(err.Error(), "D4R_CUDA_KERNEL_PROFILE") {
		t.Error(err)
	}
}
