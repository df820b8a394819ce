package matrix

import (
	"kmx/internal/diag"
)

// Matrix is what a matrix file declares, before expansion. Lists are in file
// order.
type Matrix struct {
	Project    Project
	Variables  []Variable
	Targets    []Target
	Axes       []Axis
	Libraries  []Library
	Toolchains []Toolchain
	Families   []*Family
	Exclusions []*Exclusion
	Releases   []*Release
	Files      []File    // every file read, as read, in the order of reading
	Env        []EnvRead // every environment variable looked at

	decl *declarations
}

// Source is the bytes of a file of the matrix, for snippets; nil for others.
func (m *Matrix) Source(file string) []byte {
	for _, f := range m.Files {
		if f.Name == file {
			return f.Bytes
		}
	}
	return nil
}

// Project names the release.
type Project struct {
	Name     string
	Licence  string // SPDX expression; families inherit it
	Version  string
	Date     string // YYYY-MM-DD, the release's notion of today
	Declared diag.Range
}

// Variable is a value that comes from outside the file.
type Variable struct {
	Name        string
	Type        string // string, bool, number, list(string) ...
	Description string
	EnvName     string // environment variable, or ""
	Machine     bool   // a fact of this machine; never enters a manifest
	Developer   bool   // a value other than the default is not for shipping
	Value       string // as it would be written in the file
	Default     string // the same; "" when the variable has none
	Origin      string // "default", "env NAME" or "-var"
	Differs     bool   // Value is not Default
	Declared    diag.Range
}

// Target is a GPU.
type Target struct {
	Name       string
	Generation string
	Waves      []int // wave sizes it can run
	FP8        bool
	Declared   diag.Range
}

// Axis is a named choice.
type Axis struct {
	Name     string
	Values   []string
	Default  string
	Bool     bool // values are false and true
	Release  bool // false: its non-default points join no set
	Declared diag.Range
}

// Library is something users bring, from which kernels are named.
type Library struct {
	Name     string
	Paths    []string // files or directories
	Match    string   // file name pattern
	Approved string   // slash path of the file of modules that somebody has compared, or ""
	Without  string   // ends the name of a release that lacks a family because it is not there, or ""
	Declared diag.Range
}

// Toolchain is a compiler or emitter that kmx must find.
type Toolchain struct {
	Name     string
	Kind     string // clang or emitter
	Declared diag.Range
}

// Family is a group of kernels built the same way.
type Family struct {
	Name      string
	Title     string
	Toolchain string // "" when it differs from cell to cell
	Library   string
	Licence   string
	Axes      []string
	Groups    []*Group
	Extends   string   // the family whose attributes it takes, or ""
	Requires  []string // libraries without which it is left out
	Exists    bool     // false: it has no cells in this run
	Lacks     string   // the library for want of which it does not exist, or ""
	Absent    string   // why it does not exist: "var.rr is false", "library dlss is not there"
	Declared  diag.Range

	decl *familyDecl
}

// Group is one `kernel` or `kernels` block.
type Group struct {
	Name     string
	Kernels  []string // in the order of the rows
	Declared diag.Range

	decl *groupDecl
}

// Release is a `release` block.
type Release struct {
	Name          string
	KernelsPerSet int // -1 when not declared, or not the same in all sets
	Archives      []Archive
	Declared      diag.Range

	decl *releaseDecl
}

// Archive is a file that is made of a release.
type Archive struct {
	Name            string
	Families        []string // nil: all
	Formats         []string // tar.zst, zip
	Redistributable bool     // false: it may hold cells whose licence forbids passing them on
	Declared        diag.Range
}

// Exclusion is an `exclude` block: cells that should exist and are left out.
type Exclusion struct {
	Name, Match, Reason string
	Issue               string
	Until               string // YYYY-MM-DD, the last day it holds; "" for good
	Declared            diag.Range

	decl *excludeDecl
}

// File is a file of the matrix, named relative to the project root.
type File struct {
	Name  string
	Bytes []byte
}

// EnvRead is an environment variable that was looked at.
type EnvRead struct {
	Name, Value string
	Set         bool
}
