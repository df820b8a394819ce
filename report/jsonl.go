package report

import (
	"encoding/json"
	"io"
	"time"

	"kmx/engine"
)

// jsonl writes the events as they are, in the format that the first one names.
type jsonl struct{ w io.Writer }

func (j *jsonl) event(_ *board, e engine.Event) {
	enc := json.NewEncoder(j.w)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(e) // a reader that went away ends no build
}

func (j *jsonl) tick(*board, time.Time) {}
func (j *jsonl) close(*board)           {}
