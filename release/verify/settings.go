package verify

import (
	"fmt"
	"slices"
	"strings"

	"kmx/internal/diag"
	"kmx/internal/durable"
)

// Settings are what the bridge is told, by name.
type Settings map[string]string

// The settings that a selection depends on. "1" is on, anything else off.
const (
	dirSetting      = "D4R_ZLUDA_NATIVE_DIR"
	accuracySetting = "D4R_PREFER_ACCURACY"
	fp8Setting      = "D4R_ZLUDA_WMMA_FP8_NATIVE"
	swinSetting     = "D4R_NATIVE_SWIN_ENCODERS" // "0" is off
)

// maxSettings is the most that a d4r.ini may have.
const maxSettings = 1 << 20

// forced are the switches that the accuracy policy puts to 0, whatever is said.
// Their settings begin with D4R_ or D4R_ZLUDA_.
var forced = []string{"IGNORE_DENORMAL", "WMMA_F32ACC", "FAST_MATH", "WAVE64", "ELIDE_NGX_SYNC"}

// isForced says whether the accuracy policy decides a setting.
func isForced(name string) bool {
	name = strings.TrimPrefix(strings.TrimPrefix(name, "D4R_"), "ZLUDA_")
	return slices.Contains(forced, name)
}

func (s Settings) on(name string) bool { return s[name] == "1" }

// ReadSettings reads a d4r.ini: lines NAME=VALUE, sections in brackets, comments
// from ';' or '#' at the beginning of a line. Sections do not matter, and of a name
// that stands twice the last value counts. Every line that is none of these is told
// in one failure of class Usage.
func ReadSettings(file string) (Settings, error) {
	data, err := durable.ReadSome(file, maxSettings)
	if err != nil {
		return nil, diag.Failf(diag.Usage, "", "%w", err)
	}
	s := Settings{}
	f := &diag.Failure{Class: diag.Usage}
	n := 0
	for line := range strings.Lines(strings.TrimPrefix(string(data), "\ufeff")) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == ';' || line[0] == '#' || line[0] == '[' && strings.HasSuffix(line, "]") {
			continue
		}
		name, value, ok := strings.Cut(line, "=")
		if name = strings.TrimSpace(name); !ok || name == "" {
			f.Messages = append(f.Messages, diag.Message{Summary: fmt.Sprintf("%s:%d: %.60q is no NAME=VALUE", file, n, line)})
			continue
		}
		s[name] = unquoted(strings.TrimSpace(value))
	}
	if len(f.Messages) > 0 {
		return nil, f
	}
	return s, nil
}

// Set takes NAME=VALUE pairs, separated by commas, over what is there.
func (s Settings) Set(pairs string) error {
	for pair := range strings.SplitSeq(pairs, ",") {
		if pair == "" {
			continue
		}
		name, value, ok := strings.Cut(pair, "=")
		if !ok || name == "" {
			return diag.Failf(diag.Usage, "as in -set=D4R_PREFER_ACCURACY=1", "%q is no NAME=VALUE", pair)
		}
		s[name] = value
	}
	return nil
}

func unquoted(s string) string {
	if len(s) > 1 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1]
	}
	return s
}

// effective is the value of a setting once the policy has had its say.
func (s Settings) effective(name string) (value string, said bool) {
	if s.on(accuracySetting) && isForced(name) {
		return "0", true
	}
	value, said = s[name]
	return value, said
}
