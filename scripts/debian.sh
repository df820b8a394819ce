#!/usr/bin/env bash
# Builds the Debian package from a clone of this checkout's HEAD in a scratch
# folder, with vendored modules and (as root) without a network, installs it into
# a root of its own, verifies what lies there, and removes it again.
#
#   scripts/debian.sh [-keep]
#
# Needs dpkg-dev, debhelper, fakeroot, clang-19 and lld-19. GOCACHE and KMX_CACHE
# are honoured: without them everything is compiled.
set -euo pipefail
cd "$(dirname "$0")/.."
for program in dpkg-buildpackage dh fakeroot clang-19; do
  command -v "$program" >/dev/null || { echo "there is no $program here: apt-get install dpkg-dev debhelper fakeroot clang-19 lld-19" >&2; exit 4; }
done
work=$(mktemp -d)
[ "${1:-}" = -keep ] || trap 'rm -rf "$work"' EXIT
src=$work/d4r-kernels-0.1.0
git clone -q --no-hardlinks . "$src"
(cd "$src" && go mod vendor && rm -rf .git && cp -R packaging/debian debian)
unchecked=()
if ! dpkg-query -W -f='${Status}' golang-go 2>/dev/null | grep -q 'ok installed'; then
  echo "Go is no package here, so dpkg does not check the build's dependencies (-d)" >&2
  unchecked=(-d)
fi
alone=()
if [ "$(id -u)" = 0 ]; then alone=(unshare -n); else echo "not root: built with the network there is" >&2; fi
(cd "$src" && "${alone[@]}" nice dpkg-buildpackage -us -uc -b "${unchecked[@]}")

deb=$(echo "$work"/d4r-kernels_*_all.deb)
dpkg-deb --info "$deb"
dpkg-deb --contents "$deb" | awk '{print $1, $2}' | sort | uniq -c

root=$work/root
mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates"
: >"$root/var/lib/dpkg/status"
dpkg_() { fakeroot dpkg --root="$root" --force-not-root --force-script-chrootless --log="$work/dpkg.log" "$@"; }
dpkg_ --install "$deb"
kernels=$root/usr/lib/d4r/kernels
(cd "$src" && KMX_OFFLINE=1 GOPROXY=off GOFLAGS='-trimpath -buildvcs=false' go tool mage release:verify "$kernels")
echo "installed: $(find "$kernels" -name '*.hsaco' | wc -l) objects"
dpkg_ --remove d4r-kernels
if [ -e "$root/usr" ]; then
  find "$root/usr" >&2
  echo "something was left behind" >&2
  exit 6
fi
echo "built, installed, verified and removed: $(basename "$deb"), $(stat -c %s "$deb") bytes"
