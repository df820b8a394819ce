// Package release makes the folders people use: sets of code objects with
// their manifests, and the release that holds them.
//
//	dist/<project>-<version>/manifest.json           kmx.release/1
//	dist/<project>-<version>/<set>/manifest.json     kmx.set/1
//	dist/<project>-<version>/<set>/NAME.hsaco        one object a kernel
//	dist/<project>-<version>/<set>/d4r-kernels.txt   when stamped
//	dist/dev/<set>/...                               partial builds, no root manifest
//
// Invariants:
//   - A release is whole or absent. It is written beside its final place,
//     proved complete there and exchanged in; a hole, a digest that differs or
//     an interruption leaves what was there before.
//   - Manifests are facts about bytes: no clock, no host, no path of the build
//     machine, no order of a map. Two machines with one matrix, one set of
//     sources and one toolchain write the same bytes.
//   - Files are 0644 and folders 0755 whatever the umask.
//   - A manifest that this package would not write is not read either: the
//     readers accept the canonical form only, so every byte of it is proved by
//     the digest above it, or by its own shape at the root.
//
// What a cell, an action or a code object is does not belong here: plans come
// in as plain values. Archives, signatures and comparisons of releases live in
// the rooms below this one.
package release
