package fatbintest_test

import (
	"bytes"
	"debug/elf"
	"debug/pe"
	"testing"

	"kmx/cuda/fatbin/fatbintest"
)

// TestLibrariesAreValid reads what is written with the standard library, and
// follows each wrapper by hand.
func TestLibrariesAreValid(t *testing.T) {
	one := fatbintest.Container(fatbintest.Entry{PTX: fatbintest.Text("a", "\r\n"), Compression: "zstd"})
	two := fatbintest.Container(fatbintest.Entry{PTX: bytes.Repeat([]byte("x"), 9000)})

	p, err := pe.NewFile(bytes.NewReader(fatbintest.PE(one, two)))
	if err != nil {
		t.Fatal(err)
	}
	base := p.OptionalHeader.(*pe.OptionalHeader64).ImageBase
	binaries, wrappers := p.Section(".nv_fatb"), p.Section(".nvFatBi")
	follow(t, "PE", wrappers.Data, binaries.Data, base+uint64(binaries.VirtualAddress), one, two)
	if binaries.VirtualAddress+binaries.VirtualSize > wrappers.VirtualAddress {
		t.Error("the sections overlap in memory")
	}

	e, err := elf.NewFile(bytes.NewReader(fatbintest.ELF(true, one, two)))
	if err != nil {
		t.Fatal(err)
	}
	follow(t, "ELF", e.Section(".nvFatBinSegment").Data, e.Section(".nv_fatbin").Data, e.Section(".nv_fatbin").Addr, one, two)
}

func follow(t *testing.T, what string, wrappers, binaries func() ([]byte, error), address uint64, containers ...[]byte) {
	t.Helper()
	w, err1 := wrappers()
	b, err2 := binaries()
	if err1 != nil || err2 != nil {
		t.Fatal(what, err1, err2)
	}
	for i, c := range containers {
		at := uint64(0)
		for j := range 8 {
			at |= uint64(w[24*i+8+j]) << (8 * j)
		}
		if !bytes.HasPrefix(b[at-address:], c) {
			t.Errorf("%s: wrapper %d leads elsewhere", what, i)
		}
	}
}
