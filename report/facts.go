package report

import (
	"fmt"
	"strings"
)

// Facts are the resources of the main kernel of one object, kept between
// builds to show what a change did. The zero value means "not known".
// Registers are per lane, LDS and scratch in bytes, waves per SIMD; Spills
// adds those of vector and scalar registers.
type Facts struct {
	VGPRs   int `json:"vgprs"`
	Spills  int `json:"spills"`
	Scratch int `json:"scratch"`
	LDS     int `json:"lds"`
	Waves   int `json:"waves"`
}

// Delta is the facts of now with, in brackets, how each differs from before:
//
//	vgprs 192 (+4) spills 0 scratch 0 lds 14464 waves 8 (-1)
//
// Where nothing is known of before, there are no brackets; nor where nothing
// changed.
func Delta(now, before Facts) string {
	known := before != Facts{}
	var b strings.Builder
	for i, f := range []struct {
		name     string
		now, was int
	}{
		{"vgprs", now.VGPRs, before.VGPRs},
		{"spills", now.Spills, before.Spills},
		{"scratch", now.Scratch, before.Scratch},
		{"lds", now.LDS, before.LDS},
		{"waves", now.Waves, before.Waves},
	} {
		if i > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "%s %d", f.name, f.now)
		if known && f.now != f.was {
			fmt.Fprintf(&b, " (%+d)", f.now-f.was)
		}
	}
	return b.String()
}
