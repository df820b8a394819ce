package flow

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"

	"kmx/internal/diag"
	"kmx/plan"
	"kmx/toolchains"
)

// blamed is one word of a command as `matrix:blame -json` prints it, format
// kmx.blame/1.
type blamed struct {
	Text string `json:"text"`
	Env  bool   `json:"env,omitempty"` // an entry of the environment, no argument
	What string `json:"what"`          // "toolchain hip flags", "target gfx1201", "kind clang"
	// Adjust is the reason of the adjust that put it there.
	Adjust string `json:"adjust,omitempty"`
	// Where the matrix says it; absent for what kmx itself adds.
	File      string          `json:"file,omitempty"`
	Line      int             `json:"line,omitempty"`
	Column    int             `json:"column,omitempty"`
	EndLine   int             `json:"end_line,omitempty"`
	EndColumn int             `json:"end_column,omitempty"`
	Reads     []string        `json:"reads,omitempty"` // by the place and the conditions around it, as written
	Variables []blameVariable `json:"variables,omitempty"`
}

// blameVariable is a variable that the place reads.
type blameVariable struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	From  string `json:"from"` // "default", "env NAME" or "-vars"
}

// MatrixBlame prints every word of a cell's command with what put it there.
func (p *Project) MatrixBlame(address string, asJSON bool, flags, vars string) error {
	trial, err := readTrial(flags)
	if err != nil {
		return err
	}
	d, err := p.load(vars)
	if err != nil {
		return err
	}
	cells, list := d.Select(address, "")
	if list.HasErrors() {
		return &diag.Failure{Class: diag.Usage, Messages: list}
	}
	if len(cells) != 1 {
		return diag.Failf(diag.Usage, "name one of them, e.g. mage matrix:blame "+cells[0].Address(),
			"%s selects %d cells; one is looked at at a time", address, len(cells))
	}
	var words []blamed
	for _, b := range plan.BlameCell(trial.cells(cells)[0], d.Matrix, toolchains.Emitter(os.Getenv)) {
		w := blamed{Text: b.Text, Env: b.Env, What: b.What, Adjust: b.Adjust, Reads: b.Reads}
		if !b.Where.IsZero() {
			w.File = b.Where.File
			w.Line, w.Column = b.Where.Start.Line, b.Where.Start.Column
			w.EndLine, w.EndColumn = b.Where.End.Line, b.Where.End.Column
		}
		for _, v := range b.Variables {
			w.Variables = append(w.Variables, blameVariable{v.Name, v.Value, plan.Given(v)})
		}
		words = append(words, w)
	}
	if asJSON {
		e := json.NewEncoder(p.Out)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		return e.Encode(struct {
			Format  string   `json:"format"`
			Address string   `json:"address"`
			Words   []blamed `json:"words"`
		}{"kmx.blame/1", cells[0].Address(), words})
	}
	t := tabwriter.NewWriter(p.Out, 0, 0, 2, ' ', 0)
	for _, w := range words {
		text, place := shellWord(w.Text), "-"
		if w.Env {
			text = "env " + text
		}
		if w.File != "" {
			place = fmt.Sprintf("%s:%d:%d", w.File, w.Line, w.Column)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\n", text, place, w.why())
	}
	return t.Flush()
}

// why names what put the word there, for people.
func (w *blamed) why() string {
	why := w.What
	var reads []string
	for _, name := range w.Reads {
		for _, v := range w.Variables {
			if name == "var."+v.Name {
				name += " (" + v.From + ")"
			}
		}
		reads = append(reads, name)
	}
	if len(reads) > 0 {
		why += ", reads " + strings.Join(reads, " ")
	}
	return why
}
