//go:build !linux

package main

// peak is not measured here.
func (c *contender) peak() (int64, error) { return 0, nil }
