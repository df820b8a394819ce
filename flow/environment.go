package flow

import (
	"os"
	"slices"
	"strings"

	"kmx/internal/diag"
)

// ownPrefix begins the names of variables that are for kmx and nobody else.
const ownPrefix = "KMX_"

// ownVariables are those that kmx reads, whatever the matrix says. docs/cli.md
// has their meaning.
var ownVariables = []string{
	"KMX_CACHE", "KMX_CACHE_SIZE", "KMX_DRIVER", foldEnv, lockedEnv, "KMX_LOG", "KMX_MEMORY", modulesEnv, offlineEnv,
	"KMX_SIGN_KEY", "KMX_SIGN_PASSPHRASE", "KMX_TIMEOUT", "KMX_TOOLCHAINS",
}

// warnUnknown tells of variables that nobody reads: KMX_LOCK=1 would be taken
// for a promise. The matrix may name some of its own.
func (p *Project) warnUnknown(environ []string) {
	matrix, err := os.ReadFile(p.path(matrixFile))
	if err != nil {
		return // what is wrong with it is told by who needs it
	}
	var unknown []string
	for _, e := range environ {
		name, _, _ := strings.Cut(e, "=")
		if strings.HasPrefix(name, ownPrefix) && !strings.HasPrefix(name, ownPrefix+"TEST") &&
			!slices.Contains(ownVariables, name) && !strings.Contains(string(matrix), `"`+name+`"`) {
			unknown = append(unknown, name)
		}
	}
	slices.Sort(unknown)
	for _, name := range unknown {
		text := "nobody reads the environment variable " + name
		if near := diag.DidYouMean(name, ownVariables); near != "" {
			text += "; " + near
		}
		p.Warn(text)
	}
}
