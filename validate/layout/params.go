package layout

import (
	"encoding/binary"
	"fmt"
)

// Sizes in bytes of the parameter blocks.
const (
	KParamBytes    = 176
	MParamBytes    = 56
	TubeParamBytes = 88
)

// KWeightsAt is the byte of the weight pointer in K's parameter block; the
// prep key is read there.
const KWeightsAt = 64

// KParams is the parameter block of K layers. Bytes 40 to 55 and 72 to 175 are
// not read.
type KParams struct {
	W, H           int32  // 0, 4: full-resolution grid in tokens
	In             uint64 // 8: input; decoders: the half-resolution input
	Skip           uint64 // 16: decoders: full-resolution tokens of C channels
	Out            uint64 // 24: encoders: merged output; others: the output
	Full           uint64 // 32: encoders: full-resolution output, the later skip
	ShiftX, ShiftY int32  // 56, 60
	Weights        uint64 // 64
}

// Encode is the block's bytes; those that are not read are 0.
func (p KParams) Encode() []byte {
	b := make([]byte, KParamBytes)
	put32(b, 0, p.W, p.H)
	put64(b, 8, p.In, p.Skip, p.Out, p.Full)
	put32(b, 56, p.ShiftX, p.ShiftY)
	put64(b, KWeightsAt, p.Weights)
	return b
}

// DecodeKParams reads a block; it may be longer than KParamBytes.
func DecodeKParams(b []byte) (KParams, error) {
	if len(b) < KParamBytes {
		return KParams{}, fmt.Errorf("a parameter block of K has %d bytes, this one %d", KParamBytes, len(b))
	}
	return KParams{
		W: get32(b, 0), H: get32(b, 4),
		In: get64(b, 8), Skip: get64(b, 16), Out: get64(b, 24), Full: get64(b, 32),
		ShiftX: get32(b, 56), ShiftY: get32(b, 60),
		Weights: get64(b, KWeightsAt),
	}, nil
}

// MParams is the parameter block of M layers. The fields from BoundX on exist
// in the tube's only.
type MParams struct {
	Weights        uint64 // 0
	ShiftX, ShiftY int32  // 8, 12
	W, H           int32  // 16, 20: full-resolution grid in tokens
	In             uint64 // 24: input; decoders: the half-resolution input
	Skip           uint64 // 32: decoders: full-resolution tokens of C channels
	Out            uint64 // 40
	Merged         uint64 // 48: encoders: half-resolution output

	BoundX, BoundY int32  // 56, 60: work-groups of the launch whose flags are polled
	DX, DY         int32  // 64, 68: from this launch's work-groups to that one's
	InFlags        uint64 // 72: flags to wait for, 0 for none
	OutFlags       uint64 // 80: flags to set, 0 for none
}

// Encode is the block's bytes, for the tube or for the other layers.
func (p MParams) Encode(tube bool) []byte {
	b := make([]byte, MParamBytes, TubeParamBytes)
	put64(b, 0, p.Weights)
	put32(b, 8, p.ShiftX, p.ShiftY, p.W, p.H)
	put64(b, 24, p.In, p.Skip, p.Out, p.Merged)
	if tube {
		b = b[:TubeParamBytes]
		put32(b, 56, p.BoundX, p.BoundY, p.DX, p.DY)
		put64(b, 72, p.InFlags, p.OutFlags)
	}
	return b
}

// DecodeMParams reads a block of the tube or of another layer; it may be
// longer than that.
func DecodeMParams(b []byte, tube bool) (MParams, error) {
	want := MParamBytes
	if tube {
		want = TubeParamBytes
	}
	if len(b) < want {
		return MParams{}, fmt.Errorf("this layer's parameter block has %d bytes, this one %d", want, len(b))
	}
	p := MParams{
		Weights: get64(b, 0),
		ShiftX:  get32(b, 8), ShiftY: get32(b, 12), W: get32(b, 16), H: get32(b, 20),
		In: get64(b, 24), Skip: get64(b, 32), Out: get64(b, 40), Merged: get64(b, 48),
	}
	if tube {
		p.BoundX, p.BoundY, p.DX, p.DY = get32(b, 56), get32(b, 60), get32(b, 64), get32(b, 68)
		p.InFlags, p.OutFlags = get64(b, 72), get64(b, 80)
	}
	return p, nil
}

// FlagStride is the bytes between two flags of the tube.
const FlagStride = 32

// FlagOffset is the byte of work-group (bx, by)'s flag in an array for nx
// work-groups in a row.
func FlagOffset(bx, by, nx int) int { return FlagStride * (by*nx + bx) }

func put32(b []byte, at int, vs ...int32) {
	for i, v := range vs {
		binary.LittleEndian.PutUint32(b[at+4*i:], uint32(v))
	}
}

func put64(b []byte, at int, vs ...uint64) {
	for i, v := range vs {
		binary.LittleEndian.PutUint64(b[at+8*i:], v)
	}
}

func get32(b []byte, at int) int32  { return int32(binary.LittleEndian.Uint32(b[at:])) }
func get64(b []byte, at int) uint64 { return binary.LittleEndian.Uint64(b[at:]) }
