package emittest

import (
	"fmt"
	"math"
	"slices"
	"strconv"
)

// Fill says what an input holds. The numbers come from SplitMix64, seeded with
// the FNV-1a 64 of "CASE.PARAMETER", one draw an element where one is needed:
//
//	zero              zeros
//	bits              the low bits of a draw
//	edges             all edge values of the type, then by turns bits and moderate
//	                  values: integers of -128 to 127 (0 to 255), floats of -8 to 8
//	inner             the sixteen first edges, over and over
//	outer             the sixteen first edges, each sixteen times: beside inner all pairs
//	index             0, 1, 2 ...
//	fill N            N everywhere
//	range LO HI       integers from LO to HI, both included; floats LO + (HI-LO) * n/2^24
//	step LO HI STEP   LO plus a multiple of STEP, up to HI
type Fill struct {
	How          string
	Lo, Hi, Step float64
}

var fillNumbers = map[string]int{"zero": 0, "bits": 0, "edges": 0, "inner": 0, "outer": 0, "index": 0, "fill": 1, "range": 2, "step": 3}

// readFill takes a fill off the front of words.
func readFill(words []string) (f Fill, rest []string, err error) {
	if len(words) == 0 {
		return f, nil, fmt.Errorf("it does not say what it holds")
	}
	n, ok := fillNumbers[words[0]]
	if !ok || len(words) < 1+n {
		return f, nil, fmt.Errorf("%q is no fill, or numbers are missing after it", words[0])
	}
	f.How = words[0]
	for i, to := range []*float64{&f.Lo, &f.Hi, &f.Step}[:n] {
		if *to, err = strconv.ParseFloat(words[1+i], 64); err != nil {
			return f, nil, fmt.Errorf("%q is no number", words[1+i])
		}
	}
	if n >= 2 && !(f.Lo <= f.Hi) || n == 3 && !(f.Step > 0) {
		return f, nil, fmt.Errorf("%s goes nowhere", slices.Clip(words[:1+n]))
	}
	return f, words[1+n:], nil
}

// Bytes are count elements of the type.
func (f Fill) Bytes(t Type, count int, seed uint64) []byte {
	b := make([]byte, count*t.Size())
	r := random(seed)
	list := edges(t)
	for i := range count {
		var v uint64
		switch f.How {
		case "bits":
			v = r.next()
		case "edges":
			switch {
			case i < len(list):
				v = list[i]
			case i%2 == 0:
				v = r.next()
			default:
				v = moderate(t, r.next())
			}
		case "inner":
			v = list[i%16]
		case "outer":
			v = list[i/16%16]
		case "index":
			v = uint64(i)
			if t.Base == 'f' {
				v = t.fromFloat(float64(i))
			}
		case "fill":
			v = t.fromFloat(f.Lo)
		case "range":
			if t.Base == 'f' {
				v = t.fromFloat(f.Lo + float64((f.Hi-f.Lo)*(float64(r.next()>>40)/(1<<24))))
			} else {
				v = uint64(int64(f.Lo) + int64(r.next()%uint64(f.Hi-f.Lo+1)))
			}
		case "step":
			n := uint64(math.Floor((f.Hi-f.Lo)/f.Step)) + 1
			v = t.fromFloat(f.Lo + float64(f.Step*float64(r.next()%n)))
		}
		t.Put(b, i, v)
	}
	return b
}

func moderate(t Type, n uint64) uint64 {
	switch t.Base {
	case 'f':
		return t.fromFloat(float64(int64(n>>40)-1<<23) / (1 << 20))
	case 's':
		return uint64(int64(n>>56) - 128)
	}
	return n >> 56
}

// random is SplitMix64.
type random uint64

func (r *random) next() uint64 {
	*r += 0x9e3779b97f4a7c15
	z := uint64(*r)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Seed is the FNV-1a 64 of s.
func Seed(s string) uint64 {
	h := uint64(0xcbf29ce484222325)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 0x100000001b3
	}
	return h
}
