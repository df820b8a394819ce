package ci

import (
	"encoding/json"
	"strings"

	"kmx/cache"
	"kmx/internal/diag"
)

// Quality is GitLab's code quality report of messages: an array, empty where
// there is nothing to say. Messages without a place are put at fallback, as
// GitLab shows none without one.
// (docs.gitlab.com, "Code Quality", report format.)
func Quality(list diag.List, fallback string) ([]byte, error) {
	type lines struct {
		Begin int `json:"begin"`
	}
	type location struct {
		Path  string `json:"path"`
		Lines lines  `json:"lines"`
	}
	type issue struct {
		Description string   `json:"description"`
		Check       string   `json:"check_name"`
		Fingerprint string   `json:"fingerprint"`
		Severity    string   `json:"severity"`
		Location    location `json:"location"`
	}
	issues := []issue{}
	seen := map[string]bool{}
	for _, m := range list {
		i := issue{Description: m.Summary, Check: "kmx", Severity: "critical", Location: location{m.Where.File, lines{max(1, m.Where.Start.Line)}}}
		if m.Detail != "" {
			first, _, _ := strings.Cut(m.Detail, "\n")
			i.Description += ": " + first
		}
		if m.Severity == diag.Warning {
			i.Severity = "minor"
		}
		if m.Where.IsZero() {
			i.Location.Path = fallback
		}
		// The line is not in it: a problem stays the same when lines come before it.
		i.Fingerprint = cache.Sum([]byte(i.Location.Path + "\x00" + i.Description)).String()
		if !seen[i.Fingerprint] {
			seen[i.Fingerprint] = true
			issues = append(issues, i)
		}
	}
	data, err := json.MarshalIndent(issues, "", "  ")
	return append(data, '\n'), err
}
