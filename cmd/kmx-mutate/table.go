package main

import (
	"bufio"
	"cmp"
	_ "embed"
	"fmt"
	"os"
	"slices"
	"strings"
)

// reasons are what people found out about mutants that survive, by ID.
type reasons map[string]string

//go:embed reasons.txt
var knownReasons string

// readReasons reads lines of an ID and a reason; those that begin with # say
// something else. Without a name they are those that this program knows.
func readReasons(name string) (reasons, error) {
	text := knownReasons
	if name != "" {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		text = string(data)
	}
	list := reasons{}
	lines := bufio.NewScanner(strings.NewReader(text))
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		id, reason, ok := strings.Cut(line, " ")
		if !ok || len(id) != 8 {
			return nil, fmt.Errorf("%s:%d: a line is an ID of eight digits and a reason, not %q", name, n, line)
		}
		list[id] = strings.TrimSpace(reason)
	}
	return list, lines.Err()
}

// equivalent counts the survivors whose reason begins with "Equivalent".
func (why reasons) equivalent(list []record) int {
	n := 0
	for _, r := range list {
		if r.Verdict == survived && strings.HasPrefix(why[r.ID], "Equivalent") {
			n++
		}
	}
	return n
}

// A tally counts what became of mutants.
type tally struct{ killed, survived, refused, same int }

func (t *tally) add(r record) {
	switch r.Verdict {
	case killed:
		t.killed++
	case survived:
		t.survived++
	case refused:
		t.refused++
	default:
		t.same++
	}
}

// rate is the share of killed mutants among those that count, in percent.
func (t tally) rate() float64 {
	return 100 * float64(t.killed) / float64(max(1, t.killed+t.survived))
}

func total(list []record) (t tally) {
	for _, r := range list {
		t.add(r)
	}
	return t
}

// faults is the tally without the survivors that are no faults.
func (why reasons) faults(list []record) tally {
	t := total(list)
	t.survived -= why.equivalent(list)
	return t
}

// summary is the result in a line.
func summary(seed uint64, list []record, why reasons) string {
	t, f := total(list), why.faults(list)
	return fmt.Sprintf("seed %d: %d mutants, %d killed (%.1f %%), %d survived; %.1f %% of the %d that are faults are killed; besides, %d did not compile and %d changed nothing",
		seed, t.killed+t.survived, t.killed, t.rate(), t.survived, f.rate(), f.killed+f.survived, t.refused, t.same)
}

// markdown is the report: totals, survivors with their reasons, all mutants.
func markdown(seed uint64, compiler string, list []record, why reasons) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s. %s.\n\n", summary(seed, list, why), compiler)
	if n := why.equivalent(list); n > 0 {
		fmt.Fprintf(&b, "%d of the survivors compute the same as the original, so they are no faults.\n\n", n)
	}
	for _, by := range []struct {
		name string
		of   func(record) string
	}{
		{"operator", func(r record) string { return r.Op }},
		{"kernel", func(r record) string { return r.Kernel }},
		{"source", func(r record) string { return r.File }},
	} {
		group(&b, by.name, list, by.of)
	}
	b.WriteString("What killed them: ")
	b.WriteString(killers(list))
	b.WriteString(".\n\n| survivor | place | operator | before -> after | cell | why |\n|---|---|---|---|---|---|\n")
	for _, r := range list {
		if r.Verdict == survived {
			fmt.Fprintf(&b, "| %s | %s:%d | %s | %s | %s | %s |\n", r.ID, r.File, r.Line, r.Op, changeOf(r), r.Cell, cell(cmp.Or(why[r.ID], "not explained")))
		}
	}
	b.WriteString("\n| place | operator | before -> after | cell | verdict | what was found |\n|---|---|---|---|---|---|\n")
	for _, r := range list {
		if r.Verdict != same {
			fmt.Fprintf(&b, "| %s:%d | %s | %s | %s | %s | %s |\n", r.File, r.Line, r.Op, changeOf(r), r.Cell, r.Verdict, cell(short(r.Detail)))
		}
	}
	return b.String()
}

func group(b *strings.Builder, name string, list []record, of func(record) string) {
	tallies := map[string]*tally{}
	var names []string
	for _, r := range list {
		key := of(r)
		if tallies[key] == nil {
			tallies[key] = &tally{}
			names = append(names, key)
		}
		tallies[key].add(r)
	}
	slices.Sort(names)
	fmt.Fprintf(b, "| %s | mutants | killed | survived | rate | not compiled | no change |\n|---|---|---|---|---|---|---|\n", name)
	for _, n := range names {
		t := tallies[n]
		rate := "-"
		if t.killed+t.survived > 0 {
			rate = fmt.Sprintf("%.0f %%", t.rate())
		}
		fmt.Fprintf(b, "| %s | %d | %d | %d | %s | %d | %d |\n", n, t.killed+t.survived, t.killed, t.survived, rate, t.refused, t.same)
	}
	b.WriteString("\n")
}

// killers counts what killed mutants, the most frequent first.
func killers(list []record) string {
	count := map[string]int{}
	var names []string
	for _, r := range list {
		if r.Verdict == killed {
			if count[r.By] == 0 {
				names = append(names, r.By)
			}
			count[r.By]++
		}
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(count[b]-count[a], cmp.Compare(a, b)) })
	for i, n := range names {
		names[i] = fmt.Sprintf("%s %d", n, count[n])
	}
	return strings.Join(names, ", ")
}

// oneLine is source text in a line, cut where it is long.
func oneLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 60 {
		return string(r[:57]) + "..."
	}
	return s
}

func short(s string) string {
	if r := []rune(s); len(r) > 140 {
		return string(r[:137]) + "..."
	}
	return s
}

func changeOf(r record) string {
	code := func(s string) string { return "`" + strings.ReplaceAll(cell(oneLine(s)), "`", "'") + "`" }
	return code(r.Before) + " -> " + code(r.After)
}

// cell is text in a cell of a table.
func cell(s string) string { return strings.NewReplacer("|", "\\|", "\n", " ").Replace(s) }
