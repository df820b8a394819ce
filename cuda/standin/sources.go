package standin

// Version is which stand-in library is written.
type Version int

// Versions. Next is what a newer DLSS could be: see next.
const (
	First Version = iota
	Next
)

// Where the modules lie: those that replace kernels under the numbers that the
// public descriptions give for one DLSS version, the others between them.
const (
	atOthers     = 11
	atLayersK    = 30
	atInputs     = 62
	atOutputs    = 78
	atWide       = 120
	atPosts      = 176
	atPostsL     = 177
	atLayersM    = 180
	atEncoders   = 185
	atEncodersL  = 186
	atDecoderL   = 194
	atDecoder    = 195
	atDownsample = 196
	containers   = 200
)

// sources are the modules of a version, in the order of their containers.
func sources(v Version) []source {
	const sm89 = "sm_89"
	all := []source{
		{atOthers, sm89, "", others("standin_clear", "standin_clear_rows")},
		{atLayersK, sm89, "", layers(KLayer, 176, layerLayoutK(), "dltss_pwin_%s_layer", "enc0", "enc1", "enc2", "enc3", "enc4")},
		{atLayersK + 1, sm89, "", layers(KLayer, 176, layerLayoutK(), "dltss_pwin_%s_layer", "dec5", "dec4", "dec3", "dec2", "dec1", "dec0")},
		{atInputs, sm89, "", inputs()},
		{atOutputs, sm89, "", outputs()},
		{atWide, "sm_120", "", others("standin_clear_wide")},
		{atPosts, sm89, "", posts(true)},
		{atPostsL, sm89, "", posts(false)},
		{atLayersM, sm89, "", layers(MLayer, 184, layerLayoutM(), "rrlite_%s_4x4", "enc1", "enc2", "enc3_tube")},
		{atLayersM + 1, sm89, "", layers(MLayer, 184, layerLayoutM(), "rrlite_%s_4x4", "dec2", "dec1")},
		{atEncoders, sm89, "", encoders(true)},
		{atEncodersL, sm89, "", encoders(false)},
		{atDecoderL, sm89, "", decoders(false)},
		{atDecoder, sm89, "", decoders(true)},
		{atDownsample, sm89, windowText, append(others("standin_copy_scaled"), downsamples()...)},
	}
	if v == Next {
		return next(all)
	}
	return all
}

// Modules returns the PTX modules of the first library, in its order.
func Modules() []Module { return modules(sources(First)) }

// ModulesOf returns the PTX modules that Write puts into a library, except
// those of Options.Pad.
func ModulesOf(o Options) ([]Module, error) {
	s, err := chosen(o)
	if err != nil {
		return nil, err
	}
	return modules(s), nil
}

func modules(sources []source) []Module {
	all := make([]Module, len(sources))
	for i, s := range sources {
		all[i] = s.module()
	}
	return all
}

// Kernels describes every entry of Modules, in the order of the library.
func Kernels() []Kernel {
	var all []Kernel
	for _, s := range sources(First) {
		for _, p := range s.programs {
			k := p.Kernel
			k.Module, k.Target = s.name(), s.target
			all = append(all, k)
		}
	}
	return all
}
