#!/usr/bin/env bash
# Builds and packs the release twice, in two clones of this checkout's HEAD that
# have nothing in common: another folder, umask, time zone and locale, a home of
# its own, and as root another user. Compares the archives byte by byte.
# Nothing is fetched after the modules are vendored (as root, the network is
# taken away).
#
#   scripts/identical.sh [-seed CACHE] [-keep]
#
# -seed  start both from copies of this cache of kmx (KMX_CACHE) instead of
#        compiling every object twice; then only what is made of the objects is
#        proved, manifests and archives
# -keep  leave both clones where they are
#
# GOCACHE is honoured; both sides have to be able to write there.
set -euo pipefail
cd "$(dirname "$0")/.."
seed='' keep=
while [ $# -gt 0 ]; do
  case $1 in
    -seed) seed=$2; shift 2 ;;
    -keep) keep=1; shift ;;
    *) sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit 2 ;;
  esac
done
work=$(mktemp -d)
chmod 755 "$work"
[ -n "$keep" ] || trap 'rm -rf "$work"' EXIT
one=$work/one two="$work/an other place/second clone"
mkdir -p "$one" "$two" "$work/home1" "$work/home 2"
git clone -q --no-hardlinks . "$one/src"
git -C "$one/src" rev-parse HEAD
(cd "$one/src" && go mod vendor)
git clone -q --no-hardlinks "$one/src" "$two/src"
cp -R "$one/src/vendor" "$two/src/vendor"
for n in 1 2; do
  mkdir "$work/cache$n"
  [ -z "$seed" ] || cp -R "$seed/." "$work/cache$n/"
done
export GOCACHE=${GOCACHE:-$work/gocache}
mkdir -p "$GOCACHE"

# Root can be somebody else and take the network away; others cannot.
first=() second=()
if [ "$(id -u)" = 0 ]; then
  first=(unshare -n)
  second=(unshare -n setpriv --reuid=65534 --regid=65534 --clear-groups)
  chown -R 65534:65534 "$two" "$work/home 2" "$work/cache2"
  chmod -R a+rwX "$GOCACHE"
else
  echo "not root: both clones are built by the same user" >&2
fi
# A locale with rules of its own where there is one.
locale=$(locale -a 2>/dev/null | grep -E '^(tr_TR|de_DE|lt_LT|et_EE)' | head -1 || true)
locale=${locale:-C.UTF-8}
common=(PATH="$PATH" GOCACHE="$GOCACHE" GOFLAGS='-trimpath -buildvcs=false' KMX_OFFLINE=1 GOPROXY=off GOTOOLCHAIN=local KMX_LOG=plain)
(cd "$one" && "${first[@]}" env -i "${common[@]}" HOME="$work/home1" USER=root KMX_CACHE="$work/cache1" \
  TZ=UTC LC_ALL=C bash -c 'umask 022; cd src; go tool mage release release:pack')
chmod -R a+rwX "$GOCACHE"
(cd "$two" && "${second[@]}" env -i "${common[@]}" HOME="$work/home 2" USER=nobody KMX_CACHE="$work/cache2" \
  TZ=Pacific/Auckland LC_ALL=$locale LANG=$locale bash -c 'umask 077; cd src; go tool mage release release:pack')

a=$(echo "$one"/src/dist/*-archives) b=$(echo "$two"/src/dist/*-archives)
diff -r "$a" "$b"
(cd "$a" && sha256sum --check --quiet SHA256SUMS && sha256sum SHA256SUMS)
echo "identical: $(find "$a" -type f | wc -l) files, $(du -sk "$a" | cut -f1) KiB, in $a and $b"
