package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kmx/amdgpu/emu"
	"kmx/cache"
	"kmx/report"
	"kmx/toolchains/toolchaintest"
)

// counting is a kernel with a layer's name and parameters. Every lane stores four
// bytes in LDS and loads them; the launch has six work-groups of as many waves as the layer has heads.
const counting = `
struct P { char bytes[176]; };
extern "C" __attribute__((global)) void dltss_pwin_enc1_layer(P) {
  __attribute__((shared)) static unsigned shared[8 * 32];
  volatile __attribute__((address_space(3))) unsigned *s = (volatile __attribute__((address_space(3))) unsigned *)shared;
  unsigned i = 32 * __builtin_amdgcn_workitem_id_z() + __builtin_amdgcn_workitem_id_x();
  s[i] = i;
  if (s[i] != i) __builtin_trap();
}
`

func countingObject(t *testing.T, dir string) string {
	t.Helper()
	source, object := filepath.Join(dir, "k.hip"), filepath.Join(dir, "k.hsaco")
	if err := os.WriteFile(source, []byte(counting), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := toolchaintest.Clang(t, "-x", "hip", "--offload-arch=gfx1201", "--offload-device-only", "--no-gpu-bundle-output", "-nogpuinc", "-nogpulib", "-nostdlibinc",
		"--no-default-config", "-O2", "-fuse-cuid=none", "-mcode-object-version=5", "-o", object, source)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, out)
	}
	return object
}

func TestStats(t *testing.T) {
	if _, err := emu.FindObjdump(); err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	object := countingObject(t, dir)
	data, err := os.ReadFile(object)
	if err != nil {
		t.Fatal(err)
	}
	digest := cache.Sum(data)
	list, file := filepath.Join(dir, "objects.json"), filepath.Join(dir, "stats.json")
	put := func(objects ...countedObject) {
		data, err := json.Marshal(objects)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(list, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := func(choices ...string) (string, error) {
		var out bytes.Buffer
		err := stats(t.Context(), &out, flag.NewFlagSet("stats", flag.ContinueOnError), []string{list, file}, choices)
		return out.String(), err
	}
	first := countedObject{"k/dltss_pwin_enc1_layer@gfx1201", "dltss_pwin_enc1_layer", digest, object}
	put(first, countedObject{"toy/add@gfx1201", "add", cache.Sum(nil), "nowhere"})
	table, err := run()
	if err != nil || strings.Count(table, "\n") != 2 || !strings.Contains(table, "k/dltss_pwin_enc1_layer@gfx1201") {
		t.Fatalf("%v\n%s", err, table)
	}
	known, err := report.ReadEmulations(file)
	if err != nil {
		t.Fatal(err)
	}
	e := known[digest]
	if len(known) != 1 || e == nil {
		t.Fatalf("%+v", known)
	}
	waves := e.Waves // six windows of the layer's heads
	if waves%6 != 0 || waves == 0 || e.Instructions["lds"] != 2*waves || e.LDS != (report.Moved{Loaded: 128 * waves, Stored: 128 * waves}) || e.LDSCycles != 2*waves || e.LDSConflicts != 0 || e.Target != "gfx1201" ||
		e.Total() < 3*waves || !strings.HasPrefix(e.Case, "six windows: 24x16 tokens") {
		t.Errorf("%+v", e)
	}
	// Known objects are not run again, under whatever name they come.
	first.Address, first.Path = "k/twin@gfx1201", "nowhere"
	put(first)
	if table, err = run(); err != nil || !strings.Contains(table, "k/twin@gfx1201") {
		t.Errorf("%v\n%s", err, table)
	}
	if _, err := run("-again"); err == nil || !strings.Contains(err.Error(), "k/twin@gfx1201") {
		t.Errorf("a file that is not there: %v", err)
	}
	text, err := run("-json")
	if err != nil || !strings.Contains(text, `"schema": "kmx.stats/1"`) || !strings.Contains(text, digest.String()) {
		t.Errorf("%v\n%s", err, text)
	}
	if err := os.WriteFile(file, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := run(); err == nil || !strings.Contains(err.Error(), "kmx.stats/1") {
		t.Errorf("a file of another kind: %v", err)
	}
}
