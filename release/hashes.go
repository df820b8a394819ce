package release

import (
	"bufio"
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// KernelHashes are the FNV-1a 64 hashes of the PTX modules that define a
// kernel, by kernel name; several library versions give several hashes.
type KernelHashes map[string][]uint64

// Text is d4r-kernels.txt: comments, then one "NAME hash" a line, the hash as
// 16 lower-case hex digits, sorted by name and hash, LF line ends. A name with
// several hashes has several lines. The bridge serves NAME.hsaco only after it
// has seen a module with one of these hashes.
func (k KernelHashes) Text() []byte {
	var b bytes.Buffer
	b.WriteString("# kernel, FNV-1a 64 of a PTX module that defines it\n")
	for _, name := range slices.Sorted(maps.Keys(k)) {
		for _, h := range slices.Compact(slices.Sorted(slices.Values(k[name]))) {
			fmt.Fprintf(&b, "%s %016x\n", name, h)
		}
	}
	return b.Bytes()
}

// ParseKernels reads d4r-kernels.txt. Empty lines and lines that begin with
// '#' are skipped; CRLF is tolerated; anything else that is not a name and 16
// hex digits is an error with its line number.
func ParseKernels(data []byte) (KernelHashes, error) {
	k := KernelHashes{}
	lines := bufio.NewScanner(bytes.NewReader(data))
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, hash, _ := strings.Cut(line, " ")
		hash = strings.TrimSpace(hash)
		v, err := strconv.ParseUint(hash, 16, 64)
		if err != nil || len(hash) != 16 || hash[0] == '+' {
			return nil, fmt.Errorf("%s:%d: %s is not a kernel name and 16 hex digits", KernelsFile, n, quote(line))
		}
		k[name] = append(k[name], v)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", KernelsFile, err)
	}
	for name := range k {
		slices.Sort(k[name])
		k[name] = slices.Compact(k[name])
	}
	return k, nil
}
