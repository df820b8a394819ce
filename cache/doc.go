// Package cache keeps what builds have made, and what is known about files,
// from one run to the next.
//
// The folder of a cache:
//
//	cas/aa/<digest>   blobs, named by the BLAKE3 of their bytes
//	act/aa/<key>      one record for each action that succeeded
//	memo              digests of files, by their stat
//	state/<checkout>  logs, history and snapshots of one checkout
//	tmp/              sandboxes and files being written
//	lock/             locks between processes, one file each while held
//	quarantine/       damaged blobs and records, kept for a look
//	pins/             what finished releases were made of, one file each
//	collected         what the last collection did
//
// Invariants:
//
//   - Nothing here is needed: the whole folder can be removed at any time, and
//     any file in it can be damaged in any way. Damage is found when a file is
//     read (every file carries or is named by a digest of its bytes), is told
//     once through the warn function, and is then a miss. It is never an error
//     and never a wrong byte.
//   - Any number of processes use one cache at once. Files appear by rename
//     and are not changed afterwards.
//   - Blobs leave the cache as reflinks or copies, never as hard links.
//   - The modification time of a blob or record is when it was used, to within
//     an hour. Nothing is collected within a day of it, nor what a pin keeps.
//   - Nothing is synced: what a power cut tears is damage like any other.
//
// A [Snapshot] and a [History] belong to one checkout; both are optional in
// the same sense. What an action is, when it runs and what its outputs mean is
// not known here.
package cache
