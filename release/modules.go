package release

import "kmx/cuda/fatbin"

// readModules gives the hashes of the kernels that a library file defines.
func readModules(file string) (KernelHashes, error) {
	return fatbin.ReadHashes(file)
}
