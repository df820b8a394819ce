package main

import (
	"os"
	"strings"
)

// upToDateAsked tells whether these arguments ask for a release and nothing
// that only Mage would understand, and with which choices: the values of
// -vars. How many processes a release may start, and whether it stops at the
// first failure, changes no answer.
func upToDateAsked(args []string) (choices string, ok bool) {
	if len(args) == 0 || args[0] != "release" && args[0] != "release:build" {
		return "", false
	}
	seen := map[string]bool{}
	for _, arg := range args[1:] {
		name, value, _ := strings.Cut(arg, "=")
		if seen[name] {
			return "", false
		}
		seen[name] = true
		switch {
		case name == "-jobs" && isNumber(value):
		case name == "-vars":
			choices = value
		default:
			return "", false
		}
	}
	for _, name := range []string{"MAGEFILE_LIST", "MAGEFILE_HELP"} { // they turn a target into a question
		if os.Getenv(name) != "" {
			return "", false
		}
	}
	return choices, true
}

func isNumber(s string) bool {
	return s != "" && len(s) < 6 && s[0] != '0' && strings.Trim(s, "0123456789") == ""
}
