package toolchains

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"kmx/cache"
	"kmx/internal/group"
)

// facts are what a compiler says of itself. They hold for its bytes wherever
// they lie, so the memo keeps them under the digest of driver, linker and
// libraries.
type facts struct {
	Version   string `json:"version"`   // 19.1.7
	Banner    string `json:"banner"`    // Debian clang version 19.1.7 (3~deb12u1)
	Resources string `json:"resources"` // resource directory from bin/, slashes
	AMDGPU    bool   `json:"amdgpu"`
}

const factsKind = "kmx.clang/1"

// ask resolves the libraries of an installation and learns what the compiler
// says of itself, from the memo where it can. An error says why the compiler
// cannot be used.
func (in *installation) ask(ctx context.Context, l *looker, memo *cache.Memo) error {
	var err error
	if in.files, err = in.binaries(l, memo); err != nil {
		return err
	}
	if err = in.hashed.all(ctx, in.files, memo); err != nil {
		return err
	}
	id := digestOf(in.files, false)
	known := false
	if text, ok := memo.Derived(factsKind, id); ok {
		known = json.Unmarshal([]byte(text), &in.facts) == nil && in.facts.Resources != ""
	}
	if !known {
		if in.facts, err = in.run(ctx); err != nil {
			return err
		}
		if text, err := json.Marshal(in.facts); err == nil {
			memo.PutDerived(factsKind, id, string(text))
		}
	}
	major, _, _ := strings.Cut(in.facts.Version, ".")
	if n, err := strconv.Atoi(major); err != nil || n < oldest {
		return tooOld(in.facts.Version)
	}
	if !in.facts.AMDGPU {
		return errors.New("it was built without the AMDGPU backend")
	}
	return nil
}

// resources is the resource directory as the driver spells it in what it prints.
func (in *installation) resources() string {
	return filepath.Join(in.bin, filepath.FromSlash(in.facts.Resources))
}

var versionLine = regexp.MustCompile(`clang version (\d+(?:\.\d+)*[a-z0-9]*)`)

// run starts the compiler three times for its version, resource directory and
// targets.
func (in *installation) run(ctx context.Context) (facts, error) {
	var f facts
	version, err := in.output(ctx, "--version")
	if err != nil {
		return f, err
	}
	f.Banner, _, _ = strings.Cut(strings.TrimSpace(version), "\n")
	m := versionLine.FindStringSubmatch(version)
	if m == nil {
		return f, fmt.Errorf("its --version is not clang's: %q", f.Banner)
	}
	f.Version = m[1]
	dir, err := in.output(ctx, "-print-resource-dir")
	if err != nil {
		return f, err
	}
	rel, err := filepath.Rel(in.bin, strings.TrimSpace(dir))
	if err != nil {
		return f, fmt.Errorf("its resource directory %q is nowhere near it", strings.TrimSpace(dir))
	}
	f.Resources = filepath.ToSlash(rel)
	targets, err := in.output(ctx, "--print-targets")
	if err != nil {
		return f, err
	}
	for line := range strings.Lines(targets) {
		if fields := strings.Fields(line); len(fields) > 0 && fields[0] == "amdgcn" {
			f.AMDGPU = true
		}
	}
	return f, nil
}

// environment is that of every compiler started here: nothing of the caller's.
func (in *installation) environment() []string {
	env := append([]string{"PATH=/usr/bin:/bin", "LC_ALL=C"}, in.env()...)
	if root := os.Getenv("SystemRoot"); root != "" {
		env = append(env, "SystemRoot="+root)
	}
	return env
}

// grace is how long a compiler may take to end when it is asked to, with what it has started.
const grace = 2 * time.Second

// output is what the compiler says on stdout. One that was killed from outside,
// most likely for want of memory, is asked once more.
func (in *installation) output(ctx context.Context, args ...string) (string, error) {
	out, err := in.outputOnce(ctx, args...)
	if killed(err) && ctx.Err() == nil {
		out, err = in.outputOnce(ctx, args...)
	}
	if killed(err) && ctx.Err() == nil {
		err = fmt.Errorf("%w (twice, and not by kmx: most likely the machine ran out of memory; run the command again)", err)
	}
	return out, err
}

func killed(err error) bool {
	var exit *exec.ExitError
	return errors.As(err, &exit) && exit.ExitCode() == -1 && strings.HasPrefix(exit.String(), "signal: killed")
}

func (in *installation) outputOnce(ctx context.Context, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	cmd := exec.Command(in.driver, args...)
	cmd.Env = in.environment()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := group.Output(ctx, cmd, grace)
	if err != nil {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		err = fmt.Errorf("%s %s: %w", in.driver, strings.Join(args, " "), err)
		if said := strings.TrimSpace(stderr.String()); said != "" {
			err = fmt.Errorf("%w: %s", err, said)
		}
		return "", err
	}
	return string(out), nil
}
