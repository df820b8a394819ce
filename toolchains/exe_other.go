//go:build !windows

package toolchains

const exe = ""
