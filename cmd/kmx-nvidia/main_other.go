//go:build !linux

// kmx-nvidia runs PTX on an NVIDIA GPU; it is a program for Linux.
package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "Error: kmx-nvidia runs on Linux only, on a machine with an NVIDIA GPU and its driver")
	os.Exit(4)
}
