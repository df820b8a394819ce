//go:build linux

package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
)

// A variant is a state of the sources. What a cell gives depends on step, flag and
// its own constant; on the comments nothing does.
type variant struct {
	Step     int
	Flag     string
	Consts   [3]int
	Comments [4]int // in the header, and in each kernel
}

// steps are the values of the header's macro. Few: the reference compiles each
// once, for real.
const steps = 3

func declared() variant { return variant{Step: 1, Flag: "-O2"} }

// change makes one random edit and names it.
func (v *variant) change(r *rand.Rand) string {
	switch r.IntN(6) {
	case 0:
		v.Comments[0]++
		return "comment in the header"
	case 1:
		k := r.IntN(len(kernels))
		v.Comments[k+1]++
		return "comment in " + kernels[k]
	case 2:
		v.Step = 1 + r.IntN(steps)
		return "header"
	case 3:
		v.Flag = []string{"-O1", "-O2"}[r.IntN(2)]
		return "flag"
	default:
		k := r.IntN(len(kernels))
		v.Consts[k] = 1 - v.Consts[k]
		return "token in " + kernels[k]
	}
}

// files are the sources of the variant.
func (v variant) files() map[string]string {
	files := projectFiles()
	files["matrix.hcl"] = strings.Replace(files["matrix.hcl"], `"-O2"`, fmt.Sprintf("%q", v.Flag), 1)
	header := strings.Replace(files[headerFile], "STEP 1", fmt.Sprint("STEP ", v.Step), 1)
	files[headerFile] = fmt.Sprintf("/* edit %d */\n%s", v.Comments[0], header)
	for i, k := range kernels {
		text := strings.Replace(files[k+".hip"], ".0f;", fmt.Sprintf(".%df;", v.Consts[i]), 1)
		files[k+".hip"] = fmt.Sprintf("%s// edit %d\n", text, v.Comments[i+1])
	}
	return files
}

// write makes a checkout hold the variant, touching only what differs.
func (s *site) write(v variant) error {
	for name, text := range v.files() {
		if old, err := os.ReadFile(s.path(name)); err == nil && string(old) == text {
			continue
		}
		if err := os.WriteFile(s.path(name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// object names what a cell of a set gives in this variant.
func (v variant) object(set, kernel string) string {
	for i, k := range kernels {
		if k == kernel {
			return fmt.Sprintf("%s/%s step %d %s const %d", set, kernel, v.Step, v.Flag, v.Consts[i])
		}
	}
	return ""
}
