package toolchains

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"kmx/cache"
)

// direct runs a compiler without its driver. The driver is a process of its own
// that starts two others, the front end and the linker; it says which
// (clang++ -###), and that is remembered for all commands of the same shape,
// which differ in the source, the object and the values of macros.
//
// How a command is run is in no key. So it has to be proven that it makes no
// difference: nothing is run directly before a trial was compiled both ways with
// this toolchain to the same bytes.
//
// To ask and to try take time as well. So the first command of a shape is left to
// the driver, and so are those that come while somebody else is trying.
type direct struct {
	in   *installation
	memo *cache.Memo
	id   cache.Digest // of the closure and of where it lies
	owns func(abs string) bool

	mu    sync.Mutex
	met   map[cache.Digest]bool // shapes, in this process
	known map[cache.Digest]func() template
	proof proof
}

// proof is what is known of a toolchain: whether directly made objects are the
// same.
type proof int

const (
	unknown proof = iota
	trying
	same
	differs
)

// template is the commands of one shape, with placeholders.
type template [][]string

// Placeholders for what differs between commands of one shape. The first three
// are given to the driver.
const (
	anyOutput = "KMX-output"
	anySource = "KMX-source"
	anyMacro  = "KMX_macro_"
	anyObject = "<KMX object>"
	anyDir    = "<KMX dir>"
)

const (
	templateKind = "kmx.direct/1"
	metKind      = "kmx.direct-met/1"
	proofKind    = "kmx.direct-proof/1"
)

// direct is how the installation is run without its driver; nil when
// KMX_DRIVER=1 forbids it.
func (in *installation) direct(closure cache.Digest, owns func(string) bool, memo *cache.Memo) func(ctx context.Context, args []string, dir, temp string) [][]string {
	if os.Getenv("KMX_DRIVER") == "1" {
		return nil
	}
	d := &direct{in: in, memo: memo, owns: owns, met: map[cache.Digest]bool{}, known: map[cache.Digest]func() template{},
		id: cache.Sum(fmt.Appendf(nil, "%s %q", closure, in.driver))}
	return func(ctx context.Context, args []string, dir, temp string) [][]string {
		s, ok := shapeOf(args)
		if !ok || !d.worthIt(s) || !d.proven(ctx, temp) {
			return nil
		}
		return d.template(ctx, s, temp).fill(s, dir, filepath.Join(temp, "object.o"))
	}
}

// A shape is a command with placeholders, and what they stand for.
type shape struct {
	args           []string
	source, output string
	macros         []string
}

// shapeOf takes a command apart. Commands that end otherwise than with source
// and output, or that make more than an object, are the driver's.
func shapeOf(args []string) (shape, bool) {
	n := len(args)
	if n < 3 || args[n-2] != "-o" || strings.HasPrefix(args[n-3], "-") || !slices.Contains(args, "-fuse-cuid=none") {
		return shape{}, false
	}
	s := shape{source: args[n-3], output: args[n-1]}
	for _, arg := range args {
		name, value, valued := strings.Cut(arg, "=")
		switch {
		case strings.Contains(arg, "KMX-"), strings.Contains(arg, anyMacro), strings.HasPrefix(arg, "-g") && arg != "-g0",
			strings.HasPrefix(arg, "-save-temps"), strings.HasPrefix(arg, "--save-temps"), strings.HasPrefix(arg, "@"):
			return shape{}, false
		case arg == s.source:
			arg = anySource + path.Ext(arg)
		case arg == s.output:
			arg = anyOutput + path.Ext(arg)
		case strings.HasPrefix(arg, "-D") && len(name) > 2:
			s.macros = append(s.macros, arg[2:])
			arg = fmt.Sprintf("-D%s%d_", anyMacro, len(s.macros)-1)
			if valued {
				arg += "=" + strings.Repeat("v", min(len(value), 1))
			}
		}
		s.args = append(s.args, arg)
	}
	return s, true
}

func (d *direct) key(s shape) cache.Digest { return cache.Sum(fmt.Appendf(nil, "%s %q", d.id, s.args)) }

// worthIt says whether a shape was met before.
func (d *direct) worthIt(s shape) bool {
	key := d.key(s)
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.met[key] {
		return true
	}
	d.met[key] = true
	_, before := d.memo.Derived(metKind, key)
	if !before {
		d.memo.PutDerived(metKind, key, "")
	}
	return before
}

// template gives the commands of a shape, none if they are not known.
func (d *direct) template(ctx context.Context, s shape, temp string) template {
	key := d.key(s)
	d.mu.Lock()
	get, ok := d.known[key]
	if !ok {
		get = sync.OnceValue(func() template { return d.ask(ctx, key, s, temp) })
		d.known[key] = get
	}
	d.mu.Unlock()
	return get()
}

// ask gets a template from the memo or from the driver.
func (d *direct) ask(ctx context.Context, key cache.Digest, s shape, temp string) template {
	var t template
	if text, ok := d.memo.Derived(templateKind, key); ok && json.Unmarshal([]byte(text), &t) == nil {
		return t
	}
	dir, err := os.MkdirTemp(temp, "direct-")
	if err != nil {
		return nil
	}
	defer os.RemoveAll(dir)
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil
	}
	if err := os.WriteFile(filepath.Join(dir, anySource+path.Ext(s.source)), nil, 0o600); err != nil {
		return nil
	}
	said, err := d.run(ctx, dir, append([]string{d.in.driver, "-###"}, s.args...))
	if err != nil {
		return nil
	}
	t = d.parse(said, dir)
	if text, err := json.Marshal(t); err == nil {
		d.memo.PutDerived(templateKind, key, string(text))
	}
	return t
}

// run starts a program of the installation in dir; it gives what was said on
// stderr.
func (d *direct) run(ctx context.Context, dir string, argv []string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir = dir
	cmd.Env = append(d.in.environment(), "TMPDIR="+dir, "TMP="+dir)
	cmd.WaitDelay = 2 * time.Second
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	err := cmd.Run()
	return stderr.Bytes(), err
}

// parse reads what -### says: a front end and a linker, of this toolchain, with
// one object between them. Anything else gives nothing.
func (d *direct) parse(said []byte, dir string) template {
	if bytes.Contains(said, []byte("warning:")) || bytes.Contains(said, []byte("error:")) {
		return nil // the driver has something to say, and it may be an error by -Werror
	}
	var t template
	for line := range strings.Lines(string(said)) {
		if rest, ok := strings.CutPrefix(line, ` "`); ok {
			argv, ok := words(`"` + strings.TrimSpace(rest))
			if !ok || len(argv) < 2 || !filepath.IsAbs(argv[0]) || !d.owns(argv[0]) {
				return nil
			}
			t = append(t, argv)
		}
	}
	if len(t) != 2 || t[0][1] != "-cc1" || t[1][1] != "-flavor" {
		return nil
	}
	at := slices.Index(t[0], "-o")
	if at < 0 || at+1 == len(t[0]) || !slices.Contains(t[1], t[0][at+1]) || !filepath.IsAbs(t[0][at+1]) {
		return nil
	}
	object := t[0][at+1]
	for _, argv := range t {
		for i := range argv {
			if argv[i] == object {
				argv[i] = anyObject
			}
			argv[i] = strings.ReplaceAll(argv[i], dir, anyDir)
		}
	}
	return t
}

// words takes apart a line of quoted words.
func words(line string) (argv []string, ok bool) {
	var b strings.Builder
	inside := false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '"':
			if inside {
				argv = append(argv, b.String())
				b.Reset()
			}
			inside = !inside
		case c == '\\' && inside && i+1 < len(line):
			i++
			b.WriteByte(line[i])
		case inside:
			b.WriteByte(c)
		case c != ' ':
			return nil, false
		}
	}
	return argv, !inside
}

// fill puts what the placeholders stand for in their places.
func (t template) fill(s shape, dir, object string) [][]string {
	var pairs []string
	for i, m := range s.macros {
		name := fmt.Sprintf("%s%d_", anyMacro, i)
		pairs = append(pairs, name+"=v", m, name+"=", m, name, m)
	}
	macros := strings.NewReplacer(pairs...)
	output := strings.NewReplacer(anyOutput+path.Ext(s.output), s.output, anyObject, object, anyDir, dir)
	commands := make([][]string, len(t))
	for i, argv := range t {
		for j, arg := range argv {
			switch {
			case arg == anySource+path.Ext(s.source) && j > 0 && argv[j-1] == "-main-file-name":
				arg = path.Base(s.source)
			case arg == anySource+path.Ext(s.source):
				arg = s.source
			case strings.HasPrefix(arg, anyMacro):
				arg = macros.Replace(arg)
			default:
				arg = output.Replace(arg)
			}
			commands[i] = append(commands[i], arg)
		}
	}
	return commands
}

// proven says whether the toolchain gives the same directly. If nobody knows, it
// tries, once for each toolchain.
func (d *direct) proven(ctx context.Context, temp string) bool {
	d.mu.Lock()
	p := d.proof
	if p == unknown {
		d.proof = trying
	}
	d.mu.Unlock()
	if p != unknown {
		return p == same
	}
	p = d.prove(ctx, temp)
	d.mu.Lock()
	d.proof = p
	d.mu.Unlock()
	return p == same
}

func (d *direct) prove(ctx context.Context, temp string) proof {
	if text, ok := d.memo.Derived(proofKind, d.id); ok {
		if text == "same" {
			return same
		}
		return differs
	}
	equal, err := d.bothWays(ctx, temp)
	switch {
	case err != nil:
		return differs // not for ever
	case !equal:
		d.memo.PutDerived(proofKind, d.id, "differs")
		return differs
	}
	d.memo.PutDerived(proofKind, d.id, "same")
	return same
}

// bothWays compiles a trial with the driver and without it and compares object
// and list of inputs.
func (d *direct) bothWays(ctx context.Context, temp string) (equal bool, err error) {
	dir, err := os.MkdirTemp(temp, "direct-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return false, err
	}
	args := []string{"-x", "hip", "--offload-arch=" + trialTargets[1], "--offload-device-only", "--no-gpu-bundle-output",
		"-nogpuinc", "-nogpulib", "-nostdlibinc", "--no-default-config", "-std=c++17", "-O3", "-fuse-cuid=none",
		"-DKMX_A=1", "-DKMX_B", "-MD", "-MF", "trial.d", "-MT", "trial.hsaco", "trial.hip", "-o", "trial.hsaco"}
	s, ok := shapeOf(args)
	if !ok {
		return false, nil
	}
	commands := d.template(ctx, s, temp).fill(s, dir, filepath.Join(dir, "object.o"))
	if len(commands) == 0 {
		return false, nil
	}
	if err := os.WriteFile(filepath.Join(dir, "trial.hip"), []byte(trialSource), 0o600); err != nil {
		return false, err
	}
	var made [2][]byte
	for i, way := range [][][]string{{append([]string{d.in.driver}, args...)}, commands} {
		for _, argv := range way {
			if said, err := d.run(ctx, dir, argv); err != nil {
				return false, fmt.Errorf("%w\n%s", err, said)
			}
		}
		for _, name := range []string{"trial.hsaco", "trial.d"} {
			data, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				return false, err
			}
			made[i] = append(made[i], data...)
			if err := os.Remove(filepath.Join(dir, name)); err != nil {
				return false, err
			}
		}
	}
	return bytes.Equal(made[0], made[1]), nil
}
