//go:build linux

package main

import "slices"

// rows are all faults, in the order of the table.
func rows() []row {
	return slices.Concat(killRows(), signalRows(), spaceRows(), damageRows(), clockRows(), togetherRows(), compilerRows(), leftoverRows())
}
