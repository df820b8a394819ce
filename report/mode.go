package report

import (
	"strings"

	"kmx/internal/diag"
)

// Modes are the values of KMX_LOG, auto first.
var Modes = []string{"auto", "tty", "plain", "json", "github"}

// choose resolves auto and refuses words that are no mode. CI=false and CI=0
// count as unset, as the programs that write them mean it.
func choose(mode string, getenv func(string) string, terminal func() bool) (string, error) {
	switch mode {
	case "tty", "plain", "json", "github":
		return mode, nil
	case "", "auto":
	default:
		hint := "modes are " + strings.Join(Modes, ", ")
		if near := diag.DidYouMean(mode, Modes); near != "" {
			hint = near + " " + hint
		}
		return "", diag.Failf(diag.Usage, hint, "no way to report is called %q", mode)
	}
	on := func(name string) bool {
		v := strings.ToLower(getenv(name))
		return v != "" && v != "false" && v != "0"
	}
	switch {
	case on("GITHUB_ACTIONS"):
		return "github", nil
	case on("CI"), getenv("TERM") == "dumb", !terminal():
		return "plain", nil
	}
	return "tty", nil
}

// GitHub reports whether the run is watched through GitHub Actions, or is told
// to look like that: then diagnostics are annotations as well.
func GitHub(getenv func(string) string) bool {
	mode, err := choose(getenv("KMX_LOG"), getenv, func() bool { return false })
	return err == nil && mode == "github"
}
