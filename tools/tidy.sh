#!/bin/sh
# clang-tidy over the files that differ from the branch main (or from $1). The slowest check there
# is, so it looks at nothing else.
set -eu
cd "$(dirname "$0")/.."
base=${1:-main}
[ -f build/dev/compile_commands.json ] || cmake --preset dev >/dev/null
files=$({ git diff --name-only "$base" -- '*.cpp'; git ls-files --others --exclude-standard -- '*.cpp'; } | sort -u)
[ -n "$files" ] || { echo "tidy: nothing differs from $base"; exit 0; }
# shellcheck disable=SC2086  # one word a file
exec clang-tidy -p build/dev --quiet $files
