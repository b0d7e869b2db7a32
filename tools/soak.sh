#!/bin/sh
# tools/soak.sh BUILD SECONDS: runs every fuzz target of BUILD for that long. What is found stays in
# BUILD/fuzz/<target>.found; a crash fails.
set -eu
for program in "$1"/fuzz/*_fuzz; do
  echo "== $program for $2 s"
  found=$program.found
  mkdir -p "$found"
  corpus=$(dirname "$0")/../fuzz/corpus/$(basename "$program" _fuzz)
  [ -d "$corpus" ] || corpus=
  "$program" -max_total_time="$2" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="$found/" "$found" $corpus
done
