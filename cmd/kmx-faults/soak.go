//go:build linux

package main

import (
	"fmt"
	"io/fs"
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

// disturbed runs a few commands at once, with a fault or none.
func (k *soak) disturbed(r *rand.Rand) error {
	f := k.ill(r)
	if err := k.lab.setFault(f); err != nil {
		return err
	}
	k.harm(r)
	var running []*command
	for range 1 + r.IntN(3) {
		s := k.sites[r.IntN(2)]
		args := k.command(r)
		k.did(args[0])
		running = append(running, s.start(args...))
	}
	if r.IntN(3) == 0 {
		k.did("cache:gc beside it")
		k.age(r)
		running = append(running, k.sites[0].start("cache:gc", "-size=0", "-age=1d"))
	}
	if r.IntN(2) == 0 {
		time.Sleep(time.Duration(r.IntN(1500)) * time.Millisecond)
		k.strike(r, running)
	}
	for _, c := range running {
		e := c.wait()
		if e.hung {
			k.problem("a command hangs: %s", tail(e.text))
		}
		if strings.Contains(e.text, "panic") || strings.Contains(e.text, "goroutine ") {
			k.problem("it panics: %s", tail(e.text))
		}
		k.did("ends with " + e.exit())
	}
	return nil
}

func (k *soak) command(r *rand.Rand) []string {
	jobs := fmt.Sprintf("-jobs=%d", 1+r.IntN(8))
	switch r.IntN(8) {
	case 0, 1, 2:
		return []string{"release", jobs}
	case 3:
		return []string{"release", jobs, "-failFast"}
	case 4:
		return []string{"kernels:all", []string{"gfx1101", "gfx12", "all"}[r.IntN(3)], jobs}
	case 5:
		return []string{"cache:verify"}
	default:
		selector := []string{"toy", "toy+*", "toy/m*@gfx12+*", "toy/add@gfx1101", "toy@gfx11+accuracy"}[r.IntN(5)]
		return []string{"build", selector, jobs, "-keepGoing"}
	}
}

// ill chooses what is wrong with the compiler, mostly nothing.
func (k *soak) ill(r *rand.Rand) fault {
	f := fault{Delay: time.Duration(r.IntN(60)) * time.Millisecond}
	if r.IntN(3) > 0 {
		return f
	}
	all := []string{nothing, noList, otherGPU, garbage, half, loudError, crashes, killed, killedOnce, daemon, wanders}
	f.What, f.Kernel = all[r.IntN(len(all))], kernels[r.IntN(len(kernels))]
	k.did("compiler: " + f.What)
	return f
}

// strike kills or signals something.
func (k *soak) strike(r *rand.Rand, running []*command) {
	victim := running[r.IntN(len(running))].cmd.Process.Pid
	switch r.IntN(6) {
	case 0:
		k.did("kill -9 of kmx")
		syscall.Kill(victim, syscall.SIGKILL)
	case 1:
		k.did("kill -9 of a compiler")
		if list := compilers(victim); len(list) > 0 {
			syscall.Kill(list[r.IntN(len(list))].pid, syscall.SIGKILL)
		}
	case 2:
		k.did("kill -9 of everything")
		killAll()
	case 3:
		k.did("kill -9 of the watch")
		syscall.Kill(k.watch.cmd.Process.Pid, syscall.SIGKILL)
	default:
		s := []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP}[r.IntN(3)]
		k.did(s.String())
		syscall.Kill(victim, s)
	}
}

// harm damages files, and leaves others behind.
func (k *soak) harm(r *rand.Rand) {
	s := k.sites[r.IntN(2)]
	switch r.IntN(4) {
	case 0:
		for range 1 + r.IntN(3) {
			kinds := kinds()
			c := kinds[r.IntN(len(kinds))]
			root := s.cache
			if c.dist {
				root = s.path("dist/" + releaseName)
			}
			found, _ := filepath.Glob(filepath.Join(root, c.pattern))
			if len(found) == 0 {
				continue
			}
			w := ways()[r.IntN(len(ways()))]
			if w.do(found[r.IntN(len(found))], r) == nil {
				k.did("damage: " + c.name)
				k.damaged++
			}
		}
	case 1:
		for _, dir := range []string{s.cache, filepath.Join(s.cache, "tmp"), filepath.Join(s.cache, "pins"), s.path("dist"), s.path("dist/dev/gfx1101")} {
			os.WriteFile(filepath.Join(dir, fmt.Sprintf(".kmx-tmp-1-%016x", r.Uint64())), []byte("half"), 0o644)
		}
		old := time.Now().Add(-48 * time.Hour)
		left, _ := filepath.Glob(filepath.Join(s.cache, "tmp", ".kmx-tmp-*"))
		for _, path := range left { // nobody can be asked about these
			os.Chtimes(path, old, old)
		}
		os.WriteFile(filepath.Join(s.cache, "lock", fmt.Sprintf("%064x", r.Uint64())), nil, 0o644)
		k.did("leftovers")
	}
}

// age makes some blobs and records look as if nobody had used them for long, or
// as if the clock had been set back since.
func (k *soak) age(r *rand.Rand) {
	for _, kind := range []string{"cas", "act"} {
		filepath.WalkDir(filepath.Join(k.sites[0].cache, kind), func(path string, e fs.DirEntry, err error) error {
			if err == nil && !e.IsDir() && r.IntN(3) > 0 {
				then := time.Now().Add(time.Duration(r.IntN(60*24)-40*24) * time.Hour)
				os.Chtimes(path, then, then)
			}
			return nil
		})
	}
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
