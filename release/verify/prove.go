package verify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"aead.dev/minisign"

	"kmx/internal/diag"
	"kmx/release"
)

// Options say what is asked of a release beyond what its manifests promise.
type Options struct {
	Today string              // YYYY-MM-DD for exclusions that hold until a day; "" is the date of the release
	Key   *minisign.PublicKey // that must have signed; nil: signatures are told, not demanded
}

// Proof is what was looked at and what is wrong.
type Proof struct {
	Name     string // as it was given
	Title    string // of the release
	Sets     int
	Objects  int
	Files    int      // all but the manifests
	Notes    []string // what somebody who trusts the release should know, such as that it is not signed
	Problems []release.Problem
}

// Err is a failure of class Verify that lists the problems, or nil.
func (p *Proof) Err() error {
	if len(p.Problems) == 0 {
		return nil
	}
	f := &diag.Failure{Class: diag.Verify}
	for _, problem := range p.Problems {
		f.Messages = append(f.Messages, diag.Message{Summary: problem.String()})
	}
	f.Messages[len(f.Messages)-1].Hint = p.Name + " is not to be trusted as it is; fetch, unpack or build it again"
	return f
}

// String is the last line for people about a release without a problem.
func (p *Proof) String() string {
	title := p.Title
	if IsArchive(p.Name) {
		title = filepath.Base(p.Name) // archives of one release are told apart
	}
	return fmt.Sprintf("%s: %s, %s, %s: complete, every digest, object and marker as the manifests say",
		title, count(p.Sets, "set"), count(p.Objects, "object"), count(p.Files, "file"))
}

// Prove looks at a release in a folder, at one set, or at an archive and what lies
// beside it. The error is of class Usage or IO, or Interrupted; what is wrong with
// the release is in the Proof.
func Prove(ctx context.Context, name string, o Options) (*Proof, error) {
	opened, err := Open(name)
	if err != nil {
		if diag.ExitCode(err) == int(diag.Verify) {
			what := err.Error()
			if f := (*diag.Failure)(nil); errors.As(err, &f) && len(f.Messages) > 0 {
				what = strings.TrimPrefix(f.Messages[0].Summary, name+": ") // the file and what to do are told with every problem
			}
			return &Proof{Name: name, Title: name, Problems: []release.Problem{{File: filepath.Base(name), What: what}}}, nil
		}
		return nil, err
	}
	defer opened.Close()
	p := &prover{Opened: opened, o: o, proof: &Proof{Name: name, Title: opened.title(), Sets: len(opened.Sets)}, known: map[string]bool{}}
	if err := p.run(ctx); err != nil {
		return nil, err
	}
	return p.proof, nil
}

type prover struct {
	*Opened
	o     Options
	proof *Proof
	known map[string]bool // slash paths that have a problem already
}

func (p *prover) say(set, file, format string, args ...any) {
	p.known[path.Join(set, file)] = true
	p.proof.Problems = append(p.proof.Problems, release.Problem{Set: set, File: file, What: fmt.Sprintf(format, args...)})
}

func (p *prover) note(format string, args ...any) {
	p.proof.Notes = append(p.proof.Notes, fmt.Sprintf(format, args...))
}

func (p *prover) run(ctx context.Context) error {
	for _, problem := range release.VerifyDir(p.Dir) {
		p.say(problem.Set, problem.File, "%s", problem.What)
	}
	for _, s := range p.Sets {
		p.proof.Objects += len(s.Objects)
		p.proof.Files += len(s.Objects) + len(s.Files)
		if err := p.objects(ctx, s); err != nil {
			return err
		}
		p.markers(s)
	}
	if err := p.derived(); err != nil {
		return err
	}
	if p.Release != nil {
		p.proof.Files += len(p.Release.Files)
		p.twins()
		p.leftOut()
		p.provenanceNotes()
	} else if len(p.Sets) == 1 && p.Sets[0].Partial {
		p.note("it is what was built so far, not a release")
	}
	if err := p.content(ctx); err != nil {
		return err
	}
	if p.Archive != nil {
		p.attested()
	} else if p.o.Key != nil {
		p.say("", ".", "a signature is required and a folder carries none: archives are signed")
	}
	slices.SortStableFunc(p.proof.Problems, func(a, b release.Problem) int {
		return cmp.Or(cmp.Compare(a.Set, b.Set), cmp.Compare(a.File, b.File), cmp.Compare(a.What, b.What))
	})
	return nil
}

// provenanceNotes tells what the manifest admits.
func (p *prover) provenanceNotes() {
	if p.Release.Developer != "" {
		p.note("not for shipping: %s", p.Release.Developer)
	}
	for _, t := range p.Release.Toolchains {
		if t.Lock == release.LockDiffers {
			p.note("toolchain %s is %s, another one than was pinned", t.Name, t.Version)
		}
	}
	if !p.Release.Stamped {
		p.note("not stamped: no set has %s", release.KernelsFile)
	}
}
