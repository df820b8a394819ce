package release

import (
	"kmx/cache"
)

// Formats and file names. A format changes its number when a field goes away
// or changes its meaning. A new field must be left out when it is empty, so
// that manifests written before it stay canonical.
const (
	SetFormat     = "kmx.set/1"
	ReleaseFormat = "kmx.release/1"

	ManifestFile = "manifest.json"
	KernelsFile  = "d4r-kernels.txt" // hashes of the PTX modules that the objects replace
	ObjectSuffix = ".hsaco"
)

// The axis that makes twins: every kernel of a fast set has one of the same
// name in the accuracy set of the same target and other axis values.
const (
	NumericsAxis = "numerics"
	Fast         = "fast"
	Accuracy     = "accuracy"
)

// File is one file that a manifest answers for.
type File struct {
	Name   string       `json:"file"`   // base name in the folder of the manifest
	Size   int64        `json:"size"`   // bytes
	BLAKE3 cache.Digest `json:"blake3"` // BLAKE3-256
	SHA256 string       `json:"sha256"` // 64 hex digits
}

// Kernel is what one kernel of an object needs of the GPU. Registers and waves
// are per SIMD lane and per SIMD; LDS, scratch and code are in bytes.
type Kernel struct {
	Name         string `json:"name"`
	WaveSize     int    `json:"wave_size"`
	VGPRs        int    `json:"vgprs"`
	SGPRs        int    `json:"sgprs"`
	VGPRSpills   int    `json:"vgpr_spills"`
	SGPRSpills   int    `json:"sgpr_spills"`
	Scratch      int    `json:"scratch"` // private segment, bytes a work-item
	LDS          int    `json:"lds"`     // static group segment, bytes a work-group
	Waves        int    `json:"waves_per_simd"`
	MaxWorkgroup int    `json:"max_workgroup"`
	CodeBytes    int    `json:"code_bytes"`
}

// Symbol is one exported symbol. Value is there for data of at most eight
// bytes, which is how an object tells the hook what it needs.
type Symbol struct {
	Name  string  `json:"name"`
	Kind  string  `json:"kind"` // "kernel", "descriptor", "data" or "function"
	Size  uint64  `json:"size"` // bytes
	Value *uint64 `json:"value,omitempty"`
}

// Entry is one object of a set.
type Entry struct {
	Address string `json:"address"` // of the cell, as selectors spell it
	Name    string `json:"name"`    // kernel name; the file is Name + ".hsaco"
	File
	Target    string       `json:"target"`
	WaveSize  int          `json:"wave_size"` // as declared
	Family    string       `json:"family"`
	Library   string       `json:"library,omitempty"` // the library rule whose modules may stamp it
	Licence   string       `json:"licence"`
	Toolchain string       `json:"toolchain"`
	Emitter   string       `json:"emitter,omitempty"` // where one made it: kmx or zluda
	Recipe    string       `json:"recipe,omitempty"`  // how the module's code was edited
	Module    string       `json:"module,omitempty"`  // FNV-1a 64 of the PTX module it is made of, 16 hex digits
	Action    cache.Digest `json:"action"`            // key of the action that made it
	Argv      []string     `json:"argv"`              // symbolic tool first, relative paths
	// DerivedFrom is there where the object was not compiled: it is another one of
	// the release but for the GPU that it names.
	DerivedFrom *DerivedFrom `json:"derived_from,omitempty"`
	Kernels     []Kernel     `json:"kernels"`           // by name
	Symbols     []Symbol     `json:"symbols"`           // by name
	NoTwin      string       `json:"no_twin,omitempty"` // why it needs no accuracy twin
}

// DerivedFrom is the compiled object that another one was derived from.
type DerivedFrom struct {
	Address string       `json:"address"` // of its cell
	BLAKE3  cache.Digest `json:"blake3"`  // of its bytes
}

// Set is the manifest of one set, format kmx.set/1.
type Set struct {
	Format     string            `json:"format"`
	Path       string            `json:"set"` // folder below the release, slash-separated
	Target     string            `json:"target"`
	Generation string            `json:"generation"`
	Numerics   string            `json:"numerics,omitempty"`
	Axes       map[string]string `json:"axes"`
	Partial    bool              `json:"partial,omitempty"`   // a folder of dist/dev: what was built so far
	Developer  string            `json:"developer,omitempty"` // why it is not for shipping, such as extra flags
	Objects    []Entry           `json:"objects"`             // by name
	Files      []File            `json:"files"`               // the other files, by name
	LeftOut    []Missing         `json:"left_out,omitempty"`  // what a rule keeps out, by address
}

// SetRef is a set as the manifest of the release sees it.
type SetRef struct {
	Path     string            `json:"path"`
	Target   string            `json:"target"`
	Axes     map[string]string `json:"axes"`
	Objects  int               `json:"objects"`
	Manifest File              `json:"manifest"`
}

// Toolchain is one compiler or emitter that made objects of the release.
type Toolchain struct {
	Name    string       `json:"name"`
	Kind    string       `json:"kind"`
	Version string       `json:"version"`
	Closure cache.Digest `json:"closure"`
	Lock    string       `json:"lock"` // LockPinned, LockAbsent or LockDiffers
}

// How a toolchain stands to matrix.lock.hcl.
const (
	LockPinned  = "pinned"  // it is the one that the lock names
	LockAbsent  = "absent"  // the lock says nothing of it
	LockDiffers = "differs" // another one than the lock names, accepted by whoever built
)

// Variable is a matrix variable whose value is not its default.
type Variable struct {
	Name    string `json:"name"`
	Value   string `json:"value"`
	Default string `json:"default"`
}

// LeftOut is a rule that kept cells out of the release.
type LeftOut struct {
	Rule   string `json:"rule"`
	Reason string `json:"reason"`
	Cells  int    `json:"cells"`
	Issue  string `json:"issue,omitempty"`
	Until  string `json:"until,omitempty"` // YYYY-MM-DD, the last day that the rule holds; for good where empty
}

// Missing is a cell that a set would hold, were it not for a rule of the
// release's LeftOut.
type Missing struct {
	Address string `json:"address"`
	Rule    string `json:"rule"`
	Reason  string `json:"reason"`
}

// StampLibrary is a library rule of the matrix and the files that stood for it
// when the release was stamped. File names are base names.
type StampLibrary struct {
	Name    string `json:"name"`
	Match   string `json:"match"`
	Objects int    `json:"objects"` // of the release, that its modules may stamp
	Stamped []File `json:"stamped"` // none where the release is unstamped, or Objects is 0
}

// Runtime is what the objects need from the program that loads them.
type Runtime struct {
	HookABI  int               `json:"hook_abi"`
	Settings map[string]string `json:"settings"`
}

// Release is the manifest at the root, format kmx.release/1.
type Release struct {
	Format     string         `json:"format"`
	Project    string         `json:"project"`
	Version    string         `json:"version"`
	Suffix     string         `json:"suffix,omitempty"` // of the release's name: what it does not hold, as LeftOut says
	Date       string         `json:"date"`             // project.date of the matrix, never a clock
	Licence    string         `json:"licence"`
	Developer  string         `json:"developer,omitempty"` // why it is not for shipping, as its sets say
	Variables  []Variable     `json:"variables"`           // by name; facts of a machine never enter
	LeftOut    []LeftOut      `json:"left_out"`            // by rule
	Stamped    bool           `json:"stamped"`
	Libraries  []StampLibrary `json:"libraries"` // by name
	Runtime    Runtime        `json:"runtime"`
	Matrix     cache.Digest   `json:"matrix"`
	Sources    cache.Digest   `json:"sources"`
	Toolchains []Toolchain    `json:"toolchains"`           // by name
	Sets       []SetRef       `json:"sets"`                 // by path
	Restricted []string       `json:"restricted,omitempty"` // licences of its objects that do not let them be passed on
	Files      []File         `json:"files,omitempty"`      // other files at the root, such as licences; by name
}
