package codeobj_test

import (
	"bytes"
	"strings"
	"testing"

	"kmx/amdgpu/codeobj"
	"kmx/amdgpu/codeobj/codeobjtest"
)

// everyCut checks that no beginning of a whole object is accepted.
func everyCut(t *testing.T, whole []byte, w codeobj.Want) {
	t.Helper()
	for n := range whole {
		_, ps := codeobj.Check(whole[:n:n], w)
		if len(ps) == 0 {
			t.Fatalf("the first %d of %d bytes are accepted", n, len(whole))
		}
		if n > 0 && !strings.Contains(ps[0].String(), "truncated") {
			t.Fatalf("the first %d of %d bytes: %v", n, len(whole), ps)
		}
	}
}

func TestTruncation(t *testing.T) {
	whole := codeobjtest.New("k", "gfx1200").Bytes()
	everyCut(t, whole, soundWant())
	_, ps := codeobj.Check(whole[:0x300], soundWant())
	expect(t, ps, []string{"truncated or corrupt: the section header table needs 0x2c0 bytes from offset 0x"})
	o, ps := codeobj.Check(whole[:0x300], codeobj.Want{Name: "k", Target: "gfx1201"})
	expect(t, ps, []string{"truncated or corrupt: the section header table", "this is a gfx1200 object in a gfx1201 folder"})
	if o == nil || o.Text() != nil {
		t.Error("a cut object should be returned, empty")
	}
}

func TestDamage(t *testing.T) {
	whole := codeobjtest.New("k", "gfx1200").Bytes()
	set := func(at int, with string) []byte {
		b := bytes.Clone(whole)
		copy(b[at:], with)
		return b
	}
	sections := int(whole[40]) | int(whole[41])<<8
	section := func(i, field int, with string) []byte { return set(sections+64*i+field, with) }
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"empty", nil, "truncated: the file is empty"},
		{"text", []byte("<html>not here</html>"), "not an ELF file: it begins with 3c 68 74 6d"},
		{"bundle", []byte("__CLANG_OFFLOAD_BUNDLE__\x02"), "a clang offload bundle; the raw object is needed"},
		{"compressed bundle", []byte("CCOB\x02\x00"), "a compressed clang offload bundle"},
		{"bitcode", []byte("BC\xc0\xde\x35"), "LLVM bitcode"},
		{"32-bit", set(4, "\x01"), "not a 64-bit little-endian ELF file"},
		{"host object", set(18, "\x3e\x00"), "not an AMDGPU object: the ELF machine at offset 18 is 62 (EM_X86_64)"},
		{"other OS ABI", set(7, "\x00"), "the OS ABI at offset 7 is not the HSA runtime's: want 64, got 0"},
		{"relocatable", set(16, "\x01"), "not a linked object (ELF type at offset 16): want ET_DYN, got ET_REL"},
		{"no segments", set(56, "\x00\x00"), "there are no program headers"},
		{"segment headers of another size", set(54, "\x20"), "size of a program header at offset 54: want 56, got 32"},
		{"no sections", set(60, "\x00\x00"), "there is no section header table"},
		{"section headers of another size", set(58, "\x28"), "size of a section header at offset 58: want 64, got 40"},
		{"section table elsewhere", set(40, "\xff\xff\xff\xff\xff\xff\xff\xff"), "the section header table needs 0x2c0 bytes from offset 0xffffffffffffffff"},
		{"segment beyond the end", set(64+56+32, "\xff\xff\xff\x7f"), "segment 1 (PT_LOAD) needs 0x7fffffff bytes"},
		{"segment larger than its memory", set(64+56+40, "\x01\x00\x00\x00"), "corrupt: segment 1 has"},
		{"section beyond the end", section(5, 32, "\xff\xff\xff\x7f"), "section 5 (.text) needs 0x7fffffff bytes"},
		{"section name", section(5, 0, "\xff\xff\xff\x7f"), "section 5 has its name at 0x7fffffff, outside the name table"},
		{"symbols in odd entries", section(2, 56, "\x10"), "section 2 (.dynsym) has 0x"},
		{"symbols without names", section(2, 40, "\x63"), "section 2 (.dynsym) takes its names from section 99 of 11"},
		{"symbol names outside", section(3, 32, "\x02\x00"), "has its name at 0x"},
		{"no dynamic symbols", section(2, 4, "\x01"), "there is no dynamic symbol table"},
		{"no note segment", set(64+3*56, "\x00"), "there is no AMDGPU metadata note"},
		{"note beyond its segment", set(64+4*56+4, "\xff\xff"), "the note at offset 0x120 reaches beyond its segment"},
		{"note of another type", set(64+4*56+8, "\x01"), "there is no AMDGPU metadata note"},
		{"metadata is no map", set(64+4*56+20, "\x01"), "AMDGPU metadata at offset 0x134, byte 0: the metadata: msgp: attempted to decode"},
		{"metadata cut short", set(64+4*56+20, "\x8f"), "AMDGPU metadata at offset 0x134, byte"},
		{"two files in one", append(bytes.Clone(whole), whole...), "and the file goes on for"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o, err := codeobj.Read(c.data)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("Read: %v", err)
			}
			checked, ps := codeobj.Check(c.data, soundWant())
			if len(ps) == 0 || (o == nil) != (checked == nil) {
				t.Errorf("Check: %v", ps)
			}
		})
	}
}

func FuzzRead(f *testing.F) {
	f.Add(codeobjtest.New("k", "gfx1200").Bytes())
	b := codeobjtest.New("k", "gfx1101")
	b.Comment, b.Text = "/tmp/a/b\x00", []byte("C:\\a\\b /home/x/")
	f.Add(b.Bytes())
	f.Add(b.Bytes()[:700])
	f.Add([]byte("\x7fELF"))
	f.Fuzz(func(t *testing.T, data []byte) {
		o, err := codeobj.Read(data)
		checked, ps := codeobj.Check(data, soundWant())
		if (o == nil) != (checked == nil) || err != nil && len(ps) == 0 {
			t.Fatalf("Read and Check differ: %v, %v", err, ps)
		}
		if o == nil {
			return
		}
		if len(o.Text()) > len(data) || len(o.Data()) > len(data) {
			t.Fatal("more code than file")
		}
		for _, k := range o.Kernels {
			k.Waves(o.Target)
		}
	})
}
