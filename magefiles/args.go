//go:build mage

package main

import (
	"os"
	"strconv"
	"strings"

	"kmx/internal/diag"
)

// positionals says how many words each target takes. Mage runs the targets of
// a command line one after the other and looks at a word only when its turn
// comes, so that a word too many would be refused after the work is done.
// A test compares this table with the functions.
var positionals = map[string]int{
	"build": 1, "watch": 1, "guard": 1, "bisect": 1, "clean": 0, "bench": 0, "faults": 0, "explain": 1, "lint": 0, "plan": 0, "setup": 0, "test": 0,
	"release": 0, "release:build": 0, "release:stamp": 2, "release:verify": 1, "release:diff": 2, "release:select": 1, "release:reproduce": 0, "release:pack": 0, "install": 0, "uninstall": 0,
	"kernels:k": 1, "kernels:m": 1, "kernels:tex": 1, "kernels:all": 1,
	"matrix:list": 0, "matrix:show": 0, "matrix:fmt": 0, "matrix:schema": 0, "matrix:diff": 2, "matrix:check": 0, "matrix:blame": 1,
	"fold:prove": 0, "fold:list": 0,
	"ci:plan": 0, "ci:build": 1, "ci:merge": 1,
	"dlss:list": 1, "dlss:diff": 2, "dlss:standin": 1, "tex:diff": 1,
	"toolchains:list": 0, "toolchains:lock": 0,
	"validate:replay": 2, "validate:model": 1, "validate:compare": 2, "validate:psnr": 2, "validate:profile": 2, "validate:generate": 2, "validate:mutate": 0, "validate:nvidia": 0,
	"validate:stats": 0, "cache:stats": 0, "cache:gc": 0, "cache:verify": 0, "cache:pin": 1,
	"report": 0, "log:whatran": 0, "log:what-ran": 0, "log:whatfailed": 0, "log:what-failed": 0, "log:slowest": 0,
	"log:criticalpath": 0, "log:critical-path": 0, "log:diff": 2,
}

// checkArgs refuses a command line that Mage would refuse half-way.
func checkArgs(args []string) error {
	i := firstTarget(append([]string{""}, args...))
	if i == 0 {
		return nil
	}
	args = args[i-1:]
	last := ""
	for len(args) > 0 {
		word := args[0]
		args = args[1:]
		n, known := positionals[strings.ToLower(word)]
		switch {
		case word == "-h" || word == "-help" || word == "--help":
			return diag.Failf(diag.Usage, "mage -h "+last, "help comes before the target")
		case !known:
			hint := "several values are one argument, separated by commas"
			if near := diag.DidYouMean(word, targets()); near != "" {
				hint = near
			}
			return diag.Failf(diag.Usage, hint, "%q is one word too many for %s, and no target", word, last)
		}
		for _, value := range args[:min(n, len(args))] {
			if value == "-h" || value == "-help" || value == "--help" {
				return diag.Failf(diag.Usage, "mage -h "+word, "help comes before the target")
			}
			if strings.HasPrefix(value, "-") {
				return diag.Failf(diag.Usage, "choices follow the arguments: mage "+word+" ARGUMENT "+value,
					"%s stands where an argument of %s belongs", value, word)
			}
		}
		if n > len(args) {
			return diag.Failf(diag.Usage, "mage -h "+word+" says what it takes", "%s takes %s, given: %d", word, arguments(n), len(args))
		}
		last, args = word, args[n:]
		for len(args) > 0 && strings.HasPrefix(args[0], "-") && !strings.HasSuffix(args[0], "help") && args[0] != "-h" {
			if err := checkChoice(word, args[0]); err != nil {
				return err
			}
			args = args[1:]
		}
	}
	return nil
}

func arguments(n int) string {
	if n == 1 {
		return "1 argument"
	}
	return strconv.Itoa(n) + " arguments"
}

// argsError is what checkArgs says of this command line.
var argsError = checkArgs(os.Args[1:])
