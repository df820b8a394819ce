package cache

import "os"

// Peek reads the record of key with its fields, whether or not its outputs are
// still there. It is for telling what was, not for using what is: nothing is
// quarantined or marked as used.
func (c *Cache) Peek(key Digest) (*Record, bool) {
	info, err := os.Stat(c.file("act", key))
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxRead {
		return nil, false
	}
	b, err := os.ReadFile(c.file("act", key))
	if err != nil {
		return nil, false
	}
	r, err := decodeRecord(b, true)
	if err != nil || r.Key != key {
		return nil, false
	}
	return r, true
}

// SetAside tells whether a damaged record of key lies in quarantine.
func (c *Cache) SetAside(key Digest) bool {
	_, err := os.Lstat(c.path("quarantine", "record-"+key.String()))
	return err == nil
}
