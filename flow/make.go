package flow

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"kmx/amdgpu/codeobj"
	"kmx/cache"
	"kmx/engine"
	"kmx/internal/diag"
	"kmx/matrix"
	"kmx/plan"
	"kmx/report"
	"kmx/toolchains"
)

// Build are the choices of every command that builds.
type Build struct {
	Jobs      int    // processes at once; 0: one per processor
	KeepGoing bool   // finish the rest after a failure
	Vars      string // matrix variables, name=value, comma-separated
	Flags     string // compiler flags to try on these cells, for a shell to split; no release takes any
	Accept    string // "WHO: WHY": takes on modules that are not approved
	Defer     bool   // what compilers say of failures is shown together at the end
	shows     shows  // which finished cells are shown
	code      bool   // the code of the objects is wanted
	// Fold derives what is proven equal instead of compiling it; nil: as
	// KMX_FOLD says. fold is that, in the commands that can.
	Fold *bool
	fold bool
	// Again gives the command that builds just these cells; "mage build ..."
	// with the same choices when nil.
	Again func(selectors string) string
}

// shows says which finished cells a build shows.
type shows int

const (
	showAll     shows = iota
	showChanges       // what was built or is not as last built here; nothing at all where there is nothing
	showBuilt         // what was built
)

// again is the command that repeats the build for these cells.
func (o Build) again(selectors string) string {
	if o.Again != nil {
		return o.Again(selectors)
	}
	command := "mage build " + selectors
	for _, choice := range []struct{ name, value string }{{"-vars", o.Vars}, {tryOrigin, o.Flags}} {
		if choice.value != "" {
			command += " " + shellWord(choice.name+"="+choice.value)
		}
	}
	return command
}

// maxJobs is far above what any machine runs at once.
const maxJobs = 10000

func (o Build) check() error {
	if o.Jobs < 0 || o.Jobs > maxJobs {
		return diag.Failf(diag.Usage, "0, or nothing, is one for each processor", "%d processes at once cannot be", o.Jobs)
	}
	return nil
}

// made is what building some cells gave.
type made struct {
	plan       *plan.Plan
	trial      trial
	toolchains map[string]*toolchains.Toolchain
	results    []engine.Result // parallel to plan.Graph.Nodes
	opened     map[string]*codeobj.Object
}

// result is the outcome of the cell at index i of the plan.
func (m *made) result(i int) engine.Result { return m.results[m.plan.Node[i]] }

// make plans and builds cells. Every object in the result has been compared
// with its declaration.
func (p *Project) make(ctx context.Context, d *declared, cells []*matrix.Cell, o Build, locked bool) (*made, error) {
	store, err := p.Cache()
	if err != nil {
		return nil, err
	}
	state, err := p.state()
	if err != nil {
		return nil, err
	}
	lim, err := readLimits(os.Getenv)
	if err != nil {
		return nil, err
	}
	p.limits = &lim
	m := &made{}
	if m.trial, err = readTrial(o.Flags); err != nil {
		return nil, err
	}
	cells = m.trial.cells(cells)
	if m.toolchains, err = p.find(ctx, d, cells, locked); err != nil {
		return nil, err
	}
	history, err := cache.OpenHistory(state)
	if err != nil {
		return nil, diag.Failf(diag.IO, elsewhere, "the build history cannot be opened: %v", err)
	}
	defer history.Close()

	ledger := newLedger(history, d)
	ledger.trial = len(m.trial) > 0
	var list diag.List
	source := p.planSource(d, store, history)
	source.Toolchains, source.Opened, source.Code = m.toolchains, ledger.open, o.code
	if source.Fold, err = p.foldPlan(d, o.fold, locked); err != nil {
		return nil, err
	}
	m.plan, list = plan.New(cells, source)
	if list.HasErrors() {
		return m, &diag.Failure{Class: diag.Matrix, Messages: list}
	}
	p.show(list)
	if err := p.approve(d.Libraries, usesOf(m.plan), o.Accept); err != nil {
		return m, err
	}
	m.opened = ledger.opened
	ledger.expect(m.plan)
	closures{filepath.Join(state, "toolchains")}.keep(m.toolchains)

	options, done := p.engineOptions(o.Jobs, lim)
	defer done()
	log, err := engine.OpenLog(filepath.Join(state, "log", time.Now().UTC().Format("20060102T150405.000")+".jsonl"))
	if err != nil {
		return nil, diag.Failf(diag.IO, elsewhere, "the event log cannot be opened: %v", err)
	}
	defer log.Close()
	declaredAt := map[string]diag.Range{}
	for _, c := range cells {
		declaredAt[c.Address()] = c.Declared
	}
	for label, h := range m.plan.Helper {
		declaredAt[label] = h.Declared
	}
	again := func(label string) string {
		if h, ok := m.plan.Helper[label]; ok {
			label = h.Address
		}
		return p.words(o.again(label))
	}
	madeOf := map[string]string{}
	for i, use := range m.plan.Module {
		if use != nil {
			madeOf[m.plan.Cells[i].Address()] = use.String()
		}
	}
	leaders := map[string]string{} // of what is derived
	for n, d := range m.plan.Derived {
		leaders[m.plan.Graph.Nodes[n].Label] = m.plan.Graph.Nodes[d.Leader].Label
	}
	shown := report.Options{
		Origin:   func(label string) string { return madeOf[label] },
		Derived:  func(label string) string { return leaders[label] },
		Declared: declaredAt, Facts: ledger.facts, Lines: !locked, Log: log.Path(), Emulated: p.emulated(store, state),
		Rerun: again, Defer: o.Defer, Outcomes: o.KeepGoing && o.shows == showAll,
	}
	switch o.shows {
	case showChanges:
		shown.Same = ledger.same
	case showBuilt:
		shown.Same = func(string, cache.Digest) bool { return true }
	}
	printer, err := report.New(os.Getenv("KMX_LOG"), p.Err, shown)
	if err != nil {
		return nil, err
	}
	p.live = printer
	defer func() {
		printer.Close()
		p.live = nil
	}()
	sink := func(e engine.Event) {
		log.Write(e)
		printer.Sink(e)
		ledger.note(e)
	}
	tools := plan.Steps()
	for _, tc := range m.toolchains {
		maps.Copy(tools, tc.Tools)
	}
	options.Cache, options.Tools, options.KeepGoing, options.Sink = store, tools, o.KeepGoing, sink
	m.results, err = engine.Run(ctx, m.plan.Graph, options)
	return m, buildFailure(err, m.results, m.plan.Helpers(), o)
}

// largest gives the greatest peak of memory known of a family in this checkout.
func largest(h *cache.History) func(family string) int64 {
	return func(family string) int64 { return h.Largest(family + "/") }
}

// hidden lists what may stand in no object: the places of this machine.
func (p *Project) hidden(store *cache.Cache) []string {
	paths := []string{p.Root, store.SandboxRoot()}
	if home, err := os.UserHomeDir(); err == nil && home != "/" {
		paths = append(paths, home)
	}
	return paths
}

// find locates the toolchains of cells and holds them against the lock.
func (p *Project) find(ctx context.Context, d *declared, cells []*matrix.Cell, strict bool) (map[string]*toolchains.Toolchain, error) {
	store, err := p.Cache()
	if err != nil {
		return nil, err
	}
	found := map[string]*toolchains.Toolchain{}
	for _, c := range cells {
		names := []string{c.Toolchain}
		for _, b := range c.Bitcode {
			names = append(names, b.Toolchain)
		}
		for _, name := range names {
			if found[name] != nil {
				continue
			}
			i := slices.IndexFunc(d.Toolchains, func(t matrix.Toolchain) bool { return t.Name == name })
			tc, err := toolchains.Find(ctx, toolchains.Request{Name: name, Kind: d.Toolchains[i].Kind}, store.Memo())
			if err != nil {
				return nil, err
			}
			found[name] = tc
		}
	}
	return found, p.holdLock(found, strict)
}
