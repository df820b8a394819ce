package flow

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"kmx/internal/diag"
	"kmx/internal/group"
)

// Reproduce are the choices of release:reproduce.
type Reproduce struct {
	Selectors string // cells instead of the whole release
	Vars      string
	Jobs      int  // of the second build; the first has one
	Keep      bool // leave both trees
}

// conditions are what no object may depend on. Each build has a copy of the
// project and a cache of its own, in which the compilers run.
type conditions struct {
	place  string // folder of the tree, the cache and what is temporary
	tmp    string
	umask  string // octal
	zone   string // TZ; the two are 26 hours apart, so their dates always differ
	locale string
	jobs   int
}

func (c conditions) tree() string  { return filepath.Join(c.place, "tree") }
func (c conditions) cache() string { return filepath.Join(c.place, "cache") }

// condition is one of them, to be changed alone.
type condition struct {
	name   string
	change func(c *conditions, to conditions)
}

var allConditions = []condition{
	{"path", func(c *conditions, to conditions) { c.place = to.place }},
	{"TMPDIR", func(c *conditions, to conditions) { c.tmp = to.tmp }},
	{"umask", func(c *conditions, to conditions) { c.umask = to.umask }},
	{"TZ", func(c *conditions, to conditions) { c.zone = to.zone }},
	{"locale", func(c *conditions, to conditions) { c.locale = to.locale }},
	{"-jobs", func(c *conditions, to conditions) { c.jobs = to.jobs }},
}

// Reproduce builds the release, or some cells, twice from copies of this tree,
// under conditions that differ in everything that must not matter, and compares
// all files. What differs is built again with one condition changed at a time. A
// difference is a failure of class Verify that names the cause and what cures it.
func (p *Project) Reproduce(ctx context.Context, o Reproduce) error {
	if err := (Build{Jobs: o.Jobs}).check(); err != nil {
		return err
	}
	exe, err := os.Executable()
	if err != nil {
		return diag.Failf(diag.IO, "", "the front door cannot be started again: %w", err)
	}
	base, err := os.MkdirTemp("", "kmx-reproduce-")
	if err != nil {
		return diag.Failf(diag.IO, "", "no place for two trees: %w", err)
	}
	if real, err := filepath.EvalSymlinks(base); err == nil {
		base = real
	}
	if o.Keep {
		p.Say("both trees stay in %s", base)
	} else {
		defer os.RemoveAll(base)
	}
	if o.Jobs == 0 {
		o.Jobs = max(2, runtime.NumCPU())
	}
	r := &reproduction{p: p, exe: exe, o: o}
	r.first = conditions{filepath.Join(base, "a"), filepath.Join(base, "a", "tmp"), "022", "A12", "C", 1}
	r.second = conditions{filepath.Join(base, "another place", "deeper"), filepath.Join(base, "t"), "077", "B-14", "tr_TR.UTF-8", o.Jobs}
	for _, c := range []conditions{r.first, r.second} {
		if err := copyProject(p.Root, c.tree(), base); err != nil {
			return diag.Failf(diag.IO, "", "the project cannot be copied: %w", err)
		}
		p.Say("building in %s (TMPDIR %s, umask %s, TZ %s, locale %s, -jobs=%d)", shellWord(c.tree()), c.tmp, c.umask, c.zone, c.locale, c.jobs)
		if err := r.build(ctx, c, o.Selectors, false); err != nil {
			return err
		}
	}
	found, total, err := compareTrees(filepath.Join(r.first.tree(), "dist"), filepath.Join(r.second.tree(), "dist"))
	if err != nil {
		return err
	}
	if total == 0 {
		return diag.Failf(diag.Verify, "", "nothing was built, so nothing is proven")
	}
	if len(found) == 0 {
		p.Say("reproduced: %s, equal in bytes and modes", count(total, "file"))
		return nil
	}
	return r.explain(ctx, found, total)
}

// reproduction is two builds and what is found out about them.
type reproduction struct {
	p             *Project
	exe           string
	o             Reproduce
	first, second conditions
}

// build runs the front door under conditions, with a cache that is empty.
func (r *reproduction) build(ctx context.Context, c conditions, selectors string, quiet bool) error {
	for _, dir := range []string{c.cache(), filepath.Join(c.tree(), "dist")} {
		if err := os.RemoveAll(dir); err != nil {
			return diag.Failf(diag.IO, "", "%w", err)
		}
	}
	if err := os.MkdirAll(c.tmp, 0o700); err != nil {
		return diag.Failf(diag.IO, "", "%w", err)
	}
	args := []string{"release"}
	if selectors != "" {
		args = []string{"build", selectors}
	}
	args = append(args, fmt.Sprintf("-jobs=%d", c.jobs))
	if r.o.Vars != "" {
		args = append(args, "-vars="+r.o.Vars)
	}
	cmd := exec.Command(r.exe, args...)
	if runtime.GOOS != "windows" {
		cmd = exec.Command("/bin/sh", append([]string{"-c", `umask "$0" && exec "$@"`, c.umask, r.exe}, args...)...)
	}
	cmd.Dir = c.tree()
	cmd.Env = c.environment(os.Environ())
	var said strings.Builder
	cmd.Stdout, cmd.Stderr = &said, &said
	if !quiet {
		cmd.Stdout, cmd.Stderr = r.p.Err, r.p.Err
	}
	if err := group.Run(ctx, cmd, grace); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return diag.Failf(diag.Cells, "", "the build in %s failed: %w%s", c.tree(), err, strings.TrimRight("\n"+said.String(), "\n"))
	}
	return nil
}

// environment is that of this process but for what the conditions say.
func (c conditions) environment(from []string) []string {
	own := map[string]string{
		"TZ": c.zone, "LC_ALL": c.locale, "LANG": c.locale, "TMPDIR": c.tmp, "TMP": c.tmp, "TEMP": c.tmp,
		"KMX_CACHE": c.cache(), "KMX_LOG": "plain", "MAKEFLAGS": "", "MFLAGS": "", "GITHUB_ACTIONS": "", foldEnv: "", "PWD": c.tree(),
	}
	env := slices.DeleteFunc(slices.Clone(from), func(e string) bool {
		name, _, _ := strings.Cut(e, "=")
		_, ours := own[name]
		return ours
	})
	for name, value := range own {
		if value != "" {
			env = append(env, name+"="+value)
		}
	}
	slices.Sort(env)
	return env
}

// changing lists the conditions that alone make one of the cells differ; "" as
// a name is a build under the very same conditions.
func (r *reproduction) changing(ctx context.Context, addresses []string, before map[string][]byte) (map[string][]string, error) {
	found := map[string][]string{}
	for _, k := range append([]condition{{name: ""}}, allConditions...) {
		c := r.first
		if k.change != nil {
			k.change(&c, r.second)
		}
		if err := r.build(ctx, c, strings.Join(addresses, ","), true); err != nil {
			return nil, err
		}
		now, err := objectsBelow(filepath.Join(c.tree(), "dist"))
		if err != nil {
			return nil, err
		}
		for _, address := range addresses {
			if string(now[address]) != string(before[address]) {
				found[address] = append(found[address], k.name)
			}
		}
	}
	return found, nil
}
