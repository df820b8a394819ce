#!/usr/bin/env bash
# Times a release against ninja on the very commands that `plan -commands`
# prints: no-op and cold, in turn (A B A B ...), and prints the median of the
# ratios of the pairs. Needs ninja and a compiled front door (mage setup).
#
#   scripts/paired.sh [no-op rounds] [cold rounds]
set -euo pipefail
cd "$(dirname "$0")/.."
noop_rounds=${1:-25} cold_rounds=${2:-3}
jobs=$(nproc)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
kmx() { KMX_LOG=plain bin/kmx "$@"; }

mkdir -p dist/plan
kmx plan -commands 2>/dev/null >"$work/commands"
{
  echo 'rule compile'
  echo '  command = $line'
  echo '  depfile = $out.d'
  echo '  deps = gcc'
  while read -r line; do
    out=$(sed -E 's/.* -o ([^ ]+)\.hsaco$/\1/' <<<"$line")
    src=$(sed -E 's/.* ([^ ]+) -o [^ ]+$/\1/' <<<"$line")
    echo "build $out.hsaco: compile $src"
    echo "  line = ${line//\$/\$\$}"
    echo "  depfile = $out.d"
  done <"$work/commands"
} >"$work/build.ninja"
ninja_() { ninja -f "$work/build.ninja" --quiet "$@"; }

seconds() { # of a command, whole process
  local t0=$EPOCHREALTIME
  "$@" >/dev/null 2>&1
  awk -v a="$t0" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.6f", b - a }'
}
median() { sort -n | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }
report() { # name, file of "a b" lines
  awk '{ print $1 }' "$2" | median >"$work/a"
  awk '{ print $2 }' "$2" | median >"$work/b"
  awk '{ print $1 / $2 }' "$2" | median >"$work/r"
  printf '%s: kmx %.4f s, ninja %.4f s, ratio %.3f (medians of %d pairs)\n' \
    "$1" "$(<"$work/a")" "$(<"$work/b")" "$(<"$work/r")" "$(wc -l <"$2")"
}

echo "$(wc -l <"$work/commands") commands, $jobs jobs, $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1)"
for ((i = 0; i < cold_rounds; i++)); do
  rm -rf "$work/cache" dist/plan/*
  a=$(KMX_CACHE=$work/cache seconds kmx release -jobs="$jobs")
  b=$(seconds ninja_ -j"$jobs")
  echo "$a $b" >>"$work/cold"
done
((cold_rounds == 0)) || report "cold build, -j$jobs" "$work/cold"

ninja_ -j"$jobs" >/dev/null
kmx release >/dev/null 2>&1
sleep 2.5
kmx release >/dev/null 2>&1
for ((i = 0; i < noop_rounds; i++)); do
  a=$(seconds bin/kmx release)
  b=$(seconds ninja_)
  echo "$a $b" >>"$work/noop"
done
report "no-op" "$work/noop"
