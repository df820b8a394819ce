#!/usr/bin/env bash
# Builds the template for Fedora with the rpmbuild that is here, of whatever
# distribution, from a tarball of this checkout's HEAD with vendored modules, and
# verifies what the package holds. This proves the template, not Fedora: nothing is
# installed, and its build dependencies are not looked at (Go, clang and lld of this
# machine build).
#
#   scripts/fedora.sh
#
# Needs rpmbuild and rpm2archive (Debian's package rpm) and bsdtar. Everything is
# compiled.
set -euo pipefail
cd "$(dirname "$0")/.."
for program in rpmbuild rpm2archive bsdtar; do
  command -v "$program" >/dev/null || { echo "there is no $program here: apt-get install rpm libarchive-tools" >&2; exit 4; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
name=d4r-kernels-0.1.0 root=$work/root
mkdir -p "$work/top/SOURCES" "$root"
git clone -q --no-hardlinks . "$work/$name"
git -C "$work/$name" rev-parse HEAD
(cd "$work/$name" && go mod vendor && rm -rf .git)
tar -C "$work" -czf "$work/top/SOURCES/$name-vendored.tar.gz" "$name"

rpmbuild --define "_topdir $work/top" --nodeps -bb packaging/fedora/d4r-kernels.spec
package=$(echo "$work"/top/RPMS/noarch/*.rpm)
rpm2archive -n - <"$package" | bsdtar -C "$root" -xf -
go tool mage release:verify "$root/usr/lib/d4r/kernels"
find "$root/usr/share" -name LICENSE -size +0 | grep . || { echo "no licence below $root/usr/share" >&2; exit 6; }
echo "built and verified: $(basename "$package"), $(stat -c %s "$package") bytes, $(find "$root" -name '*.hsaco' | wc -l) objects"
