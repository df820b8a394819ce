// Package engine runs a graph of actions: it looks each one up in the cache, runs what is missing in sandboxes, as
// many at a time as the machine has processors, and says what happens while it happens.
//
// # Words
//
//	action    a pure description of one process: symbolic tool, arguments, environment, inputs by digest, outputs
//	key       the BLAKE3 digest of every field of an action; equal keys mean equal outputs
//	node      an action in a graph: its label (the address of the cell), what it needs of other nodes, its guessed cost
//	need      an output of one node that is an input of another; its digest is known once the other node is done
//	record    what the cache keeps for a key: digests of the outputs, the messages of the tool, what it cost
//	sandbox   a directory that holds exactly the inputs of an action when it starts
//	executor  what turns an action into outputs: the local one here, a remote one elsewhere
//
// # Invariants
//
//   - Nothing enters a key but what [Action.Visit] shows, and records and explanations use the same visitor, so what
//     explain says cannot drift from what decides.
//   - A key carries no absolute path, no time, no user and no order of discovery: two checkouts share keys.
//   - An action sees its declared inputs only, byte for byte those of its key: they are hashed again while they are
//     copied into the sandbox. Where it promises a depfile, what it really read is checked against what it declared.
//   - A record exists only for an action that succeeded. Failures are reported and logged, never stored.
//   - A record is used only when all its outputs are in the cache.
//   - A key is run once: duplicates in a graph share a run, and processes that share a cache wait for each other.
//   - Nothing that finished is lost: it is in the cache before anyone is told that it is done.
//   - No process outlives the run that started it: an action has a process group of its own, which is killed as a whole,
//     and on Linux what leaves the group is found by its parents' end. A sandbox is used again when nobody is left in it.
//   - A process inherits nothing: its environment, its files and its folder are those given here.
//   - All decisions are taken by one goroutine (the dispatcher); the others compute and report. Events come from it
//     alone, in the order in which the decisions were taken.
//
// # What does not belong here
//
// What to build and why (plan), where a compiler comes from (toolchains), what an object must look like (a node's
// Check is given by the caller), how events look to people (report), exit codes (flow).
package engine
