package model

import "fmt"

// Mode is how a build rounds between its stages.
type Mode int

const (
	// Exact rounds as the original does: to f16 after every step of a matrix
	// product (K: 16 channels, M: 32), and in M to 8 bits between all stages.
	Exact Mode = iota
	// Fast keeps float32 accumulators through a chain and, in M, f16 between
	// stages. Layers of K that round every step in every build still do.
	Fast
	// FastFP8 is Fast for K. In M it rounds to 8 bits between stages, as native
	// FP8 operands require, and keeps float32 accumulators.
	FastFP8
)

func (m Mode) String() string {
	if m < Exact || m > FastFP8 {
		return fmt.Sprintf("Mode(%d)", int(m))
	}
	return [...]string{"exact", "fast", "fast+fp8"}[m]
}

// Options say which build of a layer is modelled.
type Options struct {
	Mode Mode
	// Generation is the GPU's, 11 or 12. It decides in which order K adds up
	// the 64 terms of a softmax row; M does not depend on it.
	Generation int
	// ULP is added to the last place of every rcp, rsq and exp2 result.
	ULP int
	// Workers is how many work-groups are computed at once; 0: one for each
	// processor.
	Workers int
	// Trace, when set, receives the stages of one work-group.
	Trace *Trace
}

func (o Options) check() error {
	if o.Mode < Exact || o.Mode > FastFP8 {
		return fmt.Errorf("%v is no mode: exact, fast and fast+fp8 are", o.Mode)
	}
	if o.Generation != 11 && o.Generation != 12 {
		return fmt.Errorf("generation %d is not modelled: 11 and 12 are", o.Generation)
	}
	return nil
}
