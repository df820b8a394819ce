package plan

import (
	"slices"
	"strconv"
	"strings"

	"kmx/matrix"
)

// variableStory tells edits of the command. Those that one variable explains
// are one cause: who set it did one thing.
type variableStory struct {
	r  *reasoner
	at map[string]int // cause by variable
}

// tell adds the edit to the causes and returns the index of its cause.
func (s *variableStory) tell(c Cause, e edit, from matrix.Origin) int {
	name, suffix := s.variable(e, from)
	if name == "" {
		c.Text = e.text() + place(s.r.Origins.Say(from))
		s.r.add(c)
		return len(s.r.causes) - 1
	}
	i, told := s.at[name]
	if !told {
		s.at[name] = len(s.r.causes)
		s.r.add(Cause{Kind: "variable", Text: "variable " + name + ": " + e.text() + place(suffix), Before: c.Before, After: c.After})
		return len(s.r.causes) - 1
	}
	t := &s.r.causes[i]
	t.Text = strings.TrimSuffix(t.Text, place(suffix)) + ", " + e.text() + place(suffix)
	t.Before = strings.TrimSpace(t.Before + " " + c.Before)
	t.After = strings.TrimSpace(t.After + " " + c.After)
	return i
}

// variable names the variable behind an edit, "" if it is none's doing, and
// where its present value comes from.
func (s *variableStory) variable(e edit, from matrix.Origin) (name, suffix string) {
	changes := s.r.Variables
	if e.how != removed {
		for _, v := range s.r.Origins.Variables(from) {
			switch {
			case changes == nil && v.Differs:
				return v.Name, Given(v)
			case changes != nil && slices.ContainsFunc(changes.Changed, func(c VariableChange) bool { return c.Name == v.Name }):
				return v.Name, Given(v)
			}
		}
	}
	if changes == nil || len(changes.Changed) == 0 {
		return "", ""
	}
	if e.how == removed {
		for _, c := range changes.Changed {
			if slices.Contains(strings.FieldsFunc(c.Before, func(r rune) bool { return strings.ContainsRune("[], ", r) }), strconv.Quote(e.before.text)) {
				return c.Name, c.story()
			}
		}
	}
	// With the same matrix nothing but a variable can have changed the command.
	if changes.SameMatrix && from.What != Mechanism {
		var names []string
		for _, c := range changes.Changed {
			names = append(names, c.Name)
		}
		return strings.Join(names, ", "), changes.Changed[0].story()
	}
	return "", ""
}

// story is how the value of the variable changed.
func (c VariableChange) story() string {
	text := c.After + ", was " + c.Before
	if c.Given != "" {
		text += ", " + c.Given
	}
	return text
}
