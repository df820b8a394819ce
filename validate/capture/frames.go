package capture

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kmx/internal/num"
)

// FrameShape says how frames lie in their files and what part of them counts.
type FrameShape struct {
	W, H int
	// Excluded rows and columns, ends included: where a watermark lies that
	// shows numbers of its own. Rows.From > Rows.To excludes nothing.
	Rows, Columns Span
}

// Span is a range of rows or columns, ends included.
type Span struct{ From, To int }

// DefaultFrameShape is 2560x1440 with the watermark of the DLSS libraries' debug
// overlay at the bottom right.
var DefaultFrameShape = FrameShape{2560, 1440, Span{1370, 1391}, Span{1850, 2459}}

// FramePSNR is one pair of frames.
type FramePSNR struct {
	Name string
	DB   float64 // 99 for equal pixels
	NaN  int     // components that are NaN in either
}

// identicalDB stands for frames without a difference.
const identicalDB = 99

// PSNRResult is all pairs, in the order of their names, and the frames that only
// one directory has.
type PSNRResult struct {
	Frames         []FramePSNR
	OnlyA, OnlyB   []string
	Minimum, Mean  float64
	MinimumOfFrame string
}

// PSNR compares the frames of two directories: files frame-*.rgba16f of the same
// name, four f16 for each pixel, row after row. Red, green and blue count,
// limited to [0, 1]; the peak is 1.
func PSNR(a, b string, shape FrameShape) (*PSNRResult, error) {
	if shape.W < 1 || shape.H < 1 || shape.W > 1<<16 || shape.H > 1<<16 {
		return nil, fmt.Errorf("frames of %dx%d pixels", shape.W, shape.H)
	}
	namesA, err := frameNames(a)
	if err != nil {
		return nil, err
	}
	namesB, err := frameNames(b)
	if err != nil {
		return nil, err
	}
	r := &PSNRResult{Minimum: math.Inf(1)}
	for _, n := range namesB {
		if !slices.Contains(namesA, n) {
			r.OnlyB = append(r.OnlyB, n)
		}
	}
	for _, n := range namesA {
		if !slices.Contains(namesB, n) {
			r.OnlyA = append(r.OnlyA, n)
			continue
		}
		f, err := comparePair(filepath.Join(a, n), filepath.Join(b, n), shape)
		if err != nil {
			return nil, err
		}
		f.Name = n
		r.Frames = append(r.Frames, f)
		r.Mean += f.DB
		if f.DB < r.Minimum || math.IsNaN(f.DB) {
			r.Minimum, r.MinimumOfFrame = f.DB, n
		}
	}
	if len(r.Frames) == 0 {
		return nil, fmt.Errorf("%s and %s have no frame-*.rgba16f of the same name", a, b)
	}
	r.Mean /= float64(len(r.Frames))
	return r, nil
}

func frameNames(dir string) ([]string, error) {
	if _, err := os.Stat(dir); err != nil {
		return nil, err
	}
	paths, err := filepath.Glob(filepath.Join(escapeGlob(dir), "frame-*.rgba16f"))
	if err != nil {
		return nil, err
	}
	names := make([]string, len(paths))
	for i, p := range paths {
		names[i] = filepath.Base(p)
	}
	slices.Sort(names)
	return names, nil
}

// escapeGlob takes the meaning from characters of a directory's name.
func escapeGlob(dir string) string {
	return strings.NewReplacer("[", "[[]", "*", "[*]", "?", "[?]").Replace(dir)
}

func comparePair(a, b string, shape FrameShape) (FramePSNR, error) {
	var rows [2][]byte
	var files [2]*os.File
	want := int64(shape.W) * int64(shape.H) * 8
	for i, path := range []string{a, b} {
		f, err := os.Open(path)
		if err != nil {
			return FramePSNR{}, err
		}
		defer f.Close()
		if info, err := f.Stat(); err != nil {
			return FramePSNR{}, err
		} else if info.Size() != want {
			return FramePSNR{}, fmt.Errorf("%s has %d bytes; a frame of %dx%d pixels has %d: name its size with -size", path, info.Size(), shape.W, shape.H, want)
		}
		files[i], rows[i] = f, make([]byte, shape.W*8)
	}
	var p FramePSNR
	var square float64
	count := 0
	for y := range shape.H {
		for i, f := range files {
			if _, err := io.ReadFull(f, rows[i]); err != nil {
				return p, fmt.Errorf("%s: %w", f.Name(), err)
			}
		}
		for x := range shape.W {
			if shape.excludes(x, y) {
				continue
			}
			for c := range 3 {
				d := component(rows[0], x, c) - component(rows[1], x, c)
				if d != d {
					p.NaN++
				}
				square += float64(d * d)
				count++
			}
		}
	}
	switch {
	case count == 0:
		return p, fmt.Errorf("every pixel is excluded")
	case square == 0:
		p.DB = identicalDB
	default:
		p.DB = -10 * math.Log10(square/float64(count))
	}
	return p, nil
}

func (s FrameShape) excludes(x, y int) bool {
	return y >= s.Rows.From && y <= s.Rows.To && x >= s.Columns.From && x <= s.Columns.To
}

// component is a colour of a pixel, limited to [0, 1]; NaN stays.
func component(row []byte, x, c int) float64 {
	return max(0, min(1, num.F16(binary.LittleEndian.Uint16(row[8*x+2*c:])).Float64()))
}

// String lists count, minimum, mean and every frame.
func (r *PSNRResult) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d frames, minimum %.2f dB (%s), mean %.2f dB\n", len(r.Frames), r.Minimum, r.MinimumOfFrame, r.Mean)
	for _, f := range r.Frames {
		fmt.Fprintf(&b, "%s %.2f dB", f.Name, f.DB)
		if f.NaN > 0 {
			fmt.Fprintf(&b, ", %d components are NaN", f.NaN)
		}
		b.WriteString("\n")
	}
	for _, n := range r.OnlyA {
		fmt.Fprintf(&b, "%s is only in the first directory\n", n)
	}
	for _, n := range r.OnlyB {
		fmt.Fprintf(&b, "%s is only in the second directory\n", n)
	}
	return b.String()
}
