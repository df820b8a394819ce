package ptx

// Span is a stretch of bytes of Module.Text, End exclusive.
type Span struct{ Start, End int }

// Range is the span itself; it makes everything that embeds one an Item or an
// Operand.
func (s Span) Range() Span { return s }

// Contains reports whether o lies within s.
func (s Span) Contains(o Span) bool { return s.Start <= o.Start && o.End <= s.End }

// Item is one statement: *Directive, *Variable, *Function, *Label,
// *Instruction or *Block.
type Item interface{ Range() Span }

// Directive is a statement that begins with a dot and declares no variable
// and no function: .version, .target, .address_size, .file, .loc, .section,
// .pragma, .alias, .branchtargets, .calltargets, .callprototype, and in
// Function.Attributes those of a function header, as .maxntid.
type Directive struct {
	Span
	Name string   // with its dot: ".maxntid"
	Args []string // as written, without commas; a string has its quotes
	// Prototype is set for .callprototype: its parameters have the name "_".
	Prototype *Prototype
}

// Prototype is the signature of an indirect call.
type Prototype struct {
	Returns, Params []Param
	Attributes      []*Directive
}

// Variable is the declaration of one name. A statement that declares several
// gives several Variables one after the other, each with its own comma or the
// semicolon; Statement is the whole of it for all of them.
type Variable struct {
	Span
	Statement Span
	Linkage   string // "extern", "visible", "weak", "common" or ""
	Space     string // "reg", "global", "shared", "local", "const", "param", "tex", "sreg"
	Align     int    // bytes, as written; 0 where nothing is
	Type      string // "u64", "b8", "pred", "texref" ...
	Vector    int    // 2, 4, 8; 0 for scalars
	Name      string // for a range such as %r<9>: "%r"
	NameAt    Span
	// Count is the number of registers of a range, or of elements of an array
	// (product of its dimensions; 0 for []); 1 otherwise.
	Count      int
	Ranged     bool  // %r<9>
	Array      bool  // name[...]
	Dims       []int // the dimensions; 0 stands for []
	Init       []Operand
	InitAt     Span // with the braces; zero where there is no initialiser
	Attributes []*Directive
}

// Function is a .func or an .entry.
type Function struct {
	Span
	Name                  string
	NameAt                Span
	Entry                 bool
	Extern, Visible, Weak bool
	Returns, Params       []Param
	Attributes            []*Directive // .maxntid, .noreturn ...
	Body                  *Block       // nil: a declaration
}

// Param is a parameter or return value.
type Param struct {
	Span
	Space  string // "param" or "reg"
	Type   string // "u64", "b8" ...
	Vector int    // 2, 4, 8; 0 for scalars
	Name   string // "_" in prototypes
	NameAt Span
	Align  int // bytes, as written or the natural one of the type
	// Count is the number of elements of an array (0 for []) and 0 for a
	// scalar: see Array.
	Count int
	Array bool
	// Ptr says that .ptr describes what the parameter points to: its state
	// space ("" for generic) and alignment.
	Ptr      bool
	PtrSpace string
	PtrAlign int
	// Offset is where the parameter lies in the block of its list, Size how
	// many bytes it has there. Parameters in registers have Offset -1.
	Offset, Size int
}

// Block is { ... }: the body of a function or a scope in it.
type Block struct {
	Span
	Items []Item
}

// Label is "name:", colon included.
type Label struct {
	Span
	Name   string
	NameAt Span
}

// Instruction is one instruction with its guard and semicolon.
type Instruction struct {
	Span
	Guard    *Guard // nil: always
	Opcode   string // "ld.param.v2.u32"
	OpcodeAt Span
	Parts    []string  // Opcode split at its dots; shared, not to be changed
	Operands []Operand // in order; empty for calls
	Call     *Call     // for call only
}

// Op is the first part of the opcode: "ld" of "ld.param.u32".
func (in *Instruction) Op() string { return in.Parts[0] }

// Has reports whether one of the parts of the opcode after the first is part.
func (in *Instruction) Has(part string) bool {
	for _, p := range in.Parts[1:] {
		if p == part {
			return true
		}
	}
	return false
}

// Guard is @p or @!p.
type Guard struct {
	Span
	Negated  bool
	Register *Register
}

// Call is what a call calls.
type Call struct {
	Returns   []Operand
	ReturnsAt Span    // with the parentheses; zero where there are none
	Target    Operand // *Symbol, or *Register for an indirect call
	Args      []Operand
	ArgsAt    Span
	// Prototype names the .callprototype or .calltargets of an indirect call.
	Prototype *Symbol
}
