//go:build mage

package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"kmx/flow"
	"kmx/internal/diag"
)

// Mage knows an alias only as a target to run, not as one to explain, and has
// no advice for a word that is no target. So both are looked at before it is.
func init() {
	i := firstTarget(os.Args)
	if i == 0 {
		return
	}
	help := helpWanted(os.Args[1:i])
	if help {
		os.Args[i] = withoutAlias(os.Args[i])
	}
	err := unknownTarget(os.Args[i])
	if err == nil && !help {
		err = argsError // Mage would say less of some of them
	}
	if err != nil {
		code, last := flow.Do(context.Background(), os.Stdout, os.Stderr, err, nil)
		fmt.Fprintln(os.Stderr, "Error:", last)
		os.Exit(code)
	}
}

// firstTarget is the index of the first word that is none of Mage's own flags,
// 0 when there is none. -t is the flag with a value.
func firstTarget(args []string) int {
	for i := 1; i < len(args); i++ {
		switch {
		case args[i] == "-t" || args[i] == "--t":
			i++
		case !strings.HasPrefix(args[i], "-"):
			return i
		}
	}
	return 0
}

// helpWanted tells whether Mage is going to explain a target: asked by a flag,
// or by `go tool mage`, which hands its flags on in the environment.
func helpWanted(flags []string) bool {
	on, _ := strconv.ParseBool(os.Getenv("MAGEFILE_HELP"))
	return on || slices.ContainsFunc(flags, func(f string) bool { return f == "-h" || f == "--h" || f == "-help" || f == "--help" })
}

func withoutAlias(word string) string {
	for alias := range Aliases {
		switch {
		case !strings.EqualFold(word, alias):
		case strings.Contains(alias, "-"): // the function's name is the same without
			return strings.ReplaceAll(word, "-", "")
		default:
			return word + ":build"
		}
	}
	return word
}

// unknownTarget is the error for a word that is no target; nil for one that is.
func unknownTarget(word string) error {
	if _, ok := positionals[strings.ToLower(word)]; ok {
		return nil
	}
	hint := diag.DidYouMean(word, targets())
	if hint == "" {
		hint = "see what there is with: mage -l"
	}
	return diag.Failf(diag.Usage, hint, "there is no target %q", word)
}

func targets() []string {
	var names []string
	for name := range positionals {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
