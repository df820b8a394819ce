//go:build linux

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kmx/cuda/fatbin/fatbintest"
)

// The project of all rows: three kernels for two GPUs in two numerics, with a
// header in common, a library that stamps the release, and a marker.
const (
	headerFile  = "include/kernel.h"
	libraryFile = "nvngx_dlss.dll"
	releaseName = "toy-1.0"
)

var kernels = []string{"add", "mul", "mix"}

const matrixText = `edition = 1
project "toy" {
  licence = "Apache-2.0"
  version = "1.0"
  date    = "2026-11-30"
}
variable "dlss" {
  type    = list(string)
  default = []
  env     = "D4R_DLSS_DLLS"
  machine = true
}
generation "gfx11" {
  targets = ["gfx1101"]
  waves   = [32, 64]
  fp8     = false
}
generation "gfx12" {
  targets = ["gfx1201"]
  waves   = [32, 64]
  fp8     = true
}
axis "numerics" {
  values  = ["fast", "accuracy"]
  default = "fast"
}
library "dlss" {
  paths = var.dlss
  match = "nvngx_dlss.dll"
}
toolchain "hip" {
  kind  = "clang"
  flags = ["-std=c++20", "-O2", "-nogpuinc", "-nogpulib", "-nostdlibinc", "-fuse-cuid=none"]
}
family "toy" {
  title     = "kernels to disturb"
  toolchain = toolchain.hip
  library   = library.dlss
  axes      = [axis.numerics]
  include   = ["include"]
  defines   = { D4R_ACCURACY = numerics == "accuracy" }
  kernels "all" {
    for    = { op = ["add", "mul", "mix"] }
    name   = op
    source = "${op}.hip"
    expect = 3
  }
}
release "toy" {
  sets {
    for    = { numerics = axis.numerics, target = "*" }
    path   = "${numerics == "accuracy" ? "accuracy/" : ""}${target.name}"
    marker = numerics == "accuracy" ? { "d4r-accuracy.txt" = "1\n" } : {}
    expect = 4
  }
  kernels_per_set = 3
}
`

const headerText = `// What all kernels have in common.
#pragma once
#define STEP 1
#define KERNEL extern "C" __attribute__((global, amdgpu_flat_work_group_size(1, 1024))) void
`

// projectFiles are the sources as declared, by path.
func projectFiles() map[string]string {
	files := map[string]string{"matrix.hcl": matrixText, headerFile: headerText}
	for i, k := range kernels {
		files[k+".hip"] = fmt.Sprintf(`#include "kernel.h"
// One step of %[1]s.
KERNEL %[1]s(float *p) {
  unsigned i = __builtin_amdgcn_workitem_id_x();
  float v = p[i];
  for (int n = 0; n < %[2]d; ++n) v = v * p[i + n * STEP] + %[2]d.0f;
#ifdef D4R_ACCURACY
  v += p[i + 7];
#endif
  p[i] = v;
}
`, k, i+3)
	}
	files[libraryFile] = libraryText()
	return files
}

func libraryText() string {
	var entries []fatbintest.Entry
	for _, k := range kernels {
		entries = append(entries, fatbintest.Entry{PTX: fatbintest.Text(k, "\n"), Compression: "none"})
	}
	return string(fatbintest.PE(fatbintest.Container(entries...)))
}

// A site is a checkout of the project with its cache.
type site struct {
	lab        *lab
	dir, cache string
	env        []string // beyond what every command gets
	real       bool     // built by the compiler of this machine, not by the one with faults
}

// site makes a fresh checkout with an empty cache, in the place of an older one
// of that name.
func (l *lab) site(name string) (*site, error) {
	s := &site{lab: l, dir: filepath.Join(l.Work, name), cache: filepath.Join(l.Work, name+".cache")}
	for _, dir := range []string{s.dir, s.cache} {
		if err := os.RemoveAll(dir); err != nil {
			return nil, err
		}
	}
	return s, s.declare()
}

// declare puts the sources where they differ from what is declared.
func (s *site) declare() error {
	for name, text := range projectFiles() {
		path := s.path(name)
		if old, err := os.ReadFile(path); err == nil && string(old) == text {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func (s *site) path(name string) string { return filepath.Join(s.dir, filepath.FromSlash(name)) }

// store is a place in the cache; * in it stands for the only name that fits.
func (s *site) store(pattern string) (string, error) {
	found, err := filepath.Glob(filepath.Join(s.cache, filepath.FromSlash(pattern)))
	if err != nil || len(found) == 0 {
		return "", fmt.Errorf("the cache has no %s (%v)", pattern, err)
	}
	slices.Sort(found)
	return found[0], nil
}

// edit replaces the first old text in a file.
func (s *site) edit(name, old, new string) error {
	data, err := os.ReadFile(s.path(name))
	if err != nil {
		return err
	}
	if !strings.Contains(string(data), old) {
		return fmt.Errorf("%s does not hold %q", name, old)
	}
	return os.WriteFile(s.path(name), []byte(strings.Replace(string(data), old, new, 1)), 0o644)
}
