package flow

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"kmx/amdgpu/codeobj"
	"kmx/cache"
	"kmx/internal/diag"
)

// Bisect are the choices of bisect.
type Bisect struct {
	Address    string
	Good, Bad  string // git revisions
	Toolchains string // instead: folders as D4R_ROCM_DIR names them, the good one first, comma-separated
	Test       string // shell command that judges an object; "": the object of the good side is good, any other bad
	Again      bool   // forget what an earlier run has found out
	Build
}

const bisectUsage = "mage bisect k/dltss_pwin_enc0_layer@gfx1201 -good=v1.0 -bad=HEAD"

// candidate is a commit, or a toolchain, that an object can be built at.
type candidate struct {
	id    string // commit, or folder
	title string // for people
	build func(ctx context.Context) (*builtCell, error)
}

// builtCell is the object of one cell at a candidate.
type builtCell struct {
	digest cache.Digest
	object *codeobj.Object
	dir    string // tree that it was built in
	close  func()
}

// Bisect finds the commit, along the first parents, or the toolchain, from which
// on a cell's object is bad. What does not build is passed over. Verdicts are kept,
// so the same command goes on where it was interrupted.
func (p *Project) Bisect(ctx context.Context, b Bisect) error {
	if err := b.check(); err != nil {
		return err
	}
	b.Build.shows = showBuilt
	var list []candidate
	var err error
	if b.Toolchains != "" {
		if b.Good+b.Bad != "" {
			return diag.Failf(diag.Usage, "the first toolchain is the good one, the last the bad one", "-toolchains takes neither -good nor -bad")
		}
		list, err = p.toolchainCandidates(b)
	} else {
		list, err = p.commitCandidates(ctx, b)
	}
	if err != nil {
		return err
	}
	j := &judge{p: p, b: b, list: list}
	if err := j.open(); err != nil {
		return err
	}
	first, last, err := bisect(len(list), func(i int) (outcome, error) { return j.judge(ctx, i) }, func(i, left int) {
		p.Say("%s (about %s left)", list[i].title, count(steps(left), "step"))
	})
	if err != nil {
		return err
	}
	return j.tell(ctx, first, last)
}

// outcome is what is known of a candidate.
type outcome string

const (
	good    outcome = "good"
	bad     outcome = "bad"
	skipped outcome = "skipped"
)

// bisect finds where n candidates in a row turn from good to bad: the last good
// one and the first bad one. What lies between those was skipped. The ends are
// judged first; a good one that is bad, or the other way round, is an error of
// class Usage. say is told which candidate is next and how many are left.
func bisect(n int, judge func(i int) (outcome, error), say func(i, left int)) (lastGood, firstBad int, err error) {
	for _, end := range []struct {
		i    int
		want outcome
	}{{0, good}, {n - 1, bad}} {
		say(end.i, n)
		got, err := judge(end.i)
		if err != nil {
			return 0, 0, err
		}
		if got != end.want {
			what := "is " + string(got)
			if got == skipped {
				what = "does not build or cannot be tested"
			}
			return 0, 0, diag.Failf(diag.Usage, "widen the range", "the %s end %s, so there is nothing to search between", end.want, what)
		}
	}
	lo, hi := 0, n-1
	out := map[int]bool{}
	for {
		// The candidate nearest to the middle that was not passed over.
		next := -1
		for d := 0; d <= hi-lo; d++ {
			mid := lo + (hi-lo)/2
			for _, i := range []int{mid - d, mid + d} {
				if i > lo && i < hi && !out[i] && next < 0 {
					next = i
				}
			}
		}
		if next < 0 {
			return lo, hi, nil
		}
		say(next, hi-lo-1-len(out))
		got, err := judge(next)
		switch {
		case err != nil:
			return 0, 0, err
		case got == good:
			lo = next
		case got == bad:
			hi = next
		default:
			out[next] = true
		}
		for i := range out {
			if i <= lo || i >= hi {
				delete(out, i)
			}
		}
	}
}

// steps is how often a number of candidates can be halved.
func steps(n int) int {
	s := 0
	for ; n > 0; n /= 2 {
		s++
	}
	return s
}

// commitCandidates are the commits from the good one to the bad one.
func (p *Project) commitCandidates(ctx context.Context, b Bisect) ([]candidate, error) {
	var ends [2]string
	for i, revision := range []string{b.Good, b.Bad} {
		commit, err := p.commitOf(ctx, revision, bisectUsage)
		if err != nil {
			return nil, err
		}
		ends[i] = commit
	}
	out, err := p.git(ctx, "rev-list", "--first-parent", "--reverse", ends[0]+".."+ends[1])
	if err != nil {
		return nil, diag.Failf(diag.IO, "", "the commits from %s to %s cannot be listed: %w", b.Good, b.Bad, err)
	}
	if base, err := p.git(ctx, "merge-base", ends[0], ends[1]); err != nil || strings.TrimSpace(string(base)) != ends[0] {
		return nil, diag.Failf(diag.Usage, bisectUsage, "%s is not before %s", b.Good, b.Bad)
	}
	commits := append([]string{ends[0]}, strings.Fields(string(out))...)
	if len(commits) < 2 {
		return nil, diag.Failf(diag.Usage, bisectUsage, "%s and %s are one commit", b.Good, b.Bad)
	}
	var list []candidate
	for _, commit := range commits {
		title, err := p.git(ctx, "log", "-1", "--format=%h %s", commit)
		if err != nil {
			return nil, diag.Failf(diag.IO, "", "%w", err)
		}
		list = append(list, candidate{commit, strings.TrimSpace(string(title)), func(ctx context.Context) (*builtCell, error) {
			there, _, remove, err := p.checkoutAt(ctx, commit)
			if err != nil {
				return nil, err
			}
			c, err := there.cellAt(ctx, b)
			if err != nil {
				remove()
				return nil, err
			}
			c.close = remove
			return c, nil
		}})
	}
	return list, nil
}

// toolchainCandidates are compilers for the tree as it is.
func (p *Project) toolchainCandidates(b Bisect) ([]candidate, error) {
	dirs := splitList(b.Toolchains)
	if len(dirs) < 2 {
		return nil, diag.Failf(diag.Usage, "mage bisect k/dltss_pwin_enc0_layer@gfx1201 -toolchains=/opt/rocm-6.4,/opt/rocm-7.0", "two toolchains at least are searched through")
	}
	var list []candidate
	for _, dir := range dirs {
		list = append(list, candidate{dir, dir, func(ctx context.Context) (*builtCell, error) {
			before, was := os.LookupEnv(rocmEnv)
			os.Setenv(rocmEnv, dir)
			defer func() {
				os.Unsetenv(rocmEnv)
				if was {
					os.Setenv(rocmEnv, before)
				}
			}()
			there := *p
			there.unlocked = true
			return there.cellAt(ctx, b)
		}})
	}
	return list, nil
}

// rocmEnv names the compiler's folder.
const rocmEnv = "D4R_ROCM_DIR"

// errAbsent is a tree without the cell.
var errAbsent = errors.New("it declares no such cell")

// cellAt builds the cell in this tree.
func (p *Project) cellAt(ctx context.Context, b Bisect) (*builtCell, error) {
	d, err := p.load(b.Vars)
	if err != nil {
		return nil, err
	}
	cells, list := d.Select(b.Address, "")
	if list.HasErrors() || len(cells) == 0 {
		return nil, errAbsent
	}
	if len(cells) > 1 {
		return nil, diag.Failf(diag.Usage, "name one of them, such as "+cells[0].Address(), "%s selects %d cells; one is searched for at a time", b.Address, len(cells))
	}
	o := b.Build
	o.Again = func(string) string { return fmt.Sprintf("mage build %s in that tree", shellWord(b.Address)) }
	built, err := p.built(ctx, d, cells, o)
	if err != nil {
		return nil, err
	}
	digest, obj, _ := built.object(cells[0].Address())
	return &builtCell{digest, obj, p.Root, func() {}}, nil
}
