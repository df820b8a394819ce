//go:build linux

package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"kmx/cache"
)

// A soak is a long time of random work and random faults: two checkouts that
// share a cache, a watch in a third one, collections beside them. Each round
// ends with plain releases, whose every byte is checked.
type soak struct {
	lab      *lab
	ref      *reference
	sites    []*site // the last one is watched
	now      []variant
	watch    *command
	round    int
	problems []string
	done     map[string]int // what was done, how often
	damaged  int            // files of the cache
}

func (l *lab) soak(d time.Duration) (bool, error) {
	k := &soak{lab: l, ref: &reference{lab: l, want: map[string]cache.Digest{}, any: map[string][]cache.Digest{}}, done: map[string]int{}}
	for _, name := range []string{"one", "two", "watched"} {
		s, err := l.site(name)
		if err != nil {
			return false, err
		}
		s.cache = filepath.Join(l.Work, "shared.cache")
		s.env = []string{"KMX_TIMEOUT=20s"}
		k.sites, k.now = append(k.sites, s), append(k.now, declared())
		if err := s.write(declared()); err != nil {
			return false, err
		}
	}
	if err := k.ref.learn(declared()); err != nil {
		return false, err
	}
	k.startWatch()
	begun, told := time.Now(), time.Now()
	for time.Since(begun) < d && len(k.problems) < 20 {
		if err := k.turn(); err != nil {
			return false, fmt.Errorf("round %d: %w", k.round, err)
		}
		if time.Since(told) > time.Minute {
			told = time.Now()
			fmt.Printf("%s: %d rounds, %d problems\n", time.Since(begun).Round(time.Second), k.round, len(k.problems))
		}
	}
	k.end()
	fmt.Printf("\nsoak of %s, seed %d: %d rounds, %d objects known, %d problems\n", time.Since(begun).Round(time.Second), l.Seed, k.round, len(k.ref.want), len(k.problems))
	var names []string
	for name := range k.done {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Printf("  %6d  %s\n", k.done[name], name)
	}
	return len(k.problems) == 0, nil
}

func (k *soak) problem(format string, args ...any) {
	text := fmt.Sprintf("round %d: ", k.round) + fmt.Sprintf(format, args...)
	k.problems = append(k.problems, text)
	fmt.Println("WRONG", text)
}

func (k *soak) did(what string) { k.done[what]++ }

func (k *soak) startWatch() {
	k.watch = k.sites[2].start("watch", "toy+*")
	k.did("watch started")
}

// turn is one round: edits, commands with faults in them, then plain releases.
func (k *soak) turn() error {
	k.round++
	r := rand.New(rand.NewPCG(k.lab.Seed, uint64(k.round)))
	for i := range k.sites {
		for range r.IntN(3) {
			k.did("edit: " + k.now[i].change(r))
		}
		if err := k.sites[i].write(k.now[i]); err != nil {
			return err
		}
		if err := k.ref.learn(k.now[i]); err != nil { // with a compiler that is well
			return err
		}
	}
	if err := k.disturbed(r); err != nil {
		return err
	}
	if err := k.lab.setFault(fault{}); err != nil {
		return err
	}
	for i, s := range k.sites[:2] {
		e := s.do("release", fmt.Sprintf("-jobs=%d", 1+r.IntN(4)))
		k.did("plain release")
		if e.code != 0 || e.hung {
			k.problem("%s: a plain release ends with %s: %s", filepath.Base(s.dir), e.exit(), tail(e.text))
			continue
		}
		for _, p := range k.ref.released(s, k.now[i]) {
			k.problem("%s: %s", filepath.Base(s.dir), p)
		}
		some := func(string, string) bool { return false }
		for _, p := range k.ref.developed(s, k.now[i], some) {
			k.problem("%s: %s", filepath.Base(s.dir), p)
		}
	}
	if k.round%4 == 0 {
		k.selected(r)
	}
	if k.round%5 == 0 {
		return k.watched()
	}
	return nil
}

// selected builds some cells as anybody does who works on a kernel, and checks
// exactly these.
func (k *soak) selected(r *rand.Rand) {
	i := r.IntN(2)
	s, set, kernel := k.sites[i], setPaths[r.IntN(4)], kernels[r.IntN(3)]
	target, accuracy := strings.TrimPrefix(set, "accuracy/"), strings.HasPrefix(set, "accuracy/")
	selector := "toy/" + kernel + "@" + target
	if accuracy {
		selector += "+accuracy"
	}
	e := s.do("build", selector)
	k.did("plain build of a selector")
	if e.code != 0 {
		k.problem("build %s ends with %s: %s", selector, e.exit(), tail(e.text))
		return
	}
	one := func(in, name string) bool { return in == set && name == kernel }
	for _, p := range k.ref.developed(s, k.now[i], one) {
		k.problem("after build %s: %s", selector, p)
	}
}

// watched waits until the watch has built what its checkout holds now.
func (k *soak) watched() error {
	select {
	case <-k.watch.gone: // killed with everything, or by the round
		k.watch.wait()
		k.startWatch()
	default:
	}
	// A failure while the compiler was ill waits for the next save, of something
	// that changes every object.
	v := &k.now[2]
	v.Step = v.Step%steps + 1
	if err := k.ref.learn(*v); err != nil {
		return err
	}
	if err := k.sites[2].write(*v); err != nil {
		return err
	}
	all := func(string, string) bool { return true }
	var wrong []string
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		if wrong = k.ref.developed(k.sites[2], *v, all); len(wrong) == 0 {
			k.did("watch up to date")
			return nil
		}
	}
	text, _ := os.ReadFile(k.watch.out.Name())
	k.problem("the watch does not build what is saved: %s: %s", strings.Join(wrong, "; "), tail(string(text)))
	return nil
}

// end stops the watch and looks for what is left, and whether anything grows that
// should not.
func (k *soak) end() {
	k.round++
	if err := k.watched(); err != nil {
		k.problem("%v", err)
	}
	syscall.Kill(k.watch.cmd.Process.Pid, syscall.SIGINT)
	if e := k.watch.wait(); e.code != 0 {
		k.problem("the watch ends with %s: %s", e.exit(), tail(e.text))
	}
	k.sites[0].do("cache:verify") // what was damaged last and nobody has read since
	before, _ := os.ReadDir(filepath.Join(k.sites[0].cache, "quarantine"))
	if len(before) > 2*k.damaged {
		k.problem("%d files in quarantine after %d were damaged", len(before), k.damaged)
	}
	for i, s := range k.sites[:2] {
		os.RemoveAll(s.path("dist"))
		for _, args := range [][]string{{"release"}, {"build", "toy+*"}, {"cache:verify"}} {
			if e := s.do(args...); e.code != 0 {
				k.problem("at the end %s ends with %s: %s", args[0], e.exit(), tail(e.text))
			}
		}
		all := func(string, string) bool { return true }
		for _, p := range append(k.ref.released(s, k.now[i]), k.ref.developed(s, k.now[i], all)...) {
			k.problem("at the end: %s", p)
		}
		for _, left := range s.leftovers() {
			k.problem("at the end: %s", left)
		}
	}
	after, _ := os.ReadDir(filepath.Join(k.sites[0].cache, "quarantine"))
	if len(after) > len(before) {
		k.problem("the quarantine grows from %d to %d files without damage", len(before), len(after))
	}
	for _, left := range k.sites[2].leftovers() {
		k.problem("at the end: %s", left)
	}
}
