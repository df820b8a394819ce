package standin

// Frames are sizes to launch a kernel with: one of whole blocks, one of odd
// numbers. Downsample kernels show less than was rendered, others more.
func (k Kernel) Frames() []Frame {
	if k.Group == MDownsample {
		return []Frame{{96, 64, 48, 32}, {61, 35, 37, 21}}
	}
	return []Frame{{48, 32, 96, 64}, {37, 21, 61, 35}}
}
