package standin

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"kmx/cuda/fatbin/fatbintest"
)

// Fault is what is wrong with a library, for tests of those who read it.
type Fault string

// Faults.
const (
	None         Fault = ""
	NotPE        Fault = "not-pe"        // the file is a line of text
	Truncated    Fault = "truncated"     // the file ends inside of a container
	Overlong     Fault = "overlong"      // an entry claims more than its container has
	BadLZ4       Fault = "bad-lz4"       // the output kernels' module is damaged
	BadZstd      Fault = "bad-zstd"      // the input kernels' module is damaged
	Bomb         Fault = "bomb"          // an entry that grows 1,000 times and more
	NoEntry      Fault = "no-entry"      // rrlite_dec0_4x4_folded is missing
	TwiceDefined Fault = "twice-defined" // rrlite_dec0_4x4_folded is in two modules, which differ
	OtherTail    Fault = "other-tail"    // one statement behind the last barrier of rrlite_enc0_4x4_mvlo_ldr_folded
	ExtraStore   Fault = "extra-store"   // one surface store too many in rrlite_post_3_1_mvhi_hdr_folded
	FourBarriers Fault = "four-barriers" // in rrlite_enc0_4x4_mvhi_ldr_folded
	HalfRounding Fault = "half-rounding" // an add.rz without its cvt in an output kernel
	OtherOffset  Fault = "other-offset"  // rrlite_enc0_4x4_mvlo_hdr_folded loads its output's address from +352, not +40
)

// Faults lists all of them, without None.
func Faults() []Fault {
	return []Fault{NotPE, Truncated, Overlong, BadLZ4, BadZstd, Bomb, NoEntry, TwiceDefined, OtherTail, ExtraStore, FourBarriers, HalfRounding, OtherOffset}
}

// Where the faults in kernels are.
var faulty = map[Fault]string{
	NoEntry: "rrlite_dec0_4x4_folded", TwiceDefined: "rrlite_dec0_4x4_folded",
	OtherTail: "rrlite_enc0_4x4_mvlo_ldr_folded", ExtraStore: "rrlite_post_3_1_mvhi_hdr_folded",
	FourBarriers: "rrlite_enc0_4x4_mvhi_ldr_folded", HalfRounding: "hiluma_engine_output_depthinv_mvhi_hdr_v1_rel",
	OtherOffset: "rrlite_enc0_4x4_mvlo_hdr_folded",
}

// Kernel is the entry that a fault is in; "" where it is in the library.
func (f Fault) Kernel() string { return faulty[f] }

// chosen are the sources of a version with its fault.
func chosen(o Options) ([]source, error) {
	if o.Version != First && o.Version != Next {
		return nil, fmt.Errorf("there is no version %d of the stand-in library: 0 and 1 are", o.Version)
	}
	if o.Fault != None && !slices.Contains(Faults(), o.Fault) {
		var names []string
		for _, f := range Faults() {
			names = append(names, string(f))
		}
		return nil, fmt.Errorf("no fault is called %q; there are %s", o.Fault, strings.Join(names, ", "))
	}
	list := sources(o.Version)
	for i := range list {
		for j := range list[i].programs {
			p := &list[i].programs[j]
			if p.Name != o.Fault.Kernel() {
				continue
			}
			switch o.Fault {
			case NoEntry:
				p.Name = "standin_dec0_elsewhere"
			case TwiceDefined:
				// the other one is added by Write
			default:
				p.edit = o.Fault.edit
			}
		}
	}
	return list, nil
}

// edit breaks the text of a function (with "\n").
func (f Fault) edit(text string) string {
	behind := func(mark string) (string, string) {
		at := strings.LastIndex(text, mark) + len(mark)
		return text[:at], text[at:]
	}
	switch f {
	case OtherTail:
		head, tail := behind("bar.warp.sync -1;\n")
		return head + strings.Replace(tail, "add.s32", "sub.s32", 1)
	case ExtraStore:
		at := strings.LastIndex(text, "\tsust.b.2d.v2.b16.zero")
		end := at + strings.Index(text[at:], "\n") + 1
		return text[:end] + text[at:end] + text[end:]
	case FourBarriers:
		head, tail := behind("bar.warp.sync -1;\n")
		return head + "\tbar.warp.sync -1;\n" + tail
	case HalfRounding:
		// the truncation becomes a rounding to even
		return strings.Replace(text, "cvt.rzi.f32.f32", "cvt.rni.f32.f32", 1)
	case OtherOffset:
		return strings.Replace(text, "_param_0+40]", "_param_0+352]", 1)
	}
	return text
}

// again is a container with the decoder's module, changed.
func again(list []source) []byte {
	for _, s := range list {
		if s.programs[0].Name == faulty[TwiceDefined] {
			s.programs = slices.Clone(s.programs)
			s.programs[0].edit = changeConstant
			return fatbintest.Container(containerOf(1, s.module().Text, 89)...)
		}
	}
	return nil
}

// damage breaks containers.
func (f Fault) damage(all [][]byte) [][]byte {
	switch f {
	case BadLZ4:
		all[atOutputs] = spoil(all[atOutputs])
	case BadZstd:
		all[atInputs] = spoil(all[atInputs])
	case Overlong:
		// the padded size of the first entry
		c := slices.Clone(all[atOutputs])
		c[16+8+3] = 0x7f
		all[atOutputs] = c
	case Bomb:
		all[atOthers] = fatbintest.Container(fatbintest.Entry{PTX: make([]byte, 16<<20), Compression: "zstd", Minor: 7})
	}
	return all
}

// spoil overwrites a part of the last entry of a container.
func spoil(c []byte) []byte {
	c = slices.Clone(c)
	at := len(c) - 600
	for i := range 64 {
		c[at+i] ^= 0xa5
	}
	return c
}

// wrap breaks the file.
func (f Fault) wrap(w io.Writer) io.Writer {
	if f == Truncated {
		return &limited{w: w, left: 200 << 10}
	}
	return w
}

// limited drops everything behind some bytes.
type limited struct {
	w    io.Writer
	left int
}

func (l *limited) Write(b []byte) (int, error) {
	part := b[:min(len(b), l.left)]
	l.left -= len(part)
	if _, err := l.w.Write(part); err != nil {
		return 0, err
	}
	return len(b), nil
}
