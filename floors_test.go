package kmx

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"
)

// floors lists the rooms from the ground up. A room imports only rooms of
// lower floors; a child room may import its parent, never the other way.
var floors = [][]string{
	{"internal"},
	{"matrix", "cache", "cuda", "amdgpu"},
	{"engine", "door"},
	{"toolchains", "tex", "emit"},
	{"plan", "validate"},
	{"release"},
	{"report"},
	{"flow"},
	{"magefiles", "cmd"},
}

// siblings are the imports between children of one room that are allowed.
var siblings = map[[2]string]bool{
	{"cuda/ptxsim", "cuda/ptx"}:                true,
	{"cuda/standin", "cuda/fatbin/fatbintest"}: true,
	{"amdgpu/emu", "amdgpu/codeobj"}:           true,

	{"release/verify", "release/pack"}: true,
	{"report/page", "report/logs"}:     true,

	{"validate/model", "validate/layout"}:   true,
	{"validate/capture", "validate/layout"}: true,
	{"validate/capture", "validate/model"}:  true,
}

// heavy are import paths that must stay out of the everyday front door: they
// cost start-up time in a command people type many times an hour.
var heavy = []string{"google.golang.org/grpc", "google.golang.org/protobuf", "oras.land/", "go.opentelemetry.io/", "net/http",
	"archive/", "aead.dev/minisign", "golang.org/x/crypto/", "kmx/release/pack", "kmx/report/page"}

type pkg struct {
	ImportPath string
	Imports    []string
}

func goList(t *testing.T, args ...string) []pkg {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list", "-tags=mage", "-json=ImportPath,Imports"}, args...)...)
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Fatalf("go list: %v\n%s", err, exit.Stderr)
		}
		t.Fatal(err)
	}
	var list []pkg
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		if err := d.Decode(&p); err == io.EOF {
			return list
		} else if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
}

func floorOf(room string) int {
	top, _, _ := strings.Cut(room, "/")
	for i, rooms := range floors {
		for _, r := range rooms {
			if r == top {
				return i
			}
		}
	}
	return -1
}

// allowed says whether room from may import room to.
func allowed(from, to string) bool {
	if floorOf(to) < floorOf(from) {
		return true
	}
	if strings.HasPrefix(from, to+"/") || siblings[[2]string{from, to}] {
		return true
	}
	return strings.HasPrefix(from, "internal/") && strings.HasPrefix(to, "internal/")
}

func TestImportsPointDownwards(t *testing.T) {
	seen := 0
	for _, p := range goList(t, "./...") {
		from, ok := strings.CutPrefix(p.ImportPath, "kmx/")
		if !ok {
			continue
		}
		seen++
		if floorOf(from) < 0 {
			t.Errorf("%s stands on no floor: add its top folder to floors", from)
		}
		for _, imp := range p.Imports {
			to, ok := strings.CutPrefix(imp, "kmx/")
			if ok && !allowed(from, to) {
				t.Errorf("%s must not import %s: imports point downwards only", from, to)
			}
		}
	}
	if seen < 10 {
		t.Errorf("only %d rooms found: go list saw too little", seen)
	}
}

func TestFloorsRule(t *testing.T) {
	for _, c := range []struct {
		from, to string
		want     bool
	}{
		{"flow", "release", true},
		{"release", "flow", false},
		{"cache", "matrix", false},
		{"engine/remote", "engine", true},
		{"engine", "engine/remote", false},
		{"cuda/ptxsim", "cuda/ptx", true},
		{"cuda/ptx", "cuda/ptxsim", false},
		{"amdgpu/codeobj", "cuda/fatbin", false},
	} {
		if got := allowed(c.from, c.to); got != c.want {
			t.Errorf("allowed(%s, %s) = %v", c.from, c.to, got)
		}
	}
}

func TestFrontDoorIsLight(t *testing.T) {
	for _, p := range goList(t, "-deps", "./magefiles") {
		for _, h := range heavy {
			if p.ImportPath == strings.TrimSuffix(h, "/") || strings.HasPrefix(p.ImportPath, h) {
				t.Errorf("the front door imports %s", p.ImportPath)
			}
		}
	}
}
