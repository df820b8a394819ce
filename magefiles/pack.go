//go:build mage

package main

import (
	"context"

	"kmx/flow"
)

// Pack makes the archives that matrix.hcl declares of a finished release, with sums, SBOM, provenance and signatures.
func (Release) Pack(ctx context.Context,
	dir *string, // of the release (default: the one that the matrix names)
	out *string, // folder for the archives (default: the release's with -archives)
	only *string, // these archives alone, comma-separated
	key *string, // file with the secret key of minisign (default: KMX_SIGN_KEY; without one nothing is signed)
	builder *string, // URI of who builds, for the provenance
	vars *string, // matrix variables, name=value, comma-separated
) error {
	return run(ctx, func(ctx context.Context, p *flow.Project) error {
		return p.Pack(ctx, flow.Pack{
			Dir: or(dir, ""), Out: or(out, ""), Only: or(only, ""), Key: or(key, ""), Builder: or(builder, ""), Vars: or(vars, ""),
		})
	})
}

// Install puts a finished release into PREFIX/lib/d4r/kernels, all at once.
func Install(ctx context.Context,
	dir *string, // of the release (default: the one that the matrix names)
	destdir *string, // put before the prefix, for packagers
	prefix *string, // (default: /usr/local)
	archive *string, // only what this archive of the matrix holds
	restricted *bool, // also objects that may not be passed on
	vars *string, // matrix variables, name=value, comma-separated
) error {
	return run(ctx, func(ctx context.Context, p *flow.Project) error {
		return p.Install(ctx, flow.Install{
			Dir: or(dir, ""), DestDir: or(destdir, ""), Prefix: or(prefix, ""), Archive: or(archive, ""), Restricted: or(restricted, false), Vars: or(vars, ""),
		})
	})
}

// Uninstall removes what install put there, by its manifests.
func Uninstall(ctx context.Context,
	destdir *string, // as it was installed with
	prefix *string, // (default: /usr/local)
) error {
	return run(ctx, func(ctx context.Context, p *flow.Project) error {
		return p.Install(ctx, flow.Install{DestDir: or(destdir, ""), Prefix: or(prefix, ""), Remove: true})
	})
}
