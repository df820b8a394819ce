package flow

import (
	"context"
	"fmt"
)

// Faults are the choices of faults; zero ones are left to the program.
type Faults struct {
	Rows, Soak, Markdown string
	Moments, Seed        int
	AllowMissing         bool
}

// Faults shows what kmx does when something goes wrong, with a program of its
// own that runs the front door in a throw-away project.
func (p *Project) Faults(ctx context.Context, f Faults) error {
	args := []string{"run", "./cmd/kmx-faults"}
	for _, choice := range []struct{ name, value string }{{"rows", f.Rows}, {"soak", f.Soak}, {"markdown", f.Markdown}} {
		if choice.value != "" {
			args = append(args, "-"+choice.name+"="+choice.value)
		}
	}
	for _, choice := range []struct {
		name  string
		value int
	}{{"moments", f.Moments}, {"seed", f.Seed}} {
		if choice.value != 0 {
			args = append(args, fmt.Sprintf("-%s=%d", choice.name, choice.value))
		}
	}
	if f.AllowMissing {
		args = append(args, "-allow-missing")
	}
	return p.command(ctx, nil, "go", args...)
}
