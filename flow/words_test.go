package flow

import "testing"

// Advice names the door; other words that end in mage stay.
func TestWords(t *testing.T) {
	p := &Project{}
	door := p.door()
	for text, want := range map[string]string{
		"again: mage build a,b":                "again: " + door + " build a,b",
		"mage release:stamp x":                 door + " release:stamp x",
		"use `mage release`":                   "use `" + door + " release`",
		"mage -h build":                        door + " -h build",
		"see with: mage -l":                    "see with: " + door + " -l",
		"go tool mage setup":                   "go tool mage setup",
		"an image store":                       "an image store",
		"mage":                                 "mage",
		"no change":                            "no change",
		"first: mage plan\nthen: mage release": "first: " + door + " plan\nthen: " + door + " release",
	} {
		if got := p.words(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}
