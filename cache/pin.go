package cache

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"kmx/internal/durable"
)

// PinFormat is the version of pins that this program writes and reads.
const PinFormat = "kmx.pin/1"

// A Pin keeps what a release was made of from being collected, however old it
// gets. There is one for each folder of a release.
type Pin struct {
	Format string    `json:"format"` // PinFormat; Pin sets it
	Dir    string    `json:"dir"`    // of the release, absolute
	Held   bool      `json:"held"`   // until it is taken away by hand; otherwise as long as Dir exists
	Made   time.Time `json:"made"`
	Keys   []Digest  `json:"keys"`  // of records
	Blobs  []Digest  `json:"blobs"` // their outputs
}

// The file of a pin is a line of JSON and a line with its digest: a damaged
// pin must not look like one that keeps less.

func (c *Cache) pinFile(dir string) (path, abs string, err error) {
	abs, err = filepath.Abs(dir)
	return c.path("pins", Sum([]byte(abs)).String()[:16]), abs, err
}

// Pin writes p in the place of an older pin of the same folder. What was held
// by hand stays held.
func (c *Cache) Pin(p Pin) error {
	path, abs, err := c.pinFile(p.Dir)
	if err != nil {
		return fmt.Errorf("pin a release: %w", err)
	}
	if old, err := readPin(path); err == nil && old.Held {
		p.Held = true
	}
	p.Format, p.Dir = PinFormat, abs
	if p.Made.IsZero() {
		p.Made = c.now().UTC()
	}
	b, err := json.Marshal(p)
	if err != nil {
		return fmt.Errorf("pin a release: %w", err)
	}
	b = append(b, '\n')
	b = fmt.Appendf(b, "%s\n", Sum(b))
	if err := os.MkdirAll(c.path("pins"), 0o777); err != nil {
		return fmt.Errorf("pin a release: %w", err)
	}
	if err := writeFile(path, b); err != nil {
		return fmt.Errorf("pin a release: %w", err)
	}
	return nil
}

// Unpin takes the pin of a folder away and tells whether there was one.
func (c *Cache) Unpin(dir string) (bool, error) {
	path, _, err := c.pinFile(dir)
	if err == nil {
		err = os.Remove(path)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("take a pin away: %w", err)
	}
	return true, nil
}

// Pins returns all pins, by folder. The error names every file that cannot be
// understood; the others are returned all the same.
func (c *Cache) Pins() ([]Pin, error) {
	entries, err := os.ReadDir(c.path("pins"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read the pins: %w", err)
	}
	var pins []Pin
	var bad []error
	for _, e := range entries {
		if durable.IsTemp(e.Name()) {
			continue
		}
		p, err := readPin(c.path("pins", e.Name()))
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			bad = append(bad, fmt.Errorf("the pin %s is damaged (%w)", c.path("pins", e.Name()), err))
		default:
			pins = append(pins, p)
		}
	}
	slices.SortFunc(pins, func(a, b Pin) int { return strings.Compare(a.Dir, b.Dir) })
	return pins, errors.Join(bad...)
}

func readPin(path string) (Pin, error) {
	var p Pin
	b, err := os.ReadFile(path)
	if err != nil {
		return p, err
	}
	body, ok := unseal(b)
	if !ok {
		return p, errDamaged
	}
	if err := json.Unmarshal(bytes.TrimSpace(body), &p); err != nil {
		return p, err
	}
	if p.Format != PinFormat {
		return p, fmt.Errorf("format %.40q, want %s", p.Format, PinFormat)
	}
	return p, nil
}

// over tells whether the pin has nothing left to keep: its release is gone.
func (p Pin) over() bool {
	if p.Held {
		return false
	}
	_, err := os.Lstat(p.Dir)
	return errors.Is(err, fs.ErrNotExist)
}

// kept lists what pins keep. Pins of releases that are gone are dropped,
// unless only looking.
func (c *Cache) kept(look bool) (map[Digest]bool, error) {
	pins, err := c.Pins()
	if err != nil {
		return nil, err
	}
	keep := map[Digest]bool{}
	for _, p := range pins {
		if p.over() {
			if !look {
				if _, err := c.Unpin(p.Dir); err != nil {
					return nil, err
				}
			}
			continue
		}
		for _, d := range slices.Concat(p.Keys, p.Blobs) {
			keep[d] = true
		}
	}
	return keep, nil
}
