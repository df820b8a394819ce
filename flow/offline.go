package flow

import (
	"context"
	"os"

	"kmx/internal/diag"
	"kmx/toolchains"
)

// offlineEnv forbids everything that would fetch something.
const offlineEnv = "KMX_OFFLINE"

// offline says whether the network is forbidden.
func offline(getenv func(string) string) (bool, error) {
	switch value := getenv(offlineEnv); value {
	case "1":
		return true, nil
	case "", "0":
		return false, nil
	default:
		return false, diag.Failf(diag.Usage, "", "%s is 1 or nothing, not %q", offlineEnv, value)
	}
}

// keepOffline keeps the go command, which compiles second programs and the front
// door, from asking anybody: modules come from vendor/ or from the module cache,
// the compiler is the one there is.
func keepOffline() error {
	on, err := offline(os.Getenv)
	if err != nil || !on {
		return err
	}
	for _, e := range [][2]string{{"GOPROXY", "off"}, {"GOTOOLCHAIN", "local"}} {
		if err := os.Setenv(e[0], e[1]); err != nil {
			return diag.Failf(diag.IO, "", "%w", err)
		}
	}
	return nil
}

// compilerHere is what setup does offline: a compiler that is here is as good as
// ever, one that is not is an error instead of a download.
func (p *Project) compilerHere(ctx context.Context) error {
	store, err := p.Cache()
	if err != nil {
		return err
	}
	tc, err := toolchains.Find(ctx, toolchains.Request{Name: "hip", Kind: toolchains.KindClang}, store.Memo())
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case diag.ExitCode(err) == int(diag.Toolchain): // its advice is setup, which this is
		f := diag.Failf(diag.Toolchain, "install ROCm's clang, or LLVM 19 or newer with lld, by your package manager, or name one in D4R_ROCM_DIR",
			"there is no compiler for AMD GPUs, and %s=1 forbids setup to fetch one", offlineEnv)
		f.Err = err
		return f
	case err != nil:
		return err
	}
	p.Say("compiler: %s %s; %s=1, so nothing is fetched", tc.Name, tc.Version, offlineEnv)
	return nil
}
