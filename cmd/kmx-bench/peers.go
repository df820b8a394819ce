package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
)

// writeNinja writes a build.ninja for the project, and what ninja remembers of
// having built it: its log (version 5), and where deps is set its log of
// dependencies (version 4) instead of static ones. Each lies in a folder of its
// own. The formats are those of ninja 1.5 to 1.11; another one finds everything
// to do, which is noticed.
func writeNinja(root string, kernels int, deps bool) (file string, err error) {
	dir := "ninja-static"
	if deps {
		dir = "ninja-deps"
	}
	var build, log, names, records bytes.Buffer
	fmt.Fprintf(&build, "ninja_required_version = 1.5\nbuilddir = %s\nrule compile\n  command = %s $flags $in -o $out\n", dir, compilerFlags)
	if deps {
		build.WriteString("  depfile = $out.d\n  deps = gcc\n")
	}
	log.WriteString("# ninja log v5\n")
	le := binary.LittleEndian
	ids := map[string]uint32{}
	id := func(name string) uint32 {
		if n, ok := ids[name]; ok {
			return n
		}
		n := uint32(len(ids))
		ids[name] = n
		padded := append([]byte(name), make([]byte, (4-len(name)%4)%4)...)
		records.Write(le.AppendUint32(nil, uint32(len(padded)+4)))
		records.Write(padded)
		records.Write(le.AppendUint32(nil, ^n))
		return n
	}
	shared := ""
	for i := range headers {
		shared += " " + header(i)
	}
	for k := range kernels {
		for _, s := range sets() {
			out, line := object(s, k), command(s, k)
			info, err := os.Stat(filepath.Join(root, out))
			if err != nil {
				return "", err
			}
			mtime := info.ModTime().UnixNano()
			fmt.Fprintf(&build, "build %s: compile %s", out, source(k))
			if !deps {
				fmt.Fprintf(&build, " |%s", shared)
			}
			fmt.Fprintf(&build, "\n  flags = %s\n", setFlags(s))
			fmt.Fprintf(&log, "0\t1\t%d\t%s\t%x\n", mtime, out, murmur([]byte(line)))
			if deps {
				nodes := []uint32{id(out), id(source(k))}
				for i := range headers {
					nodes = append(nodes, id(header(i)))
				}
				r := le.AppendUint32(nil, uint32(4*(2+len(nodes)))|1<<31)
				r = le.AppendUint32(r, nodes[0])
				r = le.AppendUint64(r, uint64(mtime))
				for _, n := range nodes[1:] {
					r = le.AppendUint32(r, n)
				}
				records.Write(r)
			}
		}
	}
	file = dir + ".ninja"
	files := map[string]string{file: build.String(), dir + "/.ninja_log": log.String()}
	if deps {
		names.WriteString("# ninjadeps\n")
		names.Write(le.AppendUint32(nil, 4))
		files[dir+"/.ninja_deps"] = names.String() + records.String()
	}
	return file, writeAll(root, files)
}

// murmur is MurmurHash64A with ninja's seed, by which its log knows a command.
func murmur(b []byte) uint64 {
	const m, r = 0xc6a4a7935bd1e995, 47
	h := uint64(0xDECAFBADDECAFBAD) ^ uint64(len(b))*m
	for ; len(b) >= 8; b = b[8:] {
		k := binary.LittleEndian.Uint64(b) * m
		k ^= k >> r
		h = (h ^ k*m) * m
	}
	if len(b) > 0 {
		for i := len(b) - 1; i >= 0; i-- {
			h ^= uint64(b[i]) << (8 * i)
		}
		h *= m
	}
	h ^= h >> r
	h *= m
	return h ^ h>>r
}

// writeMake writes a Makefile with one explicit rule for each object.
func writeMake(root string, kernels int) error {
	var rules, objects bytes.Buffer
	shared := ""
	for i := range headers {
		shared += " " + header(i)
	}
	for k := range kernels {
		for _, s := range sets() {
			fmt.Fprintf(&rules, "%s: %s%s\n\t$(HIP) %s $< -o $@\n", object(s, k), source(k), shared, setFlags(s))
			fmt.Fprintf(&objects, " \\\n %s", object(s, k))
		}
	}
	text := "HIP = " + compilerFlags + "\nall:" + objects.String() + "\n.PHONY: all\n" + rules.String()
	return writeAll(root, map[string]string{"Makefile": text})
}
