package flow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"kmx/amdgpu/codeobj"
	"kmx/cache"
	"kmx/internal/diag"
	"kmx/internal/durable"
	"kmx/internal/group"
)

// judge decides whether candidates of a bisection are good, and remembers it.
type judge struct {
	p    *Project
	b    Bisect
	list []candidate
	file string
	kept bisection
}

const bisectFormat = "kmx.bisect/1"

// bisection is what is kept of a search between runs.
type bisection struct {
	Format   string                 `json:"format"`
	Question string                 `json:"question"`
	Verdicts map[string]keptOutcome `json:"verdicts"` // by candidate
}

type keptOutcome struct {
	Outcome outcome      `json:"outcome"`
	Why     string       `json:"why,omitempty"`
	Object  cache.Digest `json:"object,omitzero"`
}

// open reads what an earlier run has found out about the same question.
func (j *judge) open() error {
	state, err := j.p.state()
	if err != nil {
		return err
	}
	ids := make([]string, len(j.list))
	for i, c := range j.list {
		ids[i] = c.id
	}
	question, err := json.Marshal([]any{j.b.Address, j.b.Vars, j.b.Test, ids})
	if err != nil {
		return err
	}
	j.kept = bisection{bisectFormat, string(question), map[string]keptOutcome{}}
	j.file = filepath.Join(state, "bisect", cache.Sum(question).String()[:16]+".json")
	// Toolchains are folders, in which another compiler may stand by now.
	if j.b.Again || j.b.Toolchains != "" {
		return nil
	}
	data, err := os.ReadFile(j.file)
	if err != nil {
		return nil // the first run
	}
	var k bisection
	if json.Unmarshal(data, &k) == nil && k.Format == bisectFormat && k.Question == string(question) && k.Verdicts != nil {
		j.kept = k
	}
	return nil
}

func (j *judge) keep(i int, k keptOutcome) error {
	j.kept.Verdicts[j.list[i].id] = k
	data, err := json.MarshalIndent(j.kept, "", "  ")
	if err == nil {
		err = os.MkdirAll(filepath.Dir(j.file), 0o777)
	}
	if err == nil {
		err = durable.WriteFile(j.file, data, 0o666)
	}
	if err != nil {
		return diag.Failf(diag.IO, elsewhere, "what was found out cannot be kept: %w", err)
	}
	return nil
}

// judge builds a candidate and decides. Candidate 0 is the good one, whose object
// is what good is where there is no test.
func (j *judge) judge(ctx context.Context, i int) (outcome, error) {
	if k, ok := j.kept.Verdicts[j.list[i].id]; ok {
		j.p.Say("  %s, as found out before%s", k.Outcome, because(k.Why))
		return k.Outcome, nil
	}
	k, err := j.find(ctx, i)
	if err != nil {
		return "", err
	}
	j.p.Say("  %s%s", k.Outcome, because(k.Why))
	return k.Outcome, j.keep(i, k)
}

func because(why string) string {
	if why == "" {
		return ""
	}
	return ": " + why
}

func (j *judge) find(ctx context.Context, i int) (keptOutcome, error) {
	c, err := j.list[i].build(ctx)
	if err != nil {
		return unbuildable(ctx, err)
	}
	defer c.close()
	if j.b.Test != "" {
		return j.test(ctx, i, c)
	}
	k := keptOutcome{Outcome: good, Object: c.digest}
	if i > 0 && c.digest != j.kept.Verdicts[j.list[0].id].Object {
		k.Outcome, k.Why = bad, "another object"
	}
	return k, nil
}

// unbuildable passes a candidate over whose tree cannot make the object; what is
// wrong here and now is an error.
func unbuildable(ctx context.Context, err error) (keptOutcome, error) {
	if ctx.Err() != nil {
		return keptOutcome{}, ctx.Err()
	}
	var f *diag.Failure
	switch {
	case errors.Is(err, errAbsent):
		return keptOutcome{Outcome: skipped, Why: err.Error()}, nil
	case errors.As(err, &f) && (f.Class == diag.Cells || f.Class == diag.Matrix):
		why, _, _ := strings.Cut(f.Error(), "\n")
		return keptOutcome{Outcome: skipped, Why: "it does not build: " + why}, nil
	}
	return keptOutcome{}, err
}

// test asks the command. Its exit codes are those of git bisect run: 0 is good,
// 125 cannot be tested, up to 127 is bad, and anything else ends the search.
func (j *judge) test(ctx context.Context, i int, c *builtCell) (keptOutcome, error) {
	dir, err := os.MkdirTemp("", "kmx-bisect-")
	if err != nil {
		return keptOutcome{}, diag.Failf(diag.IO, "", "%w", err)
	}
	defer os.RemoveAll(dir)
	object := filepath.Join(dir, kernelFile(j.b.Address))
	if err := j.p.objectInto(c.digest, object); err != nil {
		return keptOutcome{}, err
	}
	shell := []string{"/bin/sh", "-c", j.b.Test}
	if runtime.GOOS == "windows" {
		shell = []string{"cmd", "/c", j.b.Test}
	}
	cmd := exec.Command(shell[0], shell[1:]...)
	cmd.Dir = c.dir
	cmd.Env = append(os.Environ(), "BISECT_OBJECT="+object, "BISECT_ADDRESS="+j.b.Address, "BISECT_AT="+j.list[i].id)
	cmd.Stdout, cmd.Stderr = j.p.Err, j.p.Err
	err = group.Run(ctx, cmd, grace)
	if ctx.Err() != nil {
		return keptOutcome{}, ctx.Err()
	}
	k := keptOutcome{Object: c.digest}
	var exit *exec.ExitError
	switch {
	case err == nil:
		k.Outcome = good
	case errors.As(err, &exit) && exit.ExitCode() == 125:
		k.Outcome, k.Why = skipped, "the test cannot tell (exit code 125)"
	case errors.As(err, &exit) && exit.ExitCode() > 0 && exit.ExitCode() < 128:
		k.Outcome, k.Why = bad, fmt.Sprintf("the test says so (exit code %d)", exit.ExitCode())
	default:
		return k, diag.Failf(diag.Usage, "exit code 0 is good, 125 cannot tell, 1 to 127 is bad", "the test ended otherwise: %w", err)
	}
	return k, nil
}

// kernelFile is the name of the object of an address.
func kernelFile(address string) string {
	_, rest, _ := strings.Cut(address, "/")
	kernel, _, _ := strings.Cut(rest, "@")
	return kernel + ".hsaco"
}

// objectInto copies an object out of the cache.
func (p *Project) objectInto(digest cache.Digest, file string) error {
	store, err := p.Cache()
	if err != nil {
		return err
	}
	f, err := os.Create(file)
	if err == nil {
		err = store.CopyTo(digest, f, io.Discard)
		if cerr := f.Close(); err == nil {
			err = cerr
		}
	}
	if err != nil {
		return diag.Failf(diag.IO, "", "the object is not at hand: %w", err)
	}
	return nil
}

// tell says what the search came to. Candidates between the last good and the
// first bad one that had to be passed over leave it open, which is a failure of
// class Verify.
func (j *judge) tell(ctx context.Context, lastGood, firstBad int) error {
	if firstBad-lastGood > 1 {
		var names []string
		for i := lastGood + 1; i <= firstBad; i++ {
			names = append(names, j.list[i].title)
		}
		for _, n := range names {
			fmt.Fprintln(j.p.Out, n)
		}
		return diag.Failf(diag.Verify, "", "the first bad one is among these %d; the others do not build or could not be tested", len(names))
	}
	fmt.Fprintln(j.p.Out, j.list[firstBad].title)
	j.p.Say("first bad: %s", j.list[firstBad].title)
	line, err := j.change(lastGood, firstBad)
	if err != nil {
		return err
	}
	if line != "" {
		j.p.Say("  %s", line)
	}
	return ctx.Err()
}

// change says how the objects on both sides of the change differ, "" where the
// cache has lost one.
func (j *judge) change(before, after int) (string, error) {
	var sides [2]*codeobj.Object
	for n, i := range []int{before, after} {
		digest := j.kept.Verdicts[j.list[i].id].Object
		dir, err := os.MkdirTemp("", "kmx-bisect-")
		if err != nil {
			return "", diag.Failf(diag.IO, "", "%w", err)
		}
		defer os.RemoveAll(dir)
		file := filepath.Join(dir, "object")
		if j.p.objectInto(digest, file) != nil {
			return "", nil
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return "", diag.Failf(diag.IO, "", "%w", err)
		}
		if sides[n], err = codeobj.Read(data); err != nil {
			return "", nil
		}
	}
	d := codeobj.Compare(sides[0], sides[1])
	o := newGuardedObject(j.b.Address, d, sides[0], sides[1])
	return o.Likeness + o.deltas(), nil
}
