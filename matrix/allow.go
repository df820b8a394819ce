package matrix

// bindAllow makes a slot for the condition of each axis: whether the value it
// stands at exists there.
func bindAllow(f *frame, axes []*axisDecl, s *scope) []*slot {
	slots := make([]*slot, len(axes))
	for i, ax := range axes {
		sl := &slot{name: "allow of axis " + ax.Name, compute: func() any { return true }}
		slots[i] = sl
		switch {
		case ax.allow != nil:
			b := f.bind(ax.allow, s)
			sl.exprs = []*bound{b}
			sl.compute = func() any {
				if !f.ready(b) {
					return true
				}
				ok, known := f.condition(b, b.x.node)
				return ok || !known
			}
		case ax.allowBy != nil:
			self := s.find(ax.Name)
			by := map[int]*bound{}
			for v := range ax.texts {
				if x := ax.allowBy[v]; x != nil {
					by[v] = f.bind(x, s)
					sl.exprs = append(sl.exprs, by[v])
				}
			}
			sl.exprs = append(sl.exprs, &bound{x: &expr{bad: true}, syms: []*symbol{self}})
			sl.compute = func() any {
				b := by[f.idx[self.coord]]
				if b == nil || !f.ready(b) {
					return true
				}
				ok, known := f.condition(b, b.x.node)
				return ok || !known
			}
		}
	}
	return slots
}
