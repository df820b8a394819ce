package flow

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"kmx/cache"
	"kmx/engine"
	"kmx/internal/diag"
	"kmx/internal/durable"
)

// buildFailure turns the engine's error into the failure of a command. The
// printer has shown each one as it happened, so only the way back is left to
// say.
func buildFailure(err error, results []engine.Result, helpers map[*engine.Node]bool, o Build) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	var addresses []string
	class := diag.Cells
	var slow *engine.TimedOut
	var refused error // by the file system
	for _, r := range results {
		if r.State == engine.Skipped { // a helper of it failed, or what another cell failed of
			addresses = append(addresses, r.Node.Label)
		}
		if r.State != engine.Failed {
			continue
		}
		if !helpers[r.Node] {
			addresses = append(addresses, r.Node.Label)
		}
		var machine *engine.MachineError
		if errors.As(r.Err, &machine) {
			class = diag.IO
			if refused == nil && durable.Advice(r.Err) != "" {
				refused = r.Err
			}
		}
		errors.As(r.Err, &slow)
	}
	slices.Sort(addresses)
	f := &diag.Failure{Class: class, Err: err}
	if slow != nil {
		f.Messages = append(f.Messages, tooSlow(slow))
	}
	if refused != nil {
		f.Messages = append(f.Messages, storeRefused(refused))
	}
	switch {
	case len(addresses) > 8: // the same command builds just what is missing
		f.Rerun = "mage"
		for _, word := range os.Args[1:] {
			f.Rerun += " " + shellWord(word)
		}
	case len(addresses) > 0:
		f.Rerun = o.again(strings.Join(addresses, ","))
	}
	return f
}

// storeRefused says what helps when the file system of the cache refused a
// build, which happens to all cells alike.
func storeRefused(err error) diag.Message {
	dir, _ := cache.DefaultDir()
	if durable.NoRoom(err) {
		return diag.Message{
			Summary: fmt.Sprintf("the disk of the cache is full: %s", dir),
			Hint:    "make room there (mage cache:gc removes what was not used lately), or set KMX_CACHE to a directory on another disk",
		}
	}
	return diag.Message{Summary: fmt.Sprintf("the cache cannot be written: %s", dir), Hint: elsewhere}
}
