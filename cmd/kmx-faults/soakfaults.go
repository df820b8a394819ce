//go:build linux

package main

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

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
