package toolchains

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"kmx/cache"
	"kmx/engine"
	"kmx/internal/group"
)

// direct runs a compiler without its driver. The driver is a process of its own
// that starts two others, the front end and the linker. It writes down which
// when it is asked to (CC_PRINT_OPTIONS), and compiles all the same, so that
// asking costs nothing: the first command of a shape is the driver's, and the
// processes that it started are those of all commands of that shape. A shape
// leaves open the source, the object and the values of macros.
//
// How a command is run is in no key. So it has to be proven that it makes no
// difference: nothing is run directly before a trial was compiled both ways with
// this toolchain to the same bytes. `mage setup` does that; where it was not
// called, the first command that could be run directly does, and meanwhile all
// others are the driver's.
type direct struct {
	in   *installation
	memo *cache.Memo
	id   cache.Digest // of the closure and of where it lies
	owns func(abs string) bool

	mu    sync.Mutex
	known map[cache.Digest]template // by shape
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

const (
	templateKind = "kmx.direct/2"
	proofKind    = "kmx.direct-proof/2"
)

// allocation makes a front end take its memory in large pages where the machine
// has them, by the C library's own setting: a page that is new to a process
// costs more time than what is written to it. It is part of what is proven.
const allocation = "GLIBC_TUNABLES=glibc.malloc.hugetlb=1"

// direct is how the installation is run without its driver; nil when
// KMX_DRIVER=1 forbids it.
func (in *installation) direct(closure cache.Digest, owns func(string) bool, memo *cache.Memo) *direct {
	if os.Getenv("KMX_DRIVER") == "1" {
		return nil
	}
	return &direct{in: in, memo: memo, owns: owns, known: map[cache.Digest]template{},
		id: cache.Sum(fmt.Appendf(nil, "%s %q", closure, in.driver))}
}

// way is engine.Tool's Direct.
func (d *direct) way(ctx context.Context, args []string, dir, temp string) engine.Way {
	s, ok := shapeOf(args)
	if !ok {
		return engine.Way{}
	}
	t, ok := d.template(s)
	switch {
	case !ok:
		return d.learn(s, dir, filepath.Join(temp, "driver.log"))
	case len(t) == 0 || !d.proven(ctx, temp):
		return engine.Way{}
	}
	return engine.Way{Commands: t.fill(s, dir, filepath.Join(temp, "object.o")), Env: []string{allocation}}
}

func (d *direct) key(s shape) cache.Digest { return cache.Sum(fmt.Appendf(nil, "%s %q", d.id, s.args)) }

// template gives the commands of a shape; none for one that stays the driver's.
// ok is false where nothing is known.
func (d *direct) template(s shape) (t template, ok bool) {
	key := d.key(s)
	d.mu.Lock()
	defer d.mu.Unlock()
	if t, ok = d.known[key]; ok {
		return t, true
	}
	text, ok := d.memo.Derived(templateKind, key)
	if !ok || json.Unmarshal([]byte(text), &t) != nil {
		return nil, false
	}
	d.known[key] = t
	return t, true
}

// learn lets the driver run a command and write down what it starts, in the file
// log.
func (d *direct) learn(s shape, dir, log string) engine.Way {
	return engine.Way{
		Env: []string{"CC_PRINT_OPTIONS=1", "CC_PRINT_OPTIONS_FILE=" + log},
		Ran: func(stderr []byte) {
			said, err := os.ReadFile(log)
			_ = os.Remove(log)
			if err != nil {
				return
			}
			var t template
			// What the driver itself has to say would not be said without it.
			if !bytes.Contains(stderr, []byte(filepath.Base(d.in.driver)+": ")) {
				t = d.parse(said, s, dir)
			}
			key := d.key(s)
			d.mu.Lock()
			d.known[key] = t
			d.mu.Unlock()
			if text, err := json.Marshal(t); err == nil {
				d.memo.PutDerived(templateKind, key, string(text))
			}
		},
	}
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
		"-DKMX_A=1", "-DKMX_B", "-MD", "-MF", "list.d", "-MT", "made.hsaco", "trial.hip", "-o", "made.hsaco"}
	s, ok := shapeOf(args)
	if !ok {
		return false, nil
	}
	if err := os.WriteFile(filepath.Join(dir, "trial.hip"), []byte(trialSource), 0o600); err != nil {
		return false, err
	}
	way := d.learn(s, dir, filepath.Join(dir, "driver.log"))
	stderr, byDriver, err := d.trial(ctx, dir, [][]string{append([]string{d.in.driver}, args...)}, way.Env)
	if err != nil {
		return false, err
	}
	way.Ran(stderr)
	t, _ := d.template(s)
	commands := t.fill(s, dir, filepath.Join(dir, "object.o"))
	if len(commands) == 0 {
		return false, nil
	}
	_, directly, err := d.trial(ctx, dir, commands, []string{allocation})
	return bytes.Equal(byDriver, directly), err
}

// trial runs processes, one after the other, and gives what they said and made.
func (d *direct) trial(ctx context.Context, dir string, commands [][]string, env []string) (stderr, made []byte, err error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	var said bytes.Buffer
	for _, argv := range commands {
		cmd := exec.Command(argv[0], argv[1:]...)
		cmd.Dir, cmd.Stderr = dir, &said
		cmd.Env = append(append(d.in.environment(), "TMPDIR="+dir, "TMP="+dir), env...)
		if err := group.Run(ctx, cmd, grace); err != nil {
			return nil, nil, fmt.Errorf("%w\n%s", err, strings.TrimSpace(said.String()))
		}
	}
	for _, name := range []string{"made.hsaco", "list.d"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err == nil {
			err = os.Remove(filepath.Join(dir, name))
		}
		if err != nil {
			return nil, nil, err
		}
		made = append(made, data...)
	}
	return said.Bytes(), made, nil
}
