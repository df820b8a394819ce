package model

import "fmt"

// Stage is the values of one step of a layer in one work-group, as f16 at the
// point where the layer rounds them.
type Stage struct {
	// Name says which: "x0", "norm1.sum", "h1", "head1.scores", "x1", "y" ...
	Name string
	Values
}

// Trace collects the stages of one work-group, to see where a kernel leaves
// the model. The stages of an M layer's attention are listed window by window.
type Trace struct {
	BX, BY int // the work-group
	Stages []Stage
}

// Find is the stage of that name.
func (t *Trace) Find(name string) (Stage, error) {
	var names []string
	for _, s := range t.Stages {
		if s.Name == name {
			return s, nil
		}
		names = append(names, s.Name)
	}
	return Stage{}, fmt.Errorf("no stage %q in work-group (%d,%d); there are %v", name, t.BX, t.BY, names)
}

// note records a stage; a nil Trace records nothing.
func (t *Trace) note(name string, v Values) {
	if t != nil {
		t.Stages = append(t.Stages, Stage{name, v})
	}
}
