package toolchains

import (
	"bytes"
	"context"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"kmx/internal/group"
)

// trialTargets: one GPU of each generation.
var trialTargets = []string{"gfx1100", "gfx1201"}

// trialMachine is the GPU number in the low byte of an object's e_flags.
var trialMachine = map[string]uint32{"gfx1100": 0x41, "gfx1201": 0x4e}

// A header of the compiler's own is included, so that a prefix without them is
// found out.
const trialSource = `#include <stdint.h>
extern "C" __attribute__((global)) void kmx_trial(uint32_t *p, uint32_t v) { p[__builtin_amdgcn_workitem_id_x()] = v; }
`

// try compiles a small kernel for each trial target and looks at the objects.
func try(ctx context.Context, in *installation) error {
	dir, err := os.MkdirTemp("", "kmx-setup-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "trial.hip"), []byte(trialSource), 0o644); err != nil {
		return err
	}
	for _, target := range trialTargets {
		if err := in.compileTrial(ctx, dir, target); err != nil {
			return fmt.Errorf("%s: %w", target, err)
		}
	}
	return nil
}

func (in *installation) compileTrial(ctx context.Context, dir, target string) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	args := []string{"-x", "hip", "--offload-arch=" + target, "--offload-device-only", "--no-gpu-bundle-output",
		"-nogpuinc", "-nogpulib", "-nostdlibinc", "--no-default-config", "-std=c++17", "-O3", "-fuse-cuid=none",
		"trial.hip", "-o", target + ".hsaco"}
	cmd := exec.Command(in.driver, args...)
	cmd.Dir = dir
	cmd.Env = append(in.environment(), "TMPDIR="+dir, "TMP="+dir)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := group.Run(ctx, cmd, grace); err != nil {
		return fmt.Errorf("%w\n%s", err, strings.TrimSpace(said.String()))
	}
	data, err := os.ReadFile(filepath.Join(dir, target+".hsaco"))
	if err != nil {
		return err
	}
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return err
	}
	const amdgpu, flagsAt = 224, 0x30 // EM_AMDGPU; e_flags of a 64-bit header
	if f.Machine != amdgpu || f.Class != elf.ELFCLASS64 {
		return fmt.Errorf("the object is for machine %d, not for an AMD GPU", f.Machine)
	}
	if got := binary.LittleEndian.Uint32(data[flagsAt:]) & 0xff; got != trialMachine[target] {
		return fmt.Errorf("the object is for another GPU: %#x where %#x is %s", got, trialMachine[target], target)
	}
	return nil
}
