package verify

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"kmx/internal/diag"
	"kmx/release"
)

// SelectFormat is what `release:select -json` prints.
const SelectFormat = "kmx.select/1"

// Machine is what a selection is made for.
type Machine struct {
	Nodes     []Node
	Settings  Settings
	Libraries []string // DLSS libraries, or folders of them, whose modules will be loaded; none: not known
}

// Selection is which folder and which kernels a machine would be served, and why.
type Selection struct {
	Format     string      `json:"format"`
	Dir        string      `json:"dir"` // what D4R_ZLUDA_NATIVE_DIR is taken to be
	Nodes      []Node      `json:"nodes"`
	GPU        string      `json:"gpu"` // "" where there is none
	GPUWhy     string      `json:"gpu_why"`
	Accuracy   bool        `json:"accuracy"`
	FP8        bool        `json:"fp8"`
	Base       string      `json:"base"` // where candidates are looked for
	Candidates []Candidate `json:"candidates"`
	Folder     string      `json:"folder"` // "" where native kernels stay off
	Mode       string      `json:"mode"`   // of the folder, as below
	Kernels    []Served    `json:"kernels"`
	Wrong      []string    `json:"wrong"` // what keeps it from working as meant
	Notes      []string    `json:"notes"`
}

// Candidate is a folder that the bridge looks at.
type Candidate struct {
	Folder   string `json:"folder"` // relative to Base, "." for Base itself
	Accepted bool   `json:"accepted"`
	Why      string `json:"why"`
}

// How a folder is served.
const (
	HashChecked = "hash-checked"        // an object appears once a module with its hash is loaded
	Developer   = "developer"           // accuracy, without hashes: all objects at once
	Unchecked   = "without hash checks" // fast, without hashes: all objects at once
)

// Select follows the bridge:
//
//   - The GPU is D4R_GPU_ARCH if that begins with "gfx", else the node with the most
//     SIMDs.
//   - With D4R_PREFER_ACCURACY=1 the base is dir where dir has the accuracy marker,
//     else dir/accuracy. Otherwise it is dir.
//   - Candidates are base/GPU-fp8 (GPUs of gfx12 with D4R_ZLUDA_WMMA_FP8_NATIVE=1),
//     base/GPU and base. The first that is accepted is served.
//   - A folder with d4r-kernels.txt is accepted, and each object checked by hash. An
//     accuracy folder needs the marker, and without d4r-kernels.txt is accepted as a
//     developer's. A fast folder without it is accepted only where base holds no
//     gfx* folder. D4R_NATIVE_SWIN_ENCODERS=0 turns down what has no
//     d4r-kernels.txt.
//   - A fast folder is never served in place of an accuracy one.
func Select(ctx context.Context, dir string, m Machine) (*Selection, error) {
	info, err := os.Stat(dir)
	if err != nil || !info.IsDir() {
		return nil, diag.Failf(diag.Usage, "name the folder that D4R_ZLUDA_NATIVE_DIR would name", "%s is no folder", dir)
	}
	s := &Selection{
		Format: SelectFormat, Dir: dir, Nodes: m.Nodes, Base: dir,
		Accuracy: m.Settings.on(accuracySetting), FP8: m.Settings.on(fp8Setting),
		Candidates: []Candidate{}, Kernels: []Served{}, Wrong: []string{}, Notes: []string{},
	}
	if s.Nodes == nil {
		s.Nodes = []Node{}
	}
	for _, n := range m.Nodes {
		if n.Odd != "" {
			s.note("node %d: %s", n.Index, n.Odd)
		}
	}
	s.GPU, s.GPUWhy = architecture(m.Nodes, m.Settings)
	if given := m.Settings[dirSetting]; given != "" && filepath.Clean(given) != filepath.Clean(dir) {
		s.note("%s is %s in the settings; this looks at %s", dirSetting, given, dir)
	}
	if s.Accuracy && !has(dir, AccuracyMarker) {
		s.Base = filepath.Join(dir, "accuracy")
	}
	for _, name := range s.names() {
		if s.Folder != "" {
			s.Candidates = append(s.Candidates, Candidate{Folder: name, Why: "not looked at, another came first"})
			continue
		}
		c := Candidate{Folder: name}
		var mode string
		if mode, c.Why = s.consider(name, m.Settings); mode != "" {
			c.Accepted = true
			s.Folder, s.Mode = filepath.Join(s.Base, name), mode
		}
		s.Candidates = append(s.Candidates, c)
	}
	if s.Folder == "" {
		s.off()
		return s, nil
	}
	if err := s.serve(ctx, m); err != nil {
		return nil, err
	}
	return s, s.needs(m.Settings)
}

func (s *Selection) note(format string, args ...any) {
	s.Notes = append(s.Notes, fmt.Sprintf(format, args...))
}

func (s *Selection) wrong(format string, args ...any) {
	s.Wrong = append(s.Wrong, fmt.Sprintf(format, args...))
}

// names are the candidates below the base, in order.
func (s *Selection) names() []string {
	var names []string
	if strings.HasPrefix(s.GPU, "gfx12") && s.FP8 {
		names = append(names, s.GPU+"-fp8")
	}
	if s.GPU != "" {
		names = append(names, s.GPU)
	}
	return append(names, ".")
}

// consider gives the mode in which a candidate is served, "" where it is refused,
// and why.
func (s *Selection) consider(name string, settings Settings) (mode, why string) {
	folder := filepath.Join(s.Base, name)
	info, err := os.Stat(folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", "there is no such folder"
	case err != nil:
		return "", err.Error()
	case !info.IsDir():
		return "", "it is no folder"
	case s.Accuracy && !has(folder, AccuracyMarker):
		return "", "it has no " + AccuracyMarker + ", so it is no accuracy set"
	case has(folder, release.KernelsFile):
		return HashChecked, "it has " + release.KernelsFile
	case settings[swinSetting] == "0":
		return "", "it has no " + release.KernelsFile + ", and " + swinSetting + "=0 turns down what has none"
	case s.Accuracy:
		return Developer, "an accuracy set without " + release.KernelsFile + " is taken for a developer's"
	}
	if sub := gpuFolder(s.Base); sub != "" {
		return "", fmt.Sprintf("it has no %s, and a fast set without %s; here is %s", release.KernelsFile, servedAlone, sub)
	}
	return Unchecked, "it has no " + release.KernelsFile + ", and there is no gfx* folder beside its objects"
}

// servedAlone is why a fast set that is not stamped is refused.
const servedAlone = "is served only from a folder without gfx* folders"

// gpuFolder is a folder gfx* directly below dir, "" where there is none.
func gpuFolder(dir string) string {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if info, err := os.Stat(filepath.Join(dir, e.Name())); err == nil && info.IsDir() && strings.HasPrefix(e.Name(), "gfx") {
			return e.Name()
		}
	}
	return ""
}

func has(dir, file string) bool {
	info, err := os.Stat(filepath.Join(dir, file))
	return err == nil && info.Mode().IsRegular()
}

// off says what would have to be otherwise.
func (s *Selection) off() {
	switch {
	case s.GPU == "":
		s.wrong("native kernels stay off: there is no GPU (%s); -set=%s=gfx1201 asks for another machine", s.GPUWhy, archSetting)
	case s.Accuracy:
		s.wrong("native kernels stay off: there is no accuracy set for %s, and a fast one is never taken in its place", s.GPU)
	default:
		what := ""
		for _, c := range s.Candidates {
			if c.Folder != "." && strings.Contains(c.Why, servedAlone) {
				what = "; name the folder " + c.Folder + " itself, or stamp the release (release:stamp)"
			}
		}
		s.wrong("native kernels stay off: no folder is served to %s%s", s.GPU, what)
	}
}
