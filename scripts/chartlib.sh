#!/usr/bin/env bash
# The chart library of the report page, from the npm registry: fetches the
# version that report/page/assets/uplot/SOURCE names, proves that it is what the
# integrity there says, and puts its minified file, its style sheet and its
# licence beside it. With -check nothing is written, and a difference is an error.
#
# For another version: write it and its integrity (npm view uplot@VERSION
# dist.integrity) into SOURCE, run this, and look at a page.
set -euo pipefail
cd "$(dirname "$0")/../report/page/assets/uplot"

field() { sed -n "s/^$1 //p" SOURCE; }
name=$(field package) version=$(field version) want=$(field integrity)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
npm pack --silent --pack-destination "$work" "$name@$version" >/dev/null
archive=$work/$name-$version.tgz
got=sha512-$(openssl dgst -sha512 -binary "$archive" | base64 -w0)
if [[ $got != "$want" ]]; then
  echo "chartlib: $name $version is $got, SOURCE says $want" >&2
  exit 1
fi
tar -xzf "$archive" -C "$work"
for file in dist/uPlot.iife.min.js dist/uPlot.min.css LICENSE; do
  if [[ ${1-} == -check ]]; then
    cmp "$work/package/$file" "${file##*/}"
  else
    install -m 644 "$work/package/$file" "${file##*/}"
  fi
done
if [[ ${1-} != -check ]]; then # a test holds the files against these
  {
    grep -v '^sha256 ' SOURCE
    for file in uPlot.iife.min.js uPlot.min.css LICENSE; do echo "sha256 $file $(sha256sum "$file" | cut -d' ' -f1)"; done
  } >"$work/SOURCE"
  cat "$work/SOURCE" >SOURCE
fi
