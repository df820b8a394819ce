package cache

import "time"

// A Watch tells whether paths are still as they were when they were added:
// files by their stats, places with nothing there by that, and folders by being
// folders. It is a Snapshot for a program that stays, kept in memory. It is not
// for use from several goroutines at a time.
type Watch struct {
	entries []watched
	known   map[string]bool
	now     func() time.Time
}

type watched struct {
	entry
	// The stats of a file that was written lately prove nothing (see
	// safetyWindow); its bytes are looked at once more when they do.
	young  bool
	digest Digest
}

// NewWatch begins a watch over nothing.
func NewWatch() *Watch { return &Watch{known: map[string]bool{}, now: time.Now} }

// Add adds a path as it is now. Adding it again does nothing.
func (w *Watch) Add(path string) {
	if w.known[path] {
		return
	}
	w.known[path] = true
	e := watched{entry: entry{path: path}}
	st, err := statPath(path)
	if err != nil {
		e.absent = true // also where it cannot be looked at
	} else if e.stat = st; st.isRegular() && !st.settled(w.now()) {
		e.young = true
		e.digest, _ = digestOf(path) // zero, and so no file's, if it cannot be read
	}
	w.entries = append(w.entries, e)
}

// Has tells whether a path was added.
func (w *Watch) Has(path string) bool { return w.known[path] }

// Renew is a watch over the same paths as they are now.
func (w *Watch) Renew() *Watch {
	n := &Watch{known: map[string]bool{}, now: w.now}
	for _, e := range w.entries {
		n.Add(e.path)
	}
	return n
}

// Changed names a path that is not as it was, and "" while there is none.
func (w *Watch) Changed() string {
	for i := range w.entries {
		e := &w.entries[i]
		st, err := statPath(e.path)
		if err != nil || e.absent {
			if (err != nil) != e.absent {
				return e.path
			}
			continue
		}
		if !st.isRegular() && st.mode&modeType == e.mode&modeType {
			continue // names may come and go in it
		}
		if differs(e.path, e.stat, false, st, nil) != "" {
			return e.path
		}
		if e.young && st.settled(w.now()) {
			e.young = false
			if d, err := digestOf(e.path); err != nil || d != e.digest {
				return e.path
			}
		}
	}
	return ""
}

func digestOf(path string) (Digest, error) {
	b, err := readOnce(path)
	if err != nil {
		return Digest{}, err
	}
	return Sum(b), nil
}
