package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"kmx/door"
)

// own measures a copy of this repository: a cold build of its kernels, and what
// it takes to see one line of one of them changed.
func (b *bench) own() error {
	root := filepath.Join(b.work, "own")
	if err := b.copyCheckout(root); err != nil {
		return err
	}
	d := door.Of(root)
	if err := compileDoor(d, root); err != nil {
		return err
	}
	t, err := newTree(root, filepath.Join(b.work, "own-cache"), d, b.selectors)
	if err != nil {
		return err
	}
	turns, found, err := b.coldBuilds(t, "kernels of this repository", b.cold, true, true)
	if err != nil {
		return err
	}
	b.coldGoals(fmt.Sprintf("%d kernels of this repository", len(t.commands)), 0.93, true, turns, found)
	return b.oneLine(t)
}

// copyCheckout copies what git would, as it is now.
func (b *bench) copyCheckout(to string) error {
	cmd := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	cmd.Dir = b.root
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("git ls-files: %w", err)
	}
	for _, name := range strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		info, err := os.Lstat(filepath.Join(b.root, name))
		if err != nil || !info.Mode().IsRegular() {
			continue // removed, and not committed so; or a link
		}
		if err := copyFile(filepath.Join(b.root, name), filepath.Join(to, name)); err != nil {
			return err
		}
	}
	return nil
}

// compileDoor calls setup in a checkout as people do.
func compileDoor(d door.Door, root string) error {
	cmd := exec.Command("go", "tool", "mage", "setup")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go tool mage setup: %w\n%s", err, out)
	}
	_, ok := d.Fresh()
	if !ok {
		return fmt.Errorf("the front door in %s is not fresh", root)
	}
	return nil
}

// oneLine measures `kernels:m gfx1201` after a line of a source was changed: the
// whole, and how much of it no compiler ran.
func (b *bench) oneLine(t *tree) error {
	source := ""
	for _, c := range t.commands {
		if strings.HasPrefix(c.source, "kernels/m/") && strings.Contains(c.line, "=gfx1201 ") {
			source = filepath.Join(t.root, filepath.FromSlash(c.source))
			break
		}
	}
	if source == "" {
		return fmt.Errorf("no kernel of family m is for gfx1201")
	}
	original, err := os.ReadFile(source)
	if err != nil {
		return err
	}
	target := []string{"kernels:m", "gfx1201"}
	direct := t.kmx("bin/kmx kernels:m gfx1201", target...)
	mage := t.kmx("go tool mage kernels:m gfx1201", target...)
	mage.argv = append([]string{"go", "tool", "mage"}, target...)
	n := 0
	outside := map[string][]turn{}
	for _, c := range []*contender{direct, mage} {
		if _, err := c.run(); err != nil { // everything else is built, and Mage's program compiled
			return err
		}
		c.before = func() error {
			n++
			text := fmt.Appendf(original[:len(original):len(original)], "[[maybe_unused]] constexpr int kmx_bench_line = %d;\n", n)
			return os.WriteFile(source, text, 0o644)
		}
		c.after = func(took turn) error {
			told, err := lastBuild(t.store)
			if err == nil && told.ran == 0 {
				err = fmt.Errorf("a changed line made no compiler run")
			}
			outside[c.name] = append(outside[c.name], turn{wall: took.wall - told.least(), cpu: took.cpu - told.cpu})
			return err
		}
	}
	rounds := max(b.cold, 5)
	if b.quick {
		rounds = 1
	}
	turns, err := race([]*contender{direct, mage}, rounds)
	if err != nil {
		return err
	}
	fmt.Printf("one line of %s changed, medians of %d rounds\n\n", filepath.Base(source), rounds)
	fmt.Println("| as typed | wall ms | of it outside the compiler | CPU ms | of it outside the compiler |")
	fmt.Println("|---|---|---|---|---|")
	for _, c := range []*contender{direct, mage} {
		fmt.Printf("| %s | %.0f | %.0f | %.0f | %.0f |\n", c.name, 1e3*typical(turns[c.name], wall), 1e3*typical(outside[c.name], wall),
			1e3*typical(turns[c.name], cpu), 1e3*typical(outside[c.name], cpu))
	}
	fmt.Println()
	return os.WriteFile(source, original, 0o644)
}
