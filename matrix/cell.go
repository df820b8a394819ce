package matrix

import (
	"strings"
	"sync"

	"kmx/internal/diag"
)

// Cell is one code object that must exist: one kernel for one target at one
// point of its family's axes. Slices are shared between cells.
type Cell struct {
	Family, Group, Kernel string
	Target                Target
	Point                 []AxisValue // in the order of the family's axes
	Toolchain             string
	Source                string // slash path relative to the project root
	SourceFrom            Origin
	Include               []Token // slash paths, in order
	Flags                 []Token // toolchain, family, group
	Defines               []Define
	Env                   []Define // environment the toolchain declares
	Wave64                bool
	Wave64From            Origin // zero when nothing says it
	Recipe                string // how an emitter edits the library's code; "" without one
	RecipeFrom            Origin
	Reference             string // the kernel whose code the recipe compares the library's with, or ""
	ReferenceFrom         Origin
	Counts                []Define // edits the recipe must make: numbers or words
	Redirect              bool     // the kernel's stores can be sent elsewhere
	RedirectFrom          Origin
	Hook                  []HookValue
	Limits                Limits
	Bounds                []Limit // Limits again, with their places
	Bitcode               []Bitcode
	Library, Licence      string
	Declared              diag.Range // the kernel, kernels block or row
	NoTwin                bool       // its group says that it needs no twin
	NoTwinReason          string     // why; "" when the group does not say
	DeveloperOnly         bool       // at a non-default point of an axis with release = false

	address string
	leftOut int // 1 + index of its rule in Expansion.LeftOut; 0 for a cell that exists
}

// Bitcode is a helper that another toolchain compiles to bitcode and that is
// linked into the cell's object.
type Bitcode struct {
	Name      string
	Toolchain string
	Source    Token
	Include   []Token
	Flags     []Token // the toolchain's, then the block's
	Defines   []Define
	Declared  diag.Range
}

// Limit is one upper bound with the place that says it.
type Limit struct {
	Name  string // vgprs, sgprs, spills, scratch, lds
	Value int
	From  Origin
}

// Address is the cell's name everywhere: family/kernel@target and the axis
// values that are not the default, booleans by axis name and others by value,
// e.g. m/rrlite_enc1_4x4@gfx1201+fp8+accuracy. It is unique, and as a selector
// it selects exactly this cell.
func (c *Cell) Address() string { return c.address }

// Axis is the cell's value of an axis; false when its family lacks the axis.
func (c *Cell) Axis(name string) (AxisValue, bool) {
	for _, v := range c.Point {
		if v.Axis == name {
			return v, true
		}
	}
	return AxisValue{}, false
}

// Token is one argument with the place that put it there.
type Token struct {
	Text string
	From Origin
}

// Origin is why something is there: the list element where the list is
// written out, the expression otherwise.
type Origin struct {
	Range  diag.Range
	What   string   // "toolchain hip flags", "family k defines"
	Adjust string   // the reason of the adjust that put it there, or ""
	Reads  []string // what the element and the conditions around it read: "var.x", "layer.cu", "fp8"
}

// Define is a preprocessor definition or environment entry. A define that is
// declared as true has the value "1".
type Define struct {
	Name, Value string
	From        Origin
}

// AxisValue is where a cell or set stands on one axis.
type AxisValue struct {
	Axis, Text string
	Bool       bool // the axis is boolean, Text is "true" or "false"
	Default    bool // Text is the default of the axis
	Release    bool // the axis takes part in releases
}

// HookValue is an exported constant of the object that the runtime reads.
type HookValue struct {
	Name  string
	Value uint32
	From  Origin
}

// Limits are upper bounds on an object's resources; nil is no limit. LDS and
// scratch are bytes, the others registers.
type Limits struct{ VGPRs, SGPRs, Spills, Scratch, LDS *int }

// Set is a folder of a release.
type Set struct {
	Path    string // slash path below the release's folder
	Target  Target
	Point   []AxisValue
	Markers map[string]string // file name -> content
	Cells   []*Cell           // in expansion order, one for each kernel name
	Release string
	// LeftOut are the cells that are declared for this set and left out by a
	// rule of the ledger. Of them only the name is known: family, group,
	// kernel, target, point, licence and place.
	LeftOut []*Cell

	want int // kernels it must hold or leave out; -1 when not declared
}

// LeftOut is a rule that keeps cells from existing, with its reason: a family
// whose `when` is false in this run, a family whose library is not there, or
// an exclusion.
type LeftOut struct {
	Rule   string // `exclude "NAME"`, "family l, when", "family tex, requires library.dlss"
	Reason string
	Cells  int // cells of releases and others; 0 for an exclusion that has nothing to do in this run
	Issue  string
	Until  string // YYYY-MM-DD, the last day an exclusion holds; "" for good
	// Addresses are the cells that are declared and left out, in expansion
	// order. A family whose `when` is false declares nothing: it has none.
	Addresses []string
	Declared  diag.Range
}

// Expansion is a matrix as cells and sets. Cells are in file order: family,
// group, row, target, axes.
type Expansion struct {
	Cells   []*Cell
	Sets    []*Set
	LeftOut []LeftOut

	matrix  *Matrix
	gone    []*Cell // declared and left out, in expansion order
	evals   int     // values computed, for tests
	index   sync.Once
	address map[string]*Cell
}

// spellPoint is the part of an address after the target. It needs the
// declarations, since a value is written alone only where no other axis could
// mean it.
func (d *declarations) spellPoint(axes []*axisDecl, index []int) string {
	var b strings.Builder
	for _, ax := range d.spelling(axes) {
		i := index[ax.at]
		if i == ax.axis.def {
			continue
		}
		text := ax.axis.texts[i]
		b.WriteByte('+')
		switch {
		case ax.axis.Bool && text == "true":
			b.WriteString(ax.axis.Name)
		case d.alone[text]:
			b.WriteString(text)
		default:
			b.WriteString(ax.axis.Name + "=" + text)
		}
	}
	return b.String()
}

type spelled struct {
	axis *axisDecl
	at   int // index in the family's list
}

// spelling is the order in which an address names axes: boolean ones first,
// each kind as declared.
func (d *declarations) spelling(axes []*axisDecl) []spelled {
	var order []spelled
	for _, boolean := range []bool{true, false} {
		for _, ax := range d.axes {
			if ax.Bool != boolean {
				continue
			}
			for at, mine := range axes {
				if mine == ax {
					order = append(order, spelled{ax, at})
				}
			}
		}
	}
	return order
}
