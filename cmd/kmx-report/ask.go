package main

import (
	"io"
	"strings"

	"kmx/internal/diag"
	"kmx/report/logs"
)

// ask is a verb that puts one question to one log.
func ask(question func(*logs.Build) *logs.Answer) func(*call) error {
	return func(c *call) error {
		log, asJSON := c.flags.String("log", "last", ""), c.flags.Bool("json", false, "")
		if err := c.parse(); err != nil {
			return err
		}
		return c.answer(*log, *asJSON, question)
	}
}

func (c *call) answer(log string, asJSON bool, question func(*logs.Build) *logs.Answer) error {
	b, err := c.build(log)
	if err != nil {
		return err
	}
	if asJSON {
		return question(b).WriteJSON(c.out)
	}
	return c.text(question(b).WriteText)
}

func slowest(c *call) error {
	log, asJSON, n := c.flags.String("log", "last", ""), c.flags.Bool("json", false, ""), c.flags.Int("n", 20, "")
	if err := c.parse(); err != nil {
		return err
	}
	if *n < 1 {
		return diag.Failf(diag.Usage, "", "-n=%d is no number of cells", *n)
	}
	return c.answer(*log, *asJSON, func(b *logs.Build) *logs.Answer { return b.Slowest(*n) })
}

func difference(c *call) error {
	asJSON := c.flags.Bool("json", false, "")
	if err := c.parse(); err != nil {
		return err
	}
	var sides [2]*logs.Build
	for i, word := range c.words {
		b, err := c.build(word)
		if err != nil {
			return err
		}
		sides[i] = b
	}
	d := logs.Compare(sides[0], sides[1])
	if *asJSON {
		return d.WriteJSON(c.out)
	}
	return c.text(d.WriteText)
}

// text prints what a log may have put together for a terminal.
func (c *call) text(write func(io.Writer) error) error {
	var b strings.Builder
	if err := write(&b); err != nil {
		return err
	}
	_, err := io.WriteString(c.out, diag.Plain(b.String()))
	return err
}
