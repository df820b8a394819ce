package engine

import (
	"fmt"
	"time"

	"kmx/cache"
)

// step does the work of Execute for a tool that is a part of this program.
func (l *local) step(j *Job) (*Outcome, error) {
	begin := time.Now()
	inputs := make(map[string][]byte, len(j.Action.Inputs))
	for _, in := range j.Action.Inputs {
		if !j.Made[in.Path] {
			return nil, &StepError{Label: j.Label, Err: fmt.Errorf("%s is a file of the project, and steps read only what others have made", in.Path)}
		}
		data, err := l.cache.Blob(in.Digest)
		if err != nil {
			return nil, &MachineError{Label: j.Label, Doing: "cannot read " + in.Path + ", which another action made", Err: err}
		}
		inputs[in.Path] = data
	}
	outputs, err := j.Tool.Step(j.Action, inputs)
	if err != nil {
		return nil, &StepError{Label: j.Label, Err: err}
	}
	out := &Outcome{}
	for _, path := range j.Action.Outputs {
		data, ok := outputs[path]
		if !ok {
			return nil, &MissingOutput{Label: j.Label, Path: path, Tool: j.Action.Tool, Why: "was not made"}
		}
		d, err := l.cache.PutBytes(data)
		if err != nil {
			return nil, &MachineError{Label: j.Label, Doing: "cannot store " + path, Err: err}
		}
		out.Outputs = append(out.Outputs, cache.Output{Path: path, Digest: d, Size: int64(len(data))})
	}
	out.Wall = time.Since(begin)
	return out, nil
}
