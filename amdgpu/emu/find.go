package emu

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// FindObjdump finds an llvm-objdump that can disassemble code objects:
// D4R_ROCM_DIR, then llvm-objdump-19 and llvm-objdump on PATH, then where
// distributions and mage setup put LLVM 19 and newer.
func FindObjdump() (string, error) {
	var places []string
	if rocm := os.Getenv("D4R_ROCM_DIR"); rocm != "" {
		places = append(places, filepath.Join(rocm, "llvm", "bin", "llvm-objdump"), filepath.Join(rocm, "bin", "llvm-objdump"))
	}
	places = append(places, "llvm-objdump-19", "llvm-objdump")
	majors := []int{19, 20, 21, 22, 23}
	for _, prefix := range privatePrefixes() {
		for _, major := range majors {
			places = append(places, filepath.Join(prefix, fmt.Sprintf("llvm-%d", major), "usr", "lib", fmt.Sprintf("llvm-%d", major), "bin", "llvm-objdump"),
				filepath.Join(prefix, fmt.Sprintf("llvm-%d", major), "bin", "llvm-objdump"))
		}
	}
	for _, major := range majors {
		for _, pattern := range []string{"/usr/lib/llvm-%d", "/usr/lib64/llvm%d", "/usr/lib/llvm%d", "/opt/homebrew/opt/llvm@%d", "/usr/local/opt/llvm@%d"} {
			places = append(places, filepath.Join(fmt.Sprintf(pattern, major), "bin", "llvm-objdump"))
		}
	}
	places = append(places, "/opt/rocm/llvm/bin/llvm-objdump")
	for _, p := range places {
		if path, err := exec.LookPath(p); err == nil {
			return filepath.Abs(path)
		}
	}
	return "", fmt.Errorf("no llvm-objdump was found (on PATH, in D4R_ROCM_DIR, in /usr/lib/llvm-19): " +
		"install the package llvm-19, or run go tool mage setup, which does")
}

// librariesOf is where an llvm-objdump of unpacked packages has its libraries,
// which the system's loader does not know: beside usr/lib/llvm-NN/bin. "" for one
// that is installed.
func librariesOf(objdump string) string {
	lib := filepath.Dir(filepath.Dir(filepath.Dir(objdump))) // usr/lib
	if lib == filepath.FromSlash("/usr/lib") || filepath.Base(lib) != "lib" || filepath.Base(filepath.Dir(lib)) != "usr" {
		return ""
	}
	dirs, err := filepath.Glob(filepath.Join(lib, "*-linux-*"))
	if err != nil {
		return ""
	}
	return strings.Join(dirs, string(filepath.ListSeparator))
}

// privatePrefixes are the folders in which mage setup unpacks compilers.
func privatePrefixes() []string {
	if dir := os.Getenv("KMX_TOOLCHAINS"); dir != "" {
		return []string{dir}
	}
	if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return []string{filepath.Join(dir, "kmx", "toolchains")}
	}
	if dir := os.Getenv("LocalAppData"); runtime.GOOS == "windows" && dir != "" {
		return []string{filepath.Join(dir, "kmx", "toolchains")}
	}
	if home, err := os.UserHomeDir(); err == nil {
		return []string{filepath.Join(home, ".local", "share", "kmx", "toolchains")}
	}
	return nil
}
