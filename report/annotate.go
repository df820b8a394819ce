package report

import (
	"errors"
	"strings"

	"kmx/engine"
	"kmx/internal/diag"
)

// Annotations are the places at which a failure should be shown: the line of
// the matrix that declares the cell, and the first line of a source that the
// compiler complains of. rerun is the command that builds just this cell.
func Annotations(label string, err error, declared diag.Range, rerun string) diag.List {
	return failureOf(
		engine.Event{Label: label, State: engine.Failed, Error: err.Error(), Output: Said(err)},
		&Options{Declared: map[string]diag.Range{label: declared}, Rerun: func(string) string { return rerun }},
	).annotations()
}

// Said is what the tool of a failed action said on standard error, "" where the
// error is of another sort.
func Said(err error) string {
	var failed *engine.ActionError
	var slow *engine.TimedOut
	var missing *engine.MissingOutput
	switch {
	case errors.As(err, &failed):
		return strings.ToValidUTF8(failed.Stderr, "?")
	case errors.As(err, &slow):
		return strings.ToValidUTF8(slow.Stderr, "?")
	case errors.As(err, &missing):
		return strings.ToValidUTF8(missing.Stderr, "?")
	}
	return ""
}
