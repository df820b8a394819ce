package cache

import "fmt"

// A Reason says why something is not in the cache.
type Reason string

// The reasons of a Miss.
const (
	Absent       Reason = "absent"            // never stored, or collected
	Unreadable   Reason = "unreadable"        // the file is there, reading it fails
	WrongVersion Reason = "wrong version"     // written by another version of kmx
	Damaged      Reason = "damaged"           // its bytes are not those stored; quarantined
	OutputGone   Reason = "an output is gone" // the record is there, one of its blobs is not
)

// A Miss is the error for what the cache does not have. The thing can be made
// again and stored; nothing is wrong with the caller's request.
type Miss struct {
	Key    Digest // of the record or blob that is missing
	Reason Reason
	Detail string // more for people, or ""
}

func (m *Miss) Error() string {
	if m.Detail == "" {
		return fmt.Sprintf("not in the cache: %s (%s)", m.Key, m.Reason)
	}
	return fmt.Sprintf("not in the cache: %s (%s: %s)", m.Key, m.Reason, m.Detail)
}
