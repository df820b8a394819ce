package layout

import (
	"fmt"
	"strings"
)

// Family says which network a layer belongs to.
type Family int

const (
	// K is the network of preset K: f16 activations, windows of 8x8 tokens.
	K Family = iota
	// M is the network of presets M and L: e4m3 activations, windows of 4x4.
	M
)

func (f Family) String() string { return [...]string{"k", "m"}[f] }

// HeadDim is the width of one attention head in both networks; a layer's
// attention is HeadDim*Heads wide, which may exceed C.
const HeadDim = 32

// HiddenChunk is how many hidden channels of the MLP are computed at a time;
// 4C hidden channels make C/8 chunks.
const HiddenChunk = 32

// Side is the edge, in tokens, of the square that one work-group computes.
const Side = 8

// Layer describes one network kernel. Channel counts of parts that a layer
// lacks are 0.
type Layer struct {
	Name   string // the kernel's name
	Short  string // the layer's name within its family
	Family Family

	C     int // channels of the layer's tokens
	Heads int // attention heads

	Embed int // enc0: channels of the input that the embedding widens to C
	Low   int // decoders: channels of the half-resolution input
	Merge int // encoders: channels of the half-resolution output
	Head  int // dec0: channels of the output that replaces C

	// PositionOnly layers of K use a stored probability matrix for each head
	// instead of computing one from Q and K.
	PositionOnly bool
	// RoundsSteps layers of K round to f16 after every k16 step in every
	// build, not only in exact ones.
	RoundsSteps bool
	// Tube marks M's deepest layer, which speaks the flags protocol.
	Tube bool
}

// Decoder reports whether the layer has a half-resolution and a skip input.
func (l Layer) Decoder() bool { return l.Low > 0 }

// Inner is the width of the attention: HeadDim for each head.
func (l Layer) Inner() int { return HeadDim * l.Heads }

// Chunks is the number of hidden chunks of the MLP.
func (l Layer) Chunks() int { return l.C / 8 }

// HeadColumns is how many columns dec0's head has in the weight buffer; those
// from Head on are computed by the original and never stored.
const HeadColumns = 48

var layers = []Layer{
	{Short: "enc0", C: 32, Heads: 2, Embed: 16, Merge: 64, PositionOnly: true},
	{Short: "enc1", C: 64, Heads: 2, Merge: 64, PositionOnly: true},
	{Short: "enc2", C: 64, Heads: 2, Merge: 96},
	{Short: "enc3", C: 96, Heads: 4, Merge: 128, RoundsSteps: true},
	{Short: "enc4", C: 128, Heads: 4, Merge: 160, RoundsSteps: true},
	{Short: "dec5", C: 160, Heads: 8, RoundsSteps: true},
	{Short: "dec4", C: 128, Heads: 4, Low: 160, RoundsSteps: true},
	{Short: "dec3", C: 96, Heads: 4, Low: 128, RoundsSteps: true},
	{Short: "dec2", C: 64, Heads: 2, Low: 96},
	{Short: "dec1", C: 64, Heads: 2, Low: 64},
	{Short: "dec0", C: 32, Heads: 2, Low: 64, Head: 40, PositionOnly: true},

	{Family: M, Short: "enc1", C: 64, Heads: 2, Merge: 96},
	{Family: M, Short: "enc2", C: 96, Heads: 4, Merge: 128},
	{Family: M, Short: "enc3_tube", C: 128, Heads: 4, Tube: true},
	{Family: M, Short: "dec2", C: 96, Heads: 4, Low: 128},
	{Family: M, Short: "dec1", C: 64, Heads: 2, Low: 96},
}

func init() {
	for i := range layers {
		l := &layers[i]
		l.Name = "dltss_pwin_" + l.Short + "_layer"
		if l.Family == M {
			l.Name = "rrlite_" + l.Short + "_4x4"
		}
	}
}

// Layers lists the sixteen layers, K before M, each in the order of a frame.
func Layers() []Layer { return append([]Layer(nil), layers...) }

// Find is the layer of a kernel name. "k/enc0" and "m/enc3_tube" are
// understood too.
func Find(name string) (Layer, error) {
	var names []string
	for _, l := range layers {
		if name == l.Name || name == l.Family.String()+"/"+l.Short {
			return l, nil
		}
		names = append(names, l.Name)
	}
	return Layer{}, fmt.Errorf("no network layer is called %q; there are %s", name, strings.Join(names, ", "))
}
