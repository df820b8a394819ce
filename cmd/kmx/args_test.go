package main

import (
	"strings"
	"testing"
)

func TestUpToDateAsked(t *testing.T) {
	for line, want := range map[string]string{
		"release":                 "yes",
		"release:build":           "yes",
		"release -jobs=4":         "yes",
		"release -vars=a=b,c=d":   "yes a=b,c=d",
		"release -jobs=4 -vars=x": "yes x",
		"release -vars=":          "yes",
		"":                        "",
		"-l":                      "",
		"plan":                    "",
		"release lint":            "",
		"setup release":           "",
		"release -jobs":           "",
		"release -jobs=0":         "",
		"release -jobs=-1":        "",
		"release -jobs=x":         "",
		"release -failfast":       "",
		"release -h":              "",
		"release -vars=a -vars=b": "",
		"release -unknown=1":      "",
		"release:stamp a b":       "",
		"-h release":              "",
	} {
		choices, ok := upToDateAsked(strings.Fields(line))
		got := ""
		if ok {
			got = strings.TrimSpace("yes " + choices)
		}
		if got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
	t.Setenv("MAGEFILE_HELP", "1")
	if _, ok := upToDateAsked([]string{"release"}); ok {
		t.Error("a question about a target is taken for the target")
	}
}
