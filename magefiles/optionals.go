//go:build mage

package main

import (
	"strconv"
	"strings"

	"kmx/internal/diag"
)

// optionals are the choices of each target that has any, NAME or NAME:TYPE where the
// value is no text. Mage would refuse one that it does not know in words of its
// own and only when the turn of the target comes, or, after a target without any,
// when that has done its work. A test compares this table with the functions.
var optionals = map[string]string{
	"bench":             "cells rounds:int cold:int large:int own parts quick:bool",
	"bisect":            "good bad test toolchains again:bool jobs:int vars",
	"build":             "not jobs:int keepGoing:bool deferred:bool accept fold:bool cflags vars",
	"cache:gc":          "size age dryRun:bool",
	"cache:pin":         "remove:bool",
	"cache:verify":      "sample:int jobs:int vars",
	"ci:build":          "plan out jobs:int summary quality",
	"ci:merge":          "plan jobs:int summary before",
	"ci:plan":           "shards:int github:bool gitlab:bool json:bool selectors jobs:int memory out summary vars",
	"dlss:diff":         "json:bool all:bool check:bool vars",
	"dlss:list":         "json:bool",
	"dlss:standin":      "next:bool fault",
	"explain":           "json:bool cflags vars",
	"faults":            "rows moments:int seed:int soak markdown allowMissing:bool",
	"fold:list":         "selectors json:bool vars",
	"fold:prove":        "selectors differences:bool jobs:int vars",
	"guard":             "since not json:bool jobs:int vars",
	"install":           "dir destdir prefix archive restricted:bool vars",
	"kernels:all":       "numerics fp8:bool all:bool jobs:int keepGoing:bool deferred:bool accept fold:bool cflags vars",
	"kernels:k":         "numerics fp8:bool all:bool jobs:int keepGoing:bool deferred:bool fold:bool cflags vars",
	"kernels:m":         "numerics fp8:bool all:bool jobs:int keepGoing:bool deferred:bool fold:bool cflags vars",
	"kernels:tex":       "numerics fp8:bool all:bool jobs:int keepGoing:bool deferred:bool accept fold:bool cflags vars",
	"log:criticalpath":  "log json:bool",
	"log:diff":          "json:bool",
	"log:slowest":       "log n:int json:bool",
	"log:whatfailed":    "log json:bool",
	"log:whatran":       "log json:bool",
	"matrix:blame":      "json:bool cflags vars",
	"matrix:check":      "json:bool vars",
	"matrix:diff":       "json:bool check:bool vars",
	"matrix:fmt":        "check:bool",
	"matrix:list":       "selectors families:bool axes:bool targets:bool variables:bool sets:bool json:bool vars",
	"matrix:schema":     "json:bool",
	"matrix:show":       "vars",
	"plan":              "selectors commands:bool json:bool all:bool check:bool fold:bool jobs:int vars",
	"release:build":     "jobs:int failFast:bool deferred:bool accept fold:bool vars",
	"release:diff":      "markdown:bool json:bool check:bool",
	"release:pack":      "dir out only key builder vars",
	"release:reproduce": "selectors jobs:int keep:bool vars",
	"release:select":    "ini set topology libraries json:bool check:bool",
	"release:stamp":     "accept",
	"release:verify":    "requireSignature date",
	"report":            "log o against trace",
	"tex:diff":          "all:bool vars",
	"uninstall":         "destdir prefix",
	"validate:compare":  "capture check:bool",
	"validate:generate": "size shift seed:int stress:bool",
	"validate:model":    "out mode generation:int ulp:int workers:int",
	"validate:mutate":   "seed:int n:int jobs:int report why kernels places list:bool",
	"validate:nvidia":   "out ptxas only limit",
	"validate:profile":  "warm:int",
	"validate:psnr":     "size exclude atLeast:float64",
	"validate:replay":   "out order ulp:int gridX:int gridY:int noPrep:bool workers:int",
	"validate:stats":    "selectors again:bool json:bool jobs:int workers:int vars",
	"watch":             "not jobs:int cflags vars",

	// The aliases.
	"release":           "jobs:int failFast:bool deferred:bool accept fold:bool vars",
	"log:what-ran":      "log json:bool",
	"log:what-failed":   "log json:bool",
	"log:critical-path": "log json:bool",
}

// checkChoice refuses a choice, such as -jobs=4, that a target does not have. It
// is looked at as Mage does: without regard to case, a bool may lack its value.
func checkChoice(target, given string) error {
	declared := strings.Fields(optionals[strings.ToLower(target)])
	if len(declared) == 0 {
		return diag.Failf(diag.Usage, "", "%s takes no choices, given: %s", target, given)
	}
	word, value, valued := strings.Cut(given[1:], "=")
	var known []string
	for _, d := range declared {
		name, kind, _ := strings.Cut(d, ":")
		known = append(known, "-"+name)
		if !strings.EqualFold(name, word) {
			continue
		}
		var err error
		switch {
		case !valued && kind != "bool":
			return diag.Failf(diag.Usage, "-"+name+"=VALUE, with no space", "-%s of %s needs a value", name, target)
		case !valued:
		case kind == "bool":
			_, err = strconv.ParseBool(value)
		case kind == "int":
			_, err = strconv.Atoi(value)
		case kind == "float64":
			_, err = strconv.ParseFloat(value, 64)
		}
		if err != nil {
			what := map[string]string{"bool": "true or false", "int": "a whole number", "float64": "a number"}[kind]
			return diag.Failf(diag.Usage, "", "-%s of %s must be %s, not %q", name, target, what, value)
		}
		return nil
	}
	meant := strings.ToLower("-" + strings.TrimLeft(word, "-"))
	hint := diag.DidYouMean(meant, known)
	for _, name := range known { // one that is cut short, or has a dash too many
		if len(meant) > 2 && strings.HasPrefix(strings.ToLower(name), meant) {
			hint = "did you mean " + name + "?"
			break
		}
	}
	if hint == "" {
		hint = "it has " + diag.And(known) + "; mage -h " + target + " explains them"
	}
	return diag.Failf(diag.Usage, hint, "%s has no choice -%s", target, word)
}
