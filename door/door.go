// Package door is the compiled front door of a checkout: two programs in bin/.
//
// bin/kmx is small and answers the one question that is asked most, "is the
// release up to date?", from a snapshot; for anything else the process becomes
// bin/kmx-mage, the Mage targets compiled. Beside them lies bin/kmx.sources,
// which says what they were compiled from.
//
// Invariants:
//   - A door whose sources have other bytes, or other names, than those it was
//     compiled from is not fresh. Stats only shorten the comparison: where one
//     differs, the bytes decide.
//   - What is in bin/ changes by renames under a lock, and kmx.sources comes
//     last, so a compilation that was cut short leaves a door that is not fresh.
//
// What does not belong here: what the targets do (flow), and anything that the
// small program would have to load without using it.
package door

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
)

// A Door is that of the checkout at an absolute path.
type Door struct{ root string }

// Of returns the door of a checkout, whether or not it has been compiled.
func Of(root string) Door { return Door{root} }

// Around returns the door that the program at exe belongs to. ok is false for a
// program that lies elsewhere: it is an installed one, which has no sources.
func Around(exe string) (d Door, ok bool) {
	bin := filepath.Dir(exe)
	if filepath.Base(bin) != "bin" {
		return Door{}, false
	}
	d = Of(filepath.Dir(bin))
	return d, d.HasSources()
}

// HasSources tells whether the checkout is one of kmx itself, which a door can
// be compiled from, and not of a project that uses an installed kmx.
func (d Door) HasSources() bool {
	info, err := os.Stat(filepath.Join(d.root, "magefiles"))
	return err == nil && info.IsDir()
}

// Fast is the absolute path of the small program.
func (d Door) Fast() string { return filepath.Join(d.root, "bin", program("kmx")) }

// Main is the absolute path of the program with all targets.
func (d Door) Main() string { return Beside(d.Fast()) }

// Beside is where the program with all targets lies for a small one at exe.
func Beside(exe string) string { return filepath.Join(filepath.Dir(exe), program("kmx-mage")) }

func program(name string) string {
	if runtime.GOOS == "windows" {
		return name + ".exe"
	}
	return name
}

// Vouch says in the environment that this process has found the door fresh. It
// holds for this process only, which may become the program with all targets:
// looking twice takes twice the time.
func Vouch() error { return os.Setenv(vouched, strconv.Itoa(os.Getpid())) }

// Vouched tells whether Vouch was called in this process, before it became this
// program. Those that it starts are not told.
func Vouched() bool {
	is := os.Getenv(vouched) == strconv.Itoa(os.Getpid())
	_ = os.Unsetenv(vouched)
	return is
}

// It is no setting, so its name is not like those of settings.
const vouched = "_KMX_FRESH"

func (d Door) record() string { return filepath.Join(d.root, "bin", "kmx.sources") }

// name is the small program as people call it.
func (d Door) name() string { return "bin/" + program("kmx") }
