package plan

import "slices"

// A Group is a root cause with the cells it explains. Each cell stands in one
// group.
type Group struct {
	Cause Cause
	Cells []string // addresses, in the order given
	// Also counts the cells of other groups that have this cause as well.
	Also int
}

// GroupCauses counts each cause once. A cell with several causes is put under
// the one that most cells have; reasons are parallel to cells.
func GroupCauses(cells []string, reasons [][]Cause) []Group {
	at := map[string]int{}
	var groups []Group
	var having [][]int // cells by group
	for i := range cells {
		for _, c := range reasons[i] {
			g, ok := at[c.Text]
			if !ok {
				g = len(groups)
				at[c.Text] = g
				groups = append(groups, Group{Cause: c})
				having = append(having, nil)
			}
			if len(having[g]) == 0 || having[g][len(having[g])-1] != i {
				having[g] = append(having[g], i)
			}
		}
	}
	order := make([]int, len(groups))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return len(having[b]) - len(having[a]) })
	told := make([]bool, len(cells))
	var out []Group
	for _, g := range order {
		for _, i := range having[g] {
			if told[i] {
				groups[g].Also++
				continue
			}
			told[i] = true
			groups[g].Cells = append(groups[g].Cells, cells[i])
		}
		out = append(out, groups[g])
	}
	return out
}
