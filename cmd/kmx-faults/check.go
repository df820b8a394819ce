//go:build linux

package main

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kmx/cache"
	"kmx/internal/durable"
)

// A tree is what lies below a folder: modes and digests by path.
type tree map[string]string

func readTree(root string) (tree, error) {
	t := tree{}
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		if e.IsDir() {
			t[name] = info.Mode().String()
			return nil
		}
		data, err := os.ReadFile(path)
		t[name] = fmt.Sprintf("%s %s", info.Mode(), cache.Sum(data))
		return err
	})
	return t, err
}

// differs lists what is not as in want.
func (t tree) differs(want tree) (list []string) {
	for _, name := range slices.Sorted(maps.Keys(want)) {
		switch is, ok := t[name]; {
		case !ok:
			list = append(list, name+" is missing")
		case is != want[name]:
			list = append(list, name+" differs")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(t)) {
		if _, ok := want[name]; !ok {
			list = append(list, name+" is too much")
		}
	}
	return list
}

// whole repeats the plain commands in a site and lists everything that is not as
// if nothing had happened. dev: what is in dist/dev counts as well.
func (s *site) whole(dev bool) (problems []string) {
	if err := s.declare(); err != nil {
		return []string{err.Error()}
	}
	if err := s.lab.setFault(fault{}); err != nil {
		return []string{err.Error()}
	}
	say := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	commands := map[string][]string{"release": {"release"}}
	if dev {
		commands["build"] = []string{"build", "toy+*"}
	}
	for _, what := range slices.Sorted(maps.Keys(commands)) {
		if e := s.do(commands[what]...); e.code != 0 {
			say("a following %s ends with %s: %s", what, e.exit(), tail(e.text))
		}
	}
	for what := range commands {
		sub := map[string]string{"release": releaseName, "build": "dev"}[what]
		is, err := readTree(s.path("dist/" + sub))
		if err != nil {
			say("after a following %s: %v", what, err)
			continue
		}
		if list := is.differs(s.lab.Want[s.what(what)].below(sub)); len(list) > 0 {
			say("after a following %s: %s", what, strings.Join(list[:min(len(list), 4)], ", "))
		}
	}
	if e := s.do("cache:verify"); e.code != 0 {
		say("cache:verify ends with %s: %s", e.exit(), tail(e.text))
	}
	return append(problems, s.leftovers()...)
}

// below is the part of a tree in a folder.
func (t tree) below(folder string) tree {
	part := tree{}
	for name, what := range t {
		if rest, ok := strings.CutPrefix(name, folder+"/"); ok {
			part[rest] = what
		} else if name == folder {
			part["."] = what
		}
	}
	return part
}

// leftovers lists what no command that has ended may leave: temporary files and
// folders, locks, processes.
func (s *site) leftovers() (list []string) {
	defer func() {
		if n := len(list); n > 5 {
			list = append(list[:5], fmt.Sprintf("and %d others", n-5))
		}
	}()
	if running := settledProcesses(); len(running) > 0 {
		list = append(list, fmt.Sprintf("%d processes are left, the first is %s (%d)", len(running), running[0].name, running[0].pid))
		killAll()
	}
	for _, root := range []string{s.dir, s.cache} {
		filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
			if err != nil {
				return nil
			}
			name, parent := e.Name(), filepath.Base(filepath.Dir(path))
			switch {
			case durable.IsTemp(name), strings.Contains(name, ".kmx-tree-"), strings.HasSuffix(name, ".kmx-journal"), strings.HasSuffix(name, ".kmx-lock"),
				parent == "tmp" && root == s.cache, parent == "lock" && root == s.cache:
				list = append(list, "left behind: "+s.plain(path))
				if e.IsDir() {
					return fs.SkipDir
				}
			}
			return nil
		})
	}
	return list
}

// tail is the end of what was said, on one line.
func tail(text string) string {
	text = strings.Join(strings.Split(strings.TrimSpace(text), "\n"), " | ")
	if len(text) > 400 {
		text = "..." + text[len(text)-400:]
	}
	return text
}
