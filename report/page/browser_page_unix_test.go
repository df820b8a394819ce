//go:build unix

package page

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// write puts a page into a file.
func write(t *testing.T, d *Data) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "report.html")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Write(f); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// quiet fails the test if the page complained or asked for anything but itself.
func (b *browser) quiet(path string) {
	b.t.Helper()
	b.eval("0", nil)
	for _, e := range b.events {
		b.t.Error(e)
	}
	for _, url := range b.asked {
		if url != "file://"+path && url != "about:blank" {
			b.t.Errorf("the page asked for %.200s", url)
		}
	}
	b.events, b.asked = nil, nil
}

// text is what the first element that a selector finds shows.
func (b *browser) text(selector string) string {
	b.t.Helper()
	var s string
	b.eval("document.querySelector("+quoted(selector)+")?.textContent ?? 'nothing: "+strings.ReplaceAll(selector, "'", "")+"'", &s)
	return s
}

func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", "\\'") + "'" }

// firstCell is the text of a cell in the first row of a table.
func firstCell(name string, column string) string {
	return "[aria-label='" + name + "'] tbody tr:not(.gap) td:nth-child(" + column + ")"
}

// The page in a browser: all parts are there, tables sort and filter by keyboard,
// the timeline can be walked, no request is made and nothing complains.
func TestPageInBrowser(t *testing.T) {
	b := startBrowser(t)
	fail := func(i int) bool { return i == 4 || i == 29 }
	good := write(t, collect(t, sources(t, 96, 4, nil, true)))
	bad := write(t, collect(t, sources(t, 96, 4, fail, true)))

	b.open(good, "light")
	b.picture("complete-light")
	for _, id := range []string{"timeline", "path", "cache", "cells", "history", "resources", "equal", "against", "leftout", "notes"} {
		if got := b.text("#" + id + " h2"); strings.HasPrefix(got, "nothing") {
			t.Errorf("the page has no part %s", id)
		}
	}
	if got := b.text(".verdict"); got != "complete" {
		t.Error(got)
	}
	var plots int
	b.eval("document.querySelectorAll('.uplot canvas').length", &plots)
	if plots < 7 {
		t.Errorf("only %d plots", plots)
	}

	// By keyboard: sort the cells by name, then the other way round.
	b.eval("document.querySelector('[aria-label=cells] th button').focus()", nil)
	b.key("Enter")
	first := b.text(firstCell("cells", "1"))
	b.key("Enter")
	var sorted string
	b.eval("document.querySelector('[aria-label=cells] th').getAttribute('aria-sort')", &sorted)
	if last := b.text(firstCell("cells", "1")); sorted != "descending" || first != "bitcode of tex for gfx1201" || last != "k/dltss_pwin_enc7_layer@gfx1201+accuracy" {
		t.Errorf("sorted %s: %q, %q", sorted, first, last)
	}
	b.eval("(() => { const i = document.querySelector('[aria-label=\"filter cells\"]'); i.value = 'enc3 GFX1100+'; i.dispatchEvent(new Event('input')); })()", nil)
	if got := b.text("#cells .bar [role=status]"); got != "1 of 97 rows" {
		t.Errorf("filtered: %q", got)
	}
	b.eval("document.querySelector('#timeline figure').focus()", nil)
	b.key("ArrowRight")
	if got := b.text("#timeline .said"); !strings.HasPrefix(got, "bitcode of tex for gfx1201: built, began at 0 µs") {
		t.Errorf("the timeline says %q", got)
	}
	b.eval("(() => { const s = document.querySelector('#resources select'); s.value = '4'; s.dispatchEvent(new Event('change')); })()", nil)
	if got := b.text(firstCell("equal objects", "3")) + b.text(firstCell("equal objects", "4")); got != "A1A2" {
		t.Errorf("equal objects: %q", got)
	}
	b.eval("document.querySelector('#theme').click(); document.querySelector('#theme').click()", nil)
	b.picture("complete-chosen-dark")
	b.quiet(good)

	b.open(bad, "dark")
	b.picture("failed-dark")
	if got := b.text(".verdict") + b.text("#failures pre"); !strings.HasPrefix(got, "failed") || !strings.Contains(got, "<script>alert(1)</script>") {
		t.Errorf("the page of a failed build shows %q", got)
	}
	b.quiet(bad)
	b.open(good, "dark")
	b.picture("complete-dark")
	b.quiet(good)
	b.open(bad, "light")
	b.picture("failed-light")
	b.quiet(bad)
}

// It stays usable at 1,000 cells and at 100,000 events: tables hold the rows that
// are seen only, and scroll to the end.
func TestLargePageInBrowser(t *testing.T) {
	b := startBrowser(t)
	for _, c := range []struct {
		name  string
		cells int
		jobs  int
		full  bool
	}{{"1000 cells", 1000, 16, true}, {"100000 events", 28500, 64, false}} {
		s := sources(t, c.cells, c.jobs, func(i int) bool { return i%5000 == 77 }, c.full)
		path := write(t, collect(t, s))
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		ms := b.open(path, "light")
		t.Logf("%s: %d events, %d processes, %d KiB, ready after %d ms", c.name, s.Build.Events, len(s.Build.Runs), info.Size()>>10, ms)
		var rows int
		b.eval("document.querySelectorAll('[aria-label=cells] tbody tr').length", &rows)
		if rows > 60 {
			t.Errorf("the table of %d cells holds %d rows", c.cells, rows)
		}
		for _, act := range []struct{ what, script string }{
			{"sorting", "document.querySelectorAll('[aria-label=cells] th button')[0].click()"},
			{"filtering", "(() => { const i = document.querySelector('[aria-label=\"filter cells\"]'); i.value = 'enc12_ accuracy'; i.dispatchEvent(new Event('input')); i.value = ''; i.dispatchEvent(new Event('input')); })()"},
			{"zooming", "(() => { const f = document.querySelector('#timeline figure'); for (let i = 0; i < 10; i++) f.dispatchEvent(new KeyboardEvent('keydown', {key: '+'})); for (let i = 0; i < 10; i++) f.dispatchEvent(new KeyboardEvent('keydown', {key: '-'})); })()"},
		} {
			var took float64
			b.eval("(async () => { const t = performance.now(); "+act.script+"; await new Promise(requestAnimationFrame); return performance.now() - t; })()", &took)
			t.Logf("%s: %s took %.0f ms", c.name, act.what, took)
		}
		b.eval("(async () => { const f = document.querySelector('#cells .scroller'); f.scrollTop = f.scrollHeight; await new Promise(requestAnimationFrame); await new Promise(requestAnimationFrame); })()", nil)
		var last string
		b.eval("[...document.querySelectorAll('[aria-label=cells] tbody tr:not(.gap)')].pop().getAttribute('aria-rowindex')", &last)
		if want := len(s.Build.Cells) + 1; last != strconv.Itoa(want) {
			t.Errorf("scrolled to the end, the last row is %s, not %d", last, want)
		}
		b.picture(strings.ReplaceAll(c.name, " ", "-"))
		b.quiet(path)
	}
}

// On a phone nothing but the tables' own frames is wider than the screen, and of a
// table the column behind the names can be seen.
func TestPageOnAPhone(t *testing.T) {
	b := startBrowser(t)
	page := write(t, collect(t, sources(t, 96, 4, func(i int) bool { return i == 4 }, true)))
	b.open(page, "dark")
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": false}, nil)
	b.picture("phone-dark")
	var width int
	b.eval("document.documentElement.scrollWidth", &width)
	if width > 390 {
		t.Errorf("the page is %d wide on a screen of 390", width)
	}
	for _, name := range []string{"cells", "resources"} {
		var left int
		b.eval("Math.round(document.querySelector("+quoted("table[aria-label=\""+name+"\"] th:nth-child(2)")+").getBoundingClientRect().left)", &left)
		if left <= 0 || left > 360 {
			t.Errorf("the column behind the names of %s begins at %d on a screen of 390", name, left)
		}
	}
	b.quiet(page)
}
