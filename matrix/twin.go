package matrix

import "fmt"

// numerics is the axis whose values are twins of each other.
const numerics = "numerics"

// twins checks that a kernel that exists at the default numerics exists at
// the others as well, since a release must be able to serve both.
func (e *expander) twins() {
	var ax *axisDecl
	for _, a := range e.d.axes {
		if a.Name == numerics {
			ax = a
		}
	}
	if ax == nil {
		return
	}
	exempt := map[[2]string]bool{}
	for _, fam := range e.m.Families {
		for _, g := range fam.Groups {
			exempt[[2]string{fam.Name, g.Name}] = g.decl.noTwin
		}
	}
	for _, c := range e.x.Cells {
		v, ok := c.Axis(numerics)
		if !ok || !v.Default || c.DeveloperOnly || exempt[[2]string{c.Family, c.Group}] {
			continue
		}
		for i, text := range ax.texts {
			if i == ax.def || e.first[e.moved(c, ax, i)] != nil {
				continue
			}
			p := e.errorf(c.Declared, "kernel %s/%s has no %s twin", c.Family, c.Kernel, text).
				hint("make it exist there too, or say twin = \"none\"")
			if p.Detail == "" {
				p.detail("%s exists, %s does not", c.address, e.moved(c, ax, i))
			}
			p.count(c)
		}
	}
}

// moved is the address of c with another value on one axis.
func (e *expander) moved(c *Cell, ax *axisDecl, value int) string {
	var axes []*axisDecl
	var index []int
	for _, v := range c.Point {
		for _, d := range e.d.axes {
			if d.Name != v.Axis {
				continue
			}
			axes = append(axes, d)
			i := value
			if d != ax {
				for i = range d.texts {
					if d.texts[i] == v.Text {
						break
					}
				}
			}
			index = append(index, i)
		}
	}
	return fmt.Sprintf("%s/%s@%s%s", c.Family, c.Kernel, c.Target.Name, e.d.spellPoint(axes, index))
}
