//go:build !linux

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "Error: faults are injected with namespaces, tmpfs and /proc, which only Linux has")
	os.Exit(2)
}
