#!/bin/sh
# tools/soak.sh BUILD SECONDS: runs every fuzz target of BUILD for that long, beginning with what
# earlier runs found (BUILD/fuzz/found/<name>) and the corpus (of the sources; for
# ONNX collected first). A crash fails.
set -eu
sources=$(dirname "$0")/..
onnx_files=$1/fuzz/onnx_files
[ ! -x "$1/fuzz/onnx_corpus" ] || "$1/fuzz/onnx_corpus" "$onnx_files"
for program in "$1"/fuzz/fuzz_*; do
  [ -x "$program" ] || continue
  name=$(basename "$program" | sed 's/^fuzz_//')
  found=$1/fuzz/found/$name
  mkdir -p "$found"
  seeds=$sources/fuzz/corpus/$name
  [ "$name" != onnx_import ] || seeds=$onnx_files
  [ -d "$seeds" ] || seeds=
  echo "== $name for $2 s"
  # shellcheck disable=SC2086  # no seeds, no argument
  "$program" -max_total_time="$2" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="$found/" "$found" $seeds
done
