package flow

import "context"

// verifier is the program behind release:verify, release:diff and release:select.
// What reads archives and signatures is no part of the front door.
const verifier = "kmx-verify"

// Verify runs a verb of the verifier with the user's words and choices, as
// Validate does with those of the validator.
func (p *Project) Verify(ctx context.Context, verb string, args ...string) error {
	return p.validateWith(ctx, verifier, append([]string{verb}, args...))
}
