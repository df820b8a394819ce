package standin

// Frames are sizes to launch a kernel with: one of whole blocks, others of odd
// numbers and with other flags. Downsample kernels show less than was rendered,
// others more.
func (k Kernel) Frames() []Frame {
	if k.Group == MDownsample {
		return []Frame{{96, 64, 48, 32}, {61, 35, 37, 21}, {50, 33, 26, 17}}
	}
	return []Frame{{48, 32, 96, 64}, {37, 21, 61, 35}, {25, 17, 50, 33}}
}
