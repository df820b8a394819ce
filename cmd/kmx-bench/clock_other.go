//go:build !unix

package main

import "time"

var began = time.Now()

// used is the time since the start where CPU time is not asked for.
func used() time.Duration { return time.Since(began) }
