package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// A set is a folder of a release: what one GPU loads with one choice of numerics
// and FP8.
type set struct {
	path, target  string
	accuracy, fp8 bool
}

// setsOfAll is the number of sets, and so of cells of each kernel.
const setsOfAll = 16

func sets() []set {
	var all []set
	for _, accuracy := range []bool{false, true} {
		prefix := ""
		if accuracy {
			prefix = "accuracy/"
		}
		for _, target := range []string{"gfx1100", "gfx1101", "gfx1102", "gfx1103", "gfx1200", "gfx1201"} {
			all = append(all, set{prefix + target, target, accuracy, false})
			if target > "gfx12" {
				all = append(all, set{prefix + target + "-fp8", target, accuracy, true})
			}
		}
	}
	return all
}

const headers = 5 // shared by all kernels

func header(i int) string { return fmt.Sprintf("kernels/common/common%d.h", i) }
func source(k int) string { return fmt.Sprintf("kernels/src/kernel%05d.hip", k) }

// writeProject writes a matrix of some kernels x 16 sets with its sources: five
// shared headers and one small private source for each kernel.
func writeProject(root string, kernels int) error {
	files := map[string]string{"matrix.hcl": matrixText(kernels)}
	for i := range headers {
		files[header(i)] = fmt.Sprintf("#pragma once\n#define COMMON%d %d\n", i, i)
	}
	for k := range kernels {
		var b strings.Builder
		for i := range headers {
			fmt.Fprintf(&b, "#include \"common%d.h\"\n", i)
		}
		fmt.Fprintf(&b, "extern \"C\" __attribute__((global)) void kernel%05d(float *p) {\n", k)
		fmt.Fprintf(&b, "  for (int i = 0; i < 64; i++) p[i] = p[i] * %d.0f + COMMON4;\n", k+1)
		b.WriteString("#ifdef D4R_ACCURACY\n  *p += 2;\n#endif\n#ifdef D4R_FP8_WMMA\n  *p += 3;\n#endif\n}\n")
		files[source(k)] = b.String()
	}
	return writeAll(root, files)
}

func writeAll(root string, files map[string]string) error {
	made := map[string]bool{}
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if dir := filepath.Dir(path); !made[dir] {
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return err
			}
			made[dir] = true
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func matrixText(kernels int) string {
	var rows strings.Builder
	for k := range kernels {
		fmt.Fprintf(&rows, "      { id = \"%05d\" },\n", k)
	}
	return fmt.Sprintf(`edition = 1
project "bench" {
  licence = "Apache-2.0"
  version = "1.0"
  date    = "2026-11-30"
}
generation "gfx11" {
  targets = ["gfx1100", "gfx1101", "gfx1102", "gfx1103"]
  waves   = [32, 64]
  fp8     = false
}
generation "gfx12" {
  targets = ["gfx1200", "gfx1201"]
  waves   = [32, 64]
  fp8     = true
}
axis "numerics" {
  values  = ["fast", "accuracy"]
  default = "fast"
}
axis "fp8" {
  values  = [false, true]
  default = false
  allow   = !fp8 || target.fp8
}
toolchain "hip" {
  kind  = "clang"
  flags = ["-std=c++20", "-O3", "-nogpuinc", "-nogpulib", "-nostdlibinc", "-ffp-contract=off", "-fuse-cuid=none"]
}
family "bench" {
  title     = "tiny kernels"
  toolchain = toolchain.hip
  axes      = [axis.numerics, axis.fp8]
  include   = ["kernels/common"]
  defines = {
    D4R_ACCURACY = numerics == "accuracy"
    D4R_FP8_WMMA = fp8
  }
  kernels "all" {
    for = { kernel = [
%s    ] }
    name   = "kernel${kernel.id}"
    source = "kernels/src/kernel${kernel.id}.hip"
    expect = %d
  }
}
release "bench" {
  sets {
    for    = { numerics = axis.numerics, target = "*", fp8 = axis.fp8 }
    path   = "${numerics == "accuracy" ? "accuracy/" : ""}${target.name}${fp8 ? "-fp8" : ""}"
    expect = 16
  }
  kernels_per_set = %d
}
`, rows.String(), kernels, kernels)
}

const releaseDir = "dist/bench-1.0"

// object is where the code object of a kernel lies in a release.
func object(s set, kernel int) string {
	return fmt.Sprintf("%s/%s/kernel%05d.hsaco", releaseDir, s.path, kernel)
}

// compilerFlags are what all commands have in common: as long as in the real
// matrix.
const compilerFlags = "/usr/lib/llvm-19/bin/clang++ -x hip --offload-device-only -std=c++20 -O3 -Wall -Wextra -Werror" +
	" -nogpuinc -nogpulib -nostdlibinc -ffp-contract=off -fuse-cuid=none -mcode-object-version=5 --no-gpu-bundle-output" +
	" -Ikernels/common"

// setFlags are the flags of a set.
func setFlags(s set) string {
	flags := "--offload-arch=" + s.target
	if s.accuracy {
		flags += " -DD4R_ACCURACY=1"
	}
	if s.fp8 {
		flags += " -DD4R_FP8_WMMA=1"
	}
	return flags
}

// command is a whole command line of a compiler.
func command(s set, kernel int) string {
	return compilerFlags + " " + setFlags(s) + " " + source(kernel) + " -o " + object(s, kernel)
}

// writeRelease writes what a release of the project leaves: objects (of few
// bytes: nobody reads them), a manifest in each set and one at the root.
func writeRelease(root string, kernels int) error {
	for _, s := range sets() {
		files := map[string]string{releaseDir + "/" + s.path + "/kmx-set.json": "{}\n"}
		for k := range kernels {
			files[object(s, k)] = "object\n"
		}
		if err := writeAll(root, files); err != nil {
			return err
		}
	}
	return writeAll(root, map[string]string{releaseDir + "/kmx-release.json": "{}\n"})
}
