// Package durable puts files and trees in place so that a reader, a crash or a
// second process never sees half of one.
//
// Every file is written beside its final place under a temporary name, given
// its exact mode (whatever the umask says), closed and renamed. Trees are
// exchanged as a whole. Nothing here ever makes a hard link: two names for one
// inode would let a write through one of them change the other.
//
// No function syncs on its own: a torn file after a power cut is the caller's
// to detect (the cache verifies digests). Call SyncFS once, before a tree that
// must survive a power cut is exchanged.
//
// What is in a file, digests and cache layout do not belong here.
package durable
