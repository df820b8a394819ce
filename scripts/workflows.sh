#!/usr/bin/env bash
# Executes every command of .github/workflows/kmx.yml, and of .gitlab-ci.yml with
# the child pipeline that it makes, in order, on this machine: each job in a clean
# clone with a cache of its own, artefacts and saved caches copied as the CI
# systems do. Then a second run of each, for which everything is there, and at
# last what both made is compared with what one machine makes.
# Needs python3 with PyYAML.
#
#   scripts/workflows.sh [SELECTORS [SHARDS]]     (default: a whole release, 4)
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
[[ -z $(git status --porcelain) ]] || echo "note: the clone has what is committed, not what is changed here" >&2
python3 scripts/workflows.py "$PWD" "$work" "${1:-}" "${2:-4}"
