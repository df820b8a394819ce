package codeobj

import (
	"strings"
	"testing"

	"github.com/tinylib/msgp/msgp"
)

// pairs writes a MessagePack map of strings to already written values.
func pairs(kv ...string) []byte {
	b := msgp.AppendMapHeader(nil, uint32(len(kv)/2))
	for i := 0; i < len(kv); i += 2 {
		b = append(msgp.AppendString(b, kv[i]), kv[i+1]...)
	}
	return b
}

func packedString(s string) string { return string(msgp.AppendString(nil, s)) }

func soundNote(kernels string) []byte {
	return pairs("amdhsa.version", "\x92\x01\x02", "amdhsa.kernels", kernels, "amdhsa.target", packedString("amdgcn-amd-amdhsa--gfx1200"))
}

func TestMetadata(t *testing.T) {
	kernel := string(pairs(".name", packedString("k"), ".symbol", packedString("k.kd"), ".vgpr_count", "\x08", ".sgpr_count", "\x08",
		".private_segment_fixed_size", "\x00", ".group_segment_fixed_size", "\xcd\x20\x00", ".kernarg_segment_size", "\x10",
		".wavefront_size", "\x20", ".max_flat_workgroup_size", "\xcc\x80", ".workgroup_processor_mode", "\xc3",
		".reqd_workgroup_size", "\x93\x01\x02\x03", ".something_new", "\x81\xa1x\xc0"))
	md, err := parseMetadata(soundNote("\x91" + kernel))
	if err != nil || len(md.kernels) != 1 || md.gpu() != "gfx1200" {
		t.Fatalf("%+v, %v", md, err)
	}
	if k := md.kernels[0]; k.LDS != 8192 || k.MaxWorkgroup != 128 || !k.WGPMode || k.VGPRSpills != 0 {
		t.Errorf("%+v", k)
	}
	for _, c := range []struct {
		name string
		note []byte
		want string
	}{
		{"empty", nil, "byte 0: the metadata is cut short"},
		{"no kernels", pairs("amdhsa.version", "\x92\x01\x02", "amdhsa.target", packedString("x")), "amdhsa.kernels is missing"},
		{"a number for the target", pairs("amdhsa.target", "\x01"), "byte 15: amdhsa.target: msgp: attempted to decode type"},
		{"three versions", pairs("amdhsa.version", "\x93\x01\x02\x03"), "amdhsa.version has 3 numbers, not 2"},
		{"a negative count", soundNote("\x91" + strings.Replace(kernel, ".vgpr_count\x08", ".vgpr_count\xff", 1)), ".vgpr_count is -1"},
		{"a huge count", soundNote("\x91" + strings.Replace(kernel, ".vgpr_count\x08", ".vgpr_count\xce\xff\xff\xff\xff", 1)), ".vgpr_count is 4294967295"},
		{"a kernel without name", soundNote("\x91\x80"), "a kernel has no .name or no .symbol"},
		{"a million kernels in no bytes", pairs("amdhsa.kernels", "\xdd\x00\x10\x00\x00"), "a kernel is cut short"},
		{"bytes behind", append(soundNote("\x90"), 0xc0), "1 bytes follow the metadata"},
		{"a key that is a number", []byte("\x81\x01\x01"), "a key of the metadata: msgp: attempted to decode type"},
	} {
		if _, err := parseMetadata(c.note); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestTargetNames(t *testing.T) {
	for in, want := range map[string]string{
		"amdgcn-amd-amdhsa--gfx1201": "gfx1201", "amdgcn-amd-amdhsa--gfx90a:xnack+": "gfx90a",
		"amdgcn-amd-amdhsa--gfx11-generic": "gfx11-generic", "": "", "x": "x", "amdgcn-": "",
	} {
		if got := (&metadata{target: in}).gpu(); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func FuzzNote(f *testing.F) {
	f.Add(soundNote("\x90"))
	f.Add(soundNote("\x91\x82\xa5.name\xa1k\xa7.symbol\xa4k.kd"))
	f.Add(pairs("amdhsa.kernels", "\xdd\xff\xff\xff\xff"))
	f.Add([]byte(strings.Repeat("\x91", 4096)))
	f.Fuzz(func(t *testing.T, desc []byte) {
		md, err := parseMetadata(desc)
		if err == nil && len(md.kernels) > len(desc) {
			t.Fatal("more kernels than bytes")
		}
	})
}
