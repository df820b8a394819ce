package fatbin

// Limits bound what a library may make its reader do. Real DLSS libraries hold
// some hundred modules of up to a few MiB.
type Limits struct {
	Module int64 // bytes of one module, uncompressed
	Total  int64 // bytes of all modules of a library, uncompressed
	Ratio  int64 // uncompressed over compressed bytes; the first MiB is free
}

// DefaultLimits are used by Read, All and ReadHashes.
var DefaultLimits = Limits{Module: 256 << 20, Total: 4 << 30, Ratio: 1000}

// ratioFree is how much text the ratio is not asked about: short texts that
// repeat themselves compress well without being bombs.
const ratioFree = 1 << 20
