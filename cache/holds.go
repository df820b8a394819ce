package cache

// Holds reports whether the blob with digest d is there and sound, and marks it
// as used. One that is damaged is set aside.
func (c *Cache) Holds(d Digest) bool {
	_, err := c.Blob(d)
	return err == nil
}
