package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"kmx/cache"
	"kmx/internal/diag"
	"kmx/internal/durable"
	"kmx/report/logs"
	"kmx/report/page"
)

func writePage(c *call) error {
	log, out := c.flags.String("log", "last", ""), c.flags.String("o", "", "")
	store, against, leftOut := c.flags.String("cache", "", ""), c.flags.String("against", "", ""), c.flags.String("leftout", "", "")
	note := c.flags.String("note", "", "")
	if err := c.parse(); err != nil {
		return err
	}
	b, err := c.build(*log)
	if err != nil {
		return err
	}
	s := page.Sources{Build: b, State: *c.state, Against: *against}
	earlier, unread, err := logs.Before(b.File)
	if err != nil {
		return diag.Failf(diag.IO, "", "%w", err)
	}
	s.Earlier = earlier
	for _, e := range unread {
		s.Notes = append(s.Notes, e.Error())
	}
	if *note != "" {
		s.Notes = append(s.Notes, *note)
	}
	if *store != "" {
		s.Store, err = cache.Open(*store, func(text string) { fmt.Fprintln(c.err, "warning: "+text) })
		if err != nil {
			return diag.Failf(diag.IO, "", "the cache cannot be opened: %w", err)
		}
		defer s.Store.Close()
	}
	if *leftOut != "" {
		text, err := os.ReadFile(*leftOut)
		if err == nil {
			err = json.Unmarshal(text, &s.LeftOut)
		}
		if err != nil {
			return diag.Failf(diag.IO, "", "what is left out: %w", err)
		}
	}
	d, err := page.Collect(s)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := d.Write(&text); err != nil {
		return err
	}
	return c.write(*out, text.Bytes())
}

func writeTrace(c *call) error {
	log, out := c.flags.String("log", "last", ""), c.flags.String("o", "", "")
	if err := c.parse(); err != nil {
		return err
	}
	b, err := c.build(*log)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := page.WriteTrace(&text, b); err != nil {
		return err
	}
	return c.write(*out, text.Bytes())
}

// write writes a whole file and tells where it is.
func (c *call) write(name string, data []byte) error {
	if name == "" {
		return diag.Failf(diag.Usage, "-o=FILE", "%s needs the name of the file to write", c.flags.Name())
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return diag.Failf(diag.IO, "", "%w", err)
	}
	if err := durable.WriteFile(name, data, 0o644); err != nil {
		return diag.Failf(diag.IO, "", "%w", err)
	}
	_, err := fmt.Fprintln(c.out, name)
	return err
}
