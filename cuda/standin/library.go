package standin

import (
	"bufio"
	"fmt"
	"io"

	"kmx/cuda/fatbin/fatbintest"
)

// Options choose what Write writes.
type Options struct {
	Version Version
	Fault   Fault
	// Pad adds modules and machine code until the file has about as many bytes.
	Pad int64
}

// binaries are the machine-code entries before the PTX of a container, by GPU.
func binaries(container int) []uint32 {
	return [][]uint32{{75, 86, 89}, {86, 89}, {75, 80, 86, 89}, {89, 120}}[container%4]
}

// machineCode looks like the start of an ELF file, and is nothing.
func machineCode(container int, sm uint32, size int) []byte {
	b := make([]byte, size)
	seeded("machine code", fmt.Sprint(container, "/", sm)).fill(b)
	copy(b, "\x7fELF\x02\x01\x01")
	return b
}

// compressions in turn by container, so that each occurs.
func compression(container int) string {
	return [...]string{"lz4", "none", "zstd", "lz4", "zstd"}[container%5]
}

var headers = [...]int{64, 72, 80, 96, 112}

// container writes the container of a number; text is empty where it holds
// machine code alone.
func containerOf(number int, text []byte, sm uint32) []fatbintest.Entry {
	var all []fatbintest.Entry
	for i, gpu := range binaries(number) {
		packed := "none"
		if i%2 == 1 {
			packed = "zstd"
		}
		all = append(all, fatbintest.Entry{Kind: 2, PTX: machineCode(number, gpu, 160+8*(number%11)), SM: gpu, Minor: 7,
			Compression: packed, Header: headers[(number+i)%len(headers)]})
	}
	if len(text) > 0 {
		all = append(all, fatbintest.Entry{PTX: text, Compression: compression(number), SM: sm, Minor: 7, NULs: 1 + number%7, Header: headers[number%len(headers)]})
	}
	return all
}

// Write writes a PE32+ library. An error is that of the writer, or says which
// option is not known.
func Write(w io.Writer, o Options) error {
	list, err := chosen(o)
	if err != nil {
		return err
	}
	if o.Fault == NotPE {
		_, err := io.WriteString(w, Notice)
		return err
	}
	texts := map[int]Module{}
	for _, s := range list {
		texts[s.container] = s.module()
	}
	var all [][]byte
	for n := range containers {
		m := texts[n]
		sm := uint32(89)
		if m.Target == "sm_120" {
			sm = 120
		}
		all = append(all, fatbintest.Container(containerOf(n, m.Text, sm)...))
	}
	if o.Fault == TwiceDefined {
		all = append(all, again(list))
	}
	all = o.pad(all)
	all = o.Fault.damage(all)
	image := fatbintest.Image{
		// mov eax, 1; ret: an entry point that says yes
		Before:     []fatbintest.Section{{Name: ".text", Body: []byte{0xb8, 1, 0, 0, 0, 0xc3}, Flags: fatbintest.Code}, {Name: ".rdata", Body: []byte(Notice), Flags: fatbintest.ReadOnly}, {Name: ".data", Body: make([]byte, 64), Flags: fatbintest.Data}},
		Containers: all,
		After:      []fatbintest.Section{{Name: ".reloc", Body: []byte{0, 0, 0, 0, 8, 0, 0, 0}, Flags: fatbintest.ReadOnly}},
	}
	out := bufio.NewWriterSize(o.Fault.wrap(w), 1<<20)
	if err := image.Write(out); err != nil {
		return err
	}
	return out.Flush()
}

// Notice is stored in every library that Write writes.
const Notice = "stand-in library of kmx: no code of NVIDIA's, no network, for tests only\x00"
