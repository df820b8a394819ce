package ci

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"kmx/cache"
)

// PlanFormat is the version of a Plan.
const PlanFormat = "kmx.ci-plan/1"

// Plan says who builds what. It is made once and read by every shard and by
// the merge.
type Plan struct {
	Format    string       `json:"format"`
	Digest    cache.Digest `json:"digest"` // of the plan with zeros here
	Selectors string       `json:"selectors,omitempty"`
	Vars      string       `json:"vars,omitempty"` // matrix variables, as -vars takes them
	Runner    Runner       `json:"runner"`
	Asked     int          `json:"asked"`  // shards at most
	Cached    int          `json:"cached"` // actions whose results exist
	Identity  Identity     `json:"identity"`
	Shards    []Shard      `json:"shards"` // none: nothing is to be built
}

// Shard is what one machine builds.
type Shard struct {
	Expected time.Duration `json:"expected_ns"`
	Memory   int64         `json:"memory"` // the largest peak of one action, bytes
	Actions  []Action      `json:"actions"`
}

// Action is one process of a shard, besides those that make helpers.
type Action struct {
	Label  string        `json:"label"`
	Cells  []string      `json:"cells"` // addresses that share the object
	Wall   time.Duration `json:"wall_ns"`
	Memory int64         `json:"memory"`
}

// Actions is how many actions the shards run, besides those that make helpers.
func (p *Plan) Actions() int {
	n := 0
	for _, s := range p.Shards {
		n += len(s.Actions)
	}
	return n
}

// Seal puts format and digest into the plan.
func (p *Plan) Seal() {
	p.Format = PlanFormat
	p.Digest = p.sum()
}

func (p *Plan) sum() cache.Digest {
	bare := *p
	bare.Digest = cache.Digest{}
	text, _ := json.Marshal(&bare) // it holds nothing that JSON cannot say
	return cache.Sum(text)
}

// Encode is the file of a sealed plan.
func (p *Plan) Encode() ([]byte, error) {
	text, err := json.MarshalIndent(p, "", " ")
	return append(text, '\n'), err
}

// DecodePlan reads what Encode gave. An altered plan is an error.
func DecodePlan(data []byte) (*Plan, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	var p Plan
	if err := d.Decode(&p); err != nil {
		return nil, fmt.Errorf("not a plan: %w", err)
	}
	if p.Format != PlanFormat {
		return nil, fmt.Errorf("format %.40q, this kmx reads %s", p.Format, PlanFormat)
	}
	if sum := p.sum(); sum != p.Digest {
		return nil, fmt.Errorf("its digest is %s and it says %s: it was altered", short(sum), short(p.Digest))
	}
	if again, err := p.Encode(); err != nil || !bytes.Equal(again, data) {
		return nil, errors.New("it was altered: it is not as kmx writes it")
	}
	return &p, nil
}

// A Name names a shard: I/N and the beginning of the plan's digest, as in
// "2/4@0123456789ab".
type Name struct {
	Shard, Of int
	Plan      string
}

// Name names the shard at an index of Shards.
func (p *Plan) Name(i int) Name { return Name{i + 1, len(p.Shards), short(p.Digest)} }

func (n Name) String() string { return fmt.Sprintf("%d/%d@%s", n.Shard, n.Of, n.Plan) }

// ParseName reads what String wrote.
func ParseName(text string) (Name, error) {
	numbers, plan, ok := strings.Cut(text, "@")
	i, of, slash := strings.Cut(numbers, "/")
	n := Name{Plan: plan}
	var err, err2 error
	n.Shard, err = strconv.Atoi(i)
	n.Of, err2 = strconv.Atoi(of)
	if !ok || !slash || err != nil || err2 != nil || len(plan) != 12 || n.Shard < 1 || n.Shard > n.Of || n.String() != text {
		return Name{}, fmt.Errorf("%q is no name of a shard: they look like 2/4@0123456789ab, and ci:plan prints them", text)
	}
	return n, nil
}
