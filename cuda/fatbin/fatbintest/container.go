// Package fatbintest writes CUDA fat binaries and the smallest PE32+ and ELF
// libraries that carry them, so that tests need no file of NVIDIA's. It belongs
// to tests and to the stand-in libraries that tests make.
//
//	lib := fatbintest.PE(fatbintest.Container(
//		fatbintest.Entry{PTX: fatbintest.Text("k", "\r\n"), Compression: "lz4"},
//		fatbintest.Entry{Kind: 2, PTX: []byte("machine code")},
//	))
package fatbintest

import (
	"encoding/binary"
	"fmt"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

var le = binary.LittleEndian

// An Entry is one entry of a container.
type Entry struct {
	PTX         []byte
	Compression string // "" or "none", "lz4", "zstd"; anything else panics
	Kind        uint16 // 0 is 1, PTX; 2 is machine code
	Header      int    // bytes of the header; 0 is 64
	NULs        int    // bytes of zero that are stored behind the text
	SM          uint32 // 0 is 89
	Minor       uint16 // of the PTX version 8.x; 0 is 3
	Flags       uint64 // besides those of the compression
	// Edit changes the bytes of the header, to write damaged entries.
	Edit func(header []byte)
}

// Text is a PTX module with the given kernels and line end ("\n", "\r\n").
// Equal arguments give equal bytes.
func Text(kernels, lineEnd string) []byte {
	lines := []string{"//", "// stand-in module", "//", "", ".version 8.3", ".target sm_89", ".address_size 64", ""}
	for _, name := range strings.Fields(kernels) {
		lines = append(lines, fmt.Sprintf("\t// .globl\t%s", name), fmt.Sprintf(".visible .entry %s(", name),
			fmt.Sprintf("\t.param .align 8 .b8 %s_param_0[96]", name), ")", ".maxntid 128, 1, 1", "{", "\tret;", "}", "")
	}
	return []byte(strings.Join(lines, lineEnd))
}

// Container writes a fat binary of these entries.
func Container(entries ...Entry) []byte {
	var payload []byte
	for _, e := range entries {
		payload = append(payload, e.bytes()...)
	}
	head := make([]byte, 16)
	le.PutUint32(head, 0xBA55ED50)
	le.PutUint16(head[4:], 1)
	le.PutUint16(head[6:], 16)
	le.PutUint64(head[8:], uint64(len(payload)))
	return append(head, payload...)
}

func (e Entry) bytes() []byte {
	text := append(append([]byte{}, e.PTX...), make([]byte, e.NULs)...)
	header := make([]byte, max(e.Header, 64))
	kind, sm := e.Kind, e.SM
	if kind == 0 {
		kind = 1
	}
	if sm == 0 {
		sm = 89
	}
	stored, flags := text, e.Flags|1|0x40
	switch e.Compression {
	case "", "none":
	case "lz4":
		stored, flags = block(text), flags|0x2000
	case "zstd":
		stored, flags = frame(text), flags|0x8000
	default:
		panic("fatbintest: compression " + e.Compression)
	}
	if len(stored) > 0 && flags&(0x2000|0x8000) != 0 {
		le.PutUint32(header[16:], uint32(len(stored)))
		le.PutUint64(header[56:], uint64(len(text)))
	}
	padded := append(stored, make([]byte, -len(stored)&7)...)
	le.PutUint16(header, kind)
	le.PutUint16(header[2:], 0x0101)
	le.PutUint32(header[4:], uint32(len(header)))
	le.PutUint64(header[8:], uint64(len(padded)))
	minor := e.Minor
	if minor == 0 {
		minor = 3
	}
	le.PutUint16(header[24:], minor)
	le.PutUint16(header[26:], 8)
	le.PutUint32(header[28:], sm)
	le.PutUint64(header[40:], flags)
	if e.Edit != nil {
		e.Edit(header)
	}
	return append(header, padded...)
}

// block is a raw LZ4 block.
func block(text []byte) []byte {
	out := make([]byte, lz4.CompressBlockBound(len(text)))
	n, err := lz4.CompressBlock(text, out, nil)
	if err == nil && n > 0 {
		return out[:n]
	}
	// what does not get smaller is one run of literals
	out = []byte{0xf0}
	if len(text) < 15 {
		out[0] = byte(len(text)) << 4
		return append(out, text...)
	}
	rest := len(text) - 15
	for ; rest >= 255; rest -= 255 {
		out = append(out, 255)
	}
	return append(append(out, byte(rest)), text...)
}

// frame is a zstd frame with its content size.
func frame(text []byte) []byte { return encoder().EncodeAll(text, nil) }

// encoder is one for all frames: to make it costs more than most of them.
var encoder = sync.OnceValue(func() *zstd.Encoder {
	w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		panic(err)
	}
	return w
})
