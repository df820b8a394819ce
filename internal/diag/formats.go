package diag

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// Format names the JSON form that PrintJSON writes. It changes when a field
// is removed or changes its meaning; new fields may appear under one name.
const Format = "kmx.diag/1"

type jsonPos struct {
	Line   int `json:"line"`
	Column int `json:"column"`
	Byte   int `json:"byte"`
}

type jsonRange struct {
	File  string   `json:"file"`
	Start *jsonPos `json:"start,omitempty"`
	End   *jsonPos `json:"end,omitempty"`
}

type jsonValue struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

type jsonNote struct {
	Where *jsonRange `json:"where,omitempty"`
	Text  string     `json:"text"`
}

type jsonMessage struct {
	Severity string      `json:"severity"`
	Summary  string      `json:"summary"`
	Detail   string      `json:"detail,omitempty"`
	Where    *jsonRange  `json:"where,omitempty"`
	Values   []jsonValue `json:"values,omitempty"`
	Notes    []jsonNote  `json:"notes,omitempty"`
	Hint     string      `json:"hint,omitempty"`
}

type jsonList struct {
	Format   string        `json:"format"`
	Errors   int           `json:"errors"`
	Warnings int           `json:"warnings"`
	Messages []jsonMessage `json:"messages"`
}

// PrintJSON writes the messages as one JSON object of format kmx.diag/1.
// "messages" is always an array; a message without a place has no "where".
func PrintJSON(w io.Writer, l List) error {
	out := jsonList{Format: Format, Messages: []jsonMessage{}}
	for _, m := range l {
		if m.Severity == Error {
			out.Errors++
		} else {
			out.Warnings++
		}
		j := jsonMessage{Severity: m.Severity.String(), Summary: m.Summary, Detail: m.Detail, Where: toJSON(m.Where), Hint: m.Hint}
		for _, v := range m.Values {
			j.Values = append(j.Values, jsonValue(v))
		}
		for _, n := range m.Notes {
			j.Notes = append(j.Notes, jsonNote{toJSON(n.Where), n.Text})
		}
		out.Messages = append(out.Messages, j)
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(out)
}

func toJSON(r Range) *jsonRange {
	if r.IsZero() {
		return nil
	}
	j := &jsonRange{File: r.File}
	if r.Start.Line > 0 {
		start, end := jsonPos(r.Start), jsonPos(r.End)
		j.Start, j.End = &start, &end
	}
	return j
}

// PrintGitHub writes the messages as GitHub Actions workflow commands, which
// become annotations on the lines they name.
func PrintGitHub(w io.Writer, l List) {
	for _, m := range l {
		props := []string{}
		if r := m.Where; !r.IsZero() {
			props = append(props, "file="+property(r.File))
			if r.Start.Line > 0 {
				props = append(props, fmt.Sprintf("line=%d,col=%d", r.Start.Line, r.Start.Column))
				if r.End.Line > r.Start.Line {
					props = append(props, fmt.Sprintf("endLine=%d", r.End.Line))
				} else if r.End.Column > r.Start.Column {
					props = append(props, fmt.Sprintf("endColumn=%d", r.End.Column))
				}
			}
		}
		body := []string{clip(m.Summary)}
		if m.Detail != "" {
			body = append(body, m.Detail)
		}
		for _, v := range m.Values {
			body = append(body, v.Name+" = "+v.Text)
		}
		for _, n := range m.Notes {
			if at := n.Where.String(); at != "" {
				body = append(body, "note: "+n.Text+" ("+at+")")
			} else {
				body = append(body, "note: "+n.Text)
			}
		}
		if m.Hint != "" {
			body = append(body, "hint: "+clip(m.Hint))
		}
		head := "::" + m.Severity.String()
		if len(props) > 0 {
			head += " " + strings.Join(props, ",")
		}
		fmt.Fprintf(w, "%s::%s\n", head, data(strings.Join(body, "\n")))
	}
}

var (
	dataEscapes     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	propertyEscapes = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

func data(s string) string     { return dataEscapes.Replace(s) }
func property(s string) string { return propertyEscapes.Replace(s) }
