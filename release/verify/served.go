package verify

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kmx/amdgpu/codeobj"
	"kmx/internal/diag"
	"kmx/internal/durable"
	"kmx/release"
	"kmx/release/pack"
)

// Served is a kernel of the folder and what becomes of it.
type Served struct {
	Name   string   `json:"name"`
	Served bool     `json:"served"`           // or will be, once a module with one of the hashes is loaded
	Why    string   `json:"why,omitempty"`    // not, or when
	Hashes []string `json:"hashes,omitempty"` // FNV-1a 64 of modules, 16 hex digits
}

// serve lists the kernels of the folder that was chosen.
func (s *Selection) serve(ctx context.Context, m Machine) error {
	objects, err := objectsIn(s.Folder)
	if err != nil {
		return err
	}
	loaded, err := loadedModules(ctx, m.Libraries)
	if err != nil {
		return err
	}
	hashes := release.KernelHashes{}
	if s.Mode == HashChecked {
		data, err := durable.ReadFile(filepath.Join(s.Folder, release.KernelsFile), pack.MaxText)
		if err == nil {
			hashes, err = release.ParseKernels(data)
		}
		if err != nil {
			return diag.Failf(diag.Verify, "stamp the release again", "%s: %w", s.Folder, err)
		}
	}
	names := map[string]bool{}
	for name := range objects {
		names[name] = true
	}
	for name := range hashes {
		names[name] = true
	}
	dropped, stale := 0, 0
	for _, name := range slices.Sorted(maps.Keys(names)) {
		k := Served{Name: name}
		for _, h := range hashes[name] {
			k.Hashes = append(k.Hashes, fmt.Sprintf("%016x", h))
		}
		_, listed := hashes[name]
		switch {
		case !objects[name]:
			k.Why = "it has a hash and no object"
			s.wrong("%s: %s", name, k.Why)
		case s.Mode == HashChecked && !listed:
			k.Why = "it has no hash in " + release.KernelsFile
			s.wrong("%s: %s, so it is never served", name, k.Why)
		case s.Mode == HashChecked && m.Settings[swinSetting] == "0" && isSwin(name):
			k.Why = swinSetting + "=0 drops it"
			dropped++
		default:
			k.Served = true
		}
		if k.Served {
			if what := s.foreign(name); what != "" {
				k.Served, k.Why = false, what
				s.wrong("%s: %s", name, what)
			}
		}
		if k.Served && s.Mode == HashChecked {
			k.Why = "once a module with its hash is loaded"
			if loaded != nil {
				if k.Served, k.Why = loaded.has(name, hashes[name]); !k.Served {
					stale++
					s.wrong("%s: %s", name, k.Why)
				}
			}
		}
		s.Kernels = append(s.Kernels, k)
	}
	if dropped > 0 {
		s.note("%s=0 drops %s", swinSetting, count(dropped, "kernel"))
	}
	if stale > 0 {
		s.note("stamp the release for these libraries: %d of %s would never be served", stale, count(len(s.Kernels), "kernel"))
	}
	s.output()
	return nil
}

// output tells whether the last kernel of the network is native, without which the
// bridge does not write its output directly.
func (s *Selection) output() {
	if len(s.Kernels) == 0 {
		s.wrong("the folder holds no object")
	}
	for _, k := range s.Kernels {
		if k.Served && (strings.HasPrefix(k.Name, "hiluma_engine_output") || strings.HasPrefix(k.Name, "rrlite_downsample_kernel")) {
			return
		}
	}
	s.note("no output kernel (hiluma_engine_output*, rrlite_downsample_kernel*) is served, so output is not direct")
}

// isSwin says whether D4R_NATIVE_SWIN_ENCODERS=0 drops the kernel.
func isSwin(name string) bool {
	return strings.HasPrefix(name, "rrlite_enc1") || strings.HasPrefix(name, "rrlite_enc2")
}

// objectsIn are the names of the objects in a folder.
func objectsIn(dir string) (map[string]bool, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, diag.Failf(diag.IO, "", "%w", err)
	}
	names := map[string]bool{}
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), release.ObjectSuffix); ok && has(dir, e.Name()) {
			names[name] = true
		}
	}
	return names, nil
}

// foreign says why the GPU cannot run an object, "" if it can.
func (s *Selection) foreign(name string) string {
	data, err := durable.ReadFile(filepath.Join(s.Folder, name+release.ObjectSuffix), pack.MaxText)
	if err != nil {
		return err.Error()
	}
	obj, err := codeobj.Read(data)
	switch {
	case obj == nil:
		return fmt.Sprintf("it is no code object: %v", err)
	case s.GPU != "" && obj.Target != s.GPU:
		return fmt.Sprintf("it is for %s, the GPU is %s", obj.Target, s.GPU)
	}
	return ""
}

// modules are what libraries will load: the hashes of all modules, and those that
// define a kernel.
type modules struct {
	all     map[uint64]bool
	kernels release.KernelHashes
}

// loadedModules reads the modules of libraries, which are files or folders with
// .dll files; nil where none is given.
func loadedModules(ctx context.Context, given []string) (*modules, error) {
	if len(given) == 0 {
		return nil, nil
	}
	var files []string
	for _, name := range given {
		info, err := os.Stat(name)
		if err != nil || !info.IsDir() {
			files = append(files, name)
			continue
		}
		files = append(files, release.LibraryRule{Match: "*.dll"}.FilesOf([]string{name})...)
	}
	if len(files) == 0 {
		return nil, diag.Failf(diag.Usage, "name the DLSS libraries themselves", "%s: no library is there", strings.Join(given, ", "))
	}
	libs, err := release.ReadLibraries(ctx, []release.LibraryRule{{Name: "given", Match: "*"}}, files)
	if err != nil {
		return nil, err
	}
	m := &modules{map[uint64]bool{}, libs[0].Kernels}
	for _, hashes := range m.kernels {
		for _, h := range hashes {
			m.all[h] = true
		}
	}
	return m, nil
}

// has says whether a kernel with these hashes will be served, and why.
func (m *modules) has(name string, hashes []uint64) (bool, string) {
	for _, h := range hashes {
		if m.all[h] {
			return true, fmt.Sprintf("module %016x is in the libraries", h)
		}
	}
	now := m.kernels[name]
	if len(now) == 0 {
		return false, "no module of the libraries defines it"
	}
	var is []string
	for _, h := range now {
		is = append(is, fmt.Sprintf("%016x", h))
	}
	return false, "stale: the libraries define it in module " + strings.Join(is, ", ") + ", another than it was stamped for"
}

// needs holds what the release says that its objects need against the settings.
func (s *Selection) needs(given Settings) error {
	set, err := release.ReadSet(s.Folder)
	if err != nil {
		s.note("what its objects need is not known: %s has no readable %s", s.Folder, release.ManifestFile)
		return nil
	}
	if set.Developer != "" {
		s.note("not for shipping: %s", set.Developer)
	}
	root, err := filepath.Abs(s.Folder)
	if err != nil {
		return diag.Failf(diag.IO, "", "%w", err)
	}
	for range strings.Count(set.Path, "/") + 1 {
		root = filepath.Dir(root)
	}
	r, err := release.ReadRelease(root)
	if err != nil {
		s.note("what its objects need is not known: the manifest of its release is not at %s", root)
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(r.Runtime.Settings)) {
		want := r.Runtime.Settings[name]
		got, said := given.effective(name)
		switch {
		case said && got == want:
		case !said:
			s.wrong("its objects need %s=%s, which the settings do not say", name, want)
		case s.Accuracy && isForced(name):
			s.wrong("its objects need %s=%s, and %s=1 makes it %s", name, want, accuracySetting, got)
		default:
			s.wrong("its objects need %s=%s, the settings say %s", name, want, got)
		}
	}
	s.note("its objects need hook ABI %d", r.Runtime.HookABI)
	return nil
}
