package codeobj

// A Want is what was declared of an object.
type Want struct {
	Name     string // kernel, and the stem of the file name
	Target   string // "gfx1201"
	WaveSize int    // 32 or 64; 0 is 32
	// CodeObjectVersion that the object must have. 0 accepts 4 and 5, which
	// every HSA runtime for these GPUs loads.
	CodeObjectVersion int
	// Hook holds the control symbols by name without d4r_: "prep_blocks" -> 40.
	// A symbol named here must be exported, also with value 0.
	Hook   map[string]uint32
	Limits Limits
	// Paths are beginnings of paths of the build machine (its checkout, its
	// sandbox) that no string of the object may hold.
	Paths []string
}

// Limits are the most that each kernel of an object may use; nil is no limit.
type Limits struct {
	VGPRs, SGPRs *int
	Spills       *int // vector and scalar spills together
	Scratch      *int // bytes per lane
	LDS          *int // bytes per work-group
}

func (w Want) waveSize() int {
	if w.WaveSize == 0 {
		return 32
	}
	return w.WaveSize
}
