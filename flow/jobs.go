package flow

import (
	"errors"
	"os"

	"kmx/engine"
)

// engineOptions are how many processes a run may start at a time, and what they
// may take: as the choice -jobs says, else as the make that has started kmx
// shares out jobs, else one for each processor. The caller calls done when the
// run is over.
func (p *Project) engineOptions(jobs int, lim limits) (o engine.Options, done func()) {
	o = engine.Options{Root: p.Root, Jobs: jobs, Memory: lim.memory, Timeout: lim.action}
	if jobs > 0 {
		return o, func() {}
	}
	server, err := engine.OpenJobserver(os.Getenv("MAKEFLAGS"))
	if err != nil {
		hint := "-jobs=N goes without it"
		if bad := (*engine.JobserverError)(nil); errors.As(err, &bad) && bad.Unmarked {
			hint = "begin the line of the recipe with +, or give -jobs=N"
		}
		p.Warn(err.Error() + "; one process at a time is run (" + hint + ")")
		o.Jobs = 1
		return o, func() {}
	}
	if server == nil {
		return o, func() {}
	}
	o.Jobserver = server
	p.leaving.first(server.Close)
	return o, server.Close
}
