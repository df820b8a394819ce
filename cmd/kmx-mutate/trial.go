package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"kmx/amdgpu/codeobj"
	"kmx/amdgpu/emu"
	"kmx/matrix"
	"kmx/plan"
	"kmx/validate/capture"
	"kmx/validate/layout"
	"kmx/validate/model"
)

// A step is one launch of a trial, held against the model.
type step struct {
	capture.Case
	order  emu.Order
	ulp    int    // on both sides
	poison uint32 // of registers and LDS before the launch
}

func (s step) String() string {
	text := fmt.Sprintf("%s, %v", s.Name, s.order)
	if s.ulp != 0 {
		text += fmt.Sprintf(", %+d ulp", s.ulp)
	}
	return text
}

// steps of a layer's trial, those first that cost least and find most. They are
// the launches of the tests: borders on all sides, odd sizes, shifts, several
// windows, grids smaller than a window, numbers at the ends of the formats, waves
// in every order.
func steps(l layout.Layer) []step {
	grid := func(w, h int) layout.Grid { return layout.Grid{W: w, H: h} }
	one := capture.Case{Name: "one window", Grid: grid(8, 8), Seed: 3}
	border := capture.Case{Name: "13x17 shifted", Grid: grid(13, 17), ShiftX: 2, ShiftY: 6, Seed: 1}
	stress := capture.Case{Name: "17x9 stress", Grid: grid(17, 9), ShiftX: 6, ShiftY: 4, Seed: 2, Stress: true}
	list := []step{
		{Case: one},
		{Case: border, order: emu.Reverse},
		{Case: stress, order: emu.Interleaved},
		{Case: capture.Case{Name: "3x5", Grid: grid(3, 5), ShiftX: 2, ShiftY: 4, Seed: 7}},
		{Case: capture.Case{Name: "faint", Grid: grid(9, 8), Seed: 9, Faint: true}},
		{Case: capture.Case{Name: "2x2", Grid: grid(2, 2), ShiftX: 4, ShiftY: 6, Seed: 8}, order: emu.Reverse},
		{Case: one, ulp: 5000, poison: 0x12345678},
		{Case: border},
		{Case: stress, order: emu.Reverse},
		{Case: capture.Case{Name: "24x16", Grid: grid(24, 16), ShiftY: 4, Seed: 4}, order: emu.Interleaved},
		{Case: capture.Case{Name: "11x23", Grid: grid(11, 23), ShiftX: 4, ShiftY: 2, Seed: 5}},
		{Case: capture.Case{Name: "16x16 stress", Grid: grid(16, 16), ShiftX: 6, Seed: 6, Stress: true}},
	}
	if l.Tube {
		list = append(list, step{Case: capture.Case{Name: "flags", Grid: grid(24, 16), ShiftX: 2, ShiftY: 2, Seed: 8, Flags: true}, order: emu.Reverse})
	}
	return list
}

// endless is more instructions than a wave of any layer runs.
const endless = 3_000_000

// A verdict is what became of a mutant.
type verdict struct {
	Killed bool
	By     string // declaration, emulator, bytes, limits
	Detail string
}

// A court judges objects; what the model says is computed once.
type court struct {
	objdump string
	workers int
	models  sync.Map // of known
}

type known struct {
	once     sync.Once
	launch   *capture.Capture
	expected *capture.Capture
	err      error
}

// options are those of the model that a build agrees with.
func options(c *matrix.Cell) model.Options {
	o := model.Options{Mode: model.Fast, Generation: 11}
	if c.Target.Generation == "gfx12" {
		o.Generation = 12
	}
	if v, ok := c.Axis("fp8"); ok && v.Text == "true" {
		o.Mode = model.FastFP8
	}
	if v, ok := c.Axis("numerics"); ok && v.Text == "accuracy" {
		o.Mode = model.Exact
	}
	return o
}

func (c *court) model(l layout.Layer, o model.Options, s step) (launch, expected *capture.Capture, err error) {
	o.ULP, o.Workers = s.ulp, c.workers
	v, _ := c.models.LoadOrStore(fmt.Sprint(l.Name, o.Mode, o.Generation, o.ULP, s.Case), &known{})
	k := v.(*known)
	k.once.Do(func() {
		if k.launch, k.err = capture.Generate(l, s.Case); k.err == nil {
			k.expected, k.err = capture.Model(k.launch, o)
		}
	})
	return k.launch, k.expected, k.err
}

// judge runs an object through all steps until one kills it. An error is none of
// the object's.
func (c *court) judge(ctx context.Context, cell *matrix.Cell, l layout.Layer, object []byte) (verdict, error) {
	want := plan.Want(cell, nil)
	limits := want.Limits
	want.Limits = codeobj.Limits{}
	if _, problems := codeobj.Check(object, want); len(problems) > 0 {
		return verdict{true, "declaration", problems[0].String()}, nil
	}
	for _, s := range steps(l) {
		launch, expected, err := c.model(l, options(cell), s)
		if err != nil {
			return verdict{}, err
		}
		v, err := c.step(ctx, l, object, s, launch, expected)
		if err != nil || v.Killed {
			return v, err
		}
	}
	if l.Tube {
		if v, err := c.waits(ctx, l, object); err != nil || v.Killed {
			return v, err
		}
	}
	want.Limits = limits
	if _, problems := codeobj.Check(object, want); len(problems) > 0 {
		return verdict{true, "limits", problems[0].String()}, nil
	}
	return verdict{}, nil
}

func (c *court) replay(ctx context.Context, object []byte, launch *capture.Capture, s step) (*capture.Replayed, error) {
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return capture.Replay(limited, object, launch, capture.ReplayOptions{Objdump: c.objdump, Order: s.order, ULP: s.ulp,
		Workers: c.workers, Poison: s.poison, MaxInstructions: endless, CheckUninitialised: true})
}

func (c *court) step(ctx context.Context, l layout.Layer, object []byte, s step, launch, expected *capture.Capture) (verdict, error) {
	began := time.Now()
	r, err := c.replay(ctx, object, launch, s)
	var fault *emu.Fault
	switch {
	case ctx.Err() != nil:
		return verdict{}, ctx.Err()
	case errors.As(err, &fault) && fault.Kind == emu.NotModelled:
		return verdict{}, err
	case err != nil && time.Since(began) > patience:
		return verdict{true, "emulator", s.String() + ": it does not end"}, nil
	case err != nil:
		return verdict{true, "emulator", s.String() + ": " + err.Error()}, nil
	}
	report, err := capture.Compare(expected, r.After)
	if err != nil {
		return verdict{}, err
	}
	if report.Equal() {
		return verdict{}, nil
	}
	return verdict{true, "bytes", s.String() + ": " + brief(report)}, nil
}

// brief is how many numbers of which output differ.
func brief(r *capture.Report) string {
	var parts []string
	for _, o := range r.Outputs {
		if n := o.Values - o.Difference.Equal; n > 0 {
			parts = append(parts, fmt.Sprintf("%s differs in %d of %d", o.Name, n, o.Values))
		}
	}
	if len(r.Stray) > 0 {
		parts = append(parts, fmt.Sprintf("bytes outside the outputs differ in %d buffers", len(r.Stray)))
	}
	return strings.Join(parts, ", ")
}
