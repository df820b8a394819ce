// Package kmx holds nothing but the tests that watch over the whole house:
// which room may import which, and what the everyday front door may drag in.
// The rooms are described in docs/design/rooms.md and by their own package
// comments.
package kmx
