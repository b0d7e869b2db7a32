#!/bin/bash
# tests/install/run.sh BUILD SCRATCH COMPILER: installs BUILD into a prefix of its own, then builds
# and runs the project in this folder against nothing but that prefix.
set -euo pipefail
build=$1 scratch=$(realpath -m "$2") compiler=$3
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$scratch"
cmake --install "$build" --prefix "$scratch/prefix" >"$scratch.log" || { cat "$scratch.log"; exit 1; }
cmake -S "$here" -B "$scratch/build" -GNinja -DCMAKE_CXX_COMPILER="$compiler" \
  -DCMAKE_PREFIX_PATH="$scratch/prefix"
cmake --build "$scratch/build"
"$scratch/build/user"
# Every public header must compile alone, from the prefix only.
find "$scratch/prefix/include/cambium" -name '*.h' -printf '#include "%P"\n' | sort |
  while read -r line; do
    echo "$line" | "$compiler" -std=c++20 -fsyntax-only -I"$scratch/prefix/include/cambium" -x c++ -
  done
if [ -x "$scratch/prefix/bin/cambium" ]; then "$scratch/prefix/bin/cambium" version; fi
