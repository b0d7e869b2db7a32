#!/bin/sh
# Everything that docs/results/synthesis.md shows, on one core: bench/synth/results.sh BUILD OUT [CORE]
# BUILD is a release build with cambium-bench-synth. OUT gets a document for each part and seed; the
# plots come from them (tools/plot_synth.py OUT docs/results/pictures). Takes about ten minutes of
# processor time; what is there already is not done again.
set -eu
build=$1 out=$2 core=${3:-1}
mkdir -p "$out"

run() {  # NAME ARGUMENTS...
  name=$1
  shift
  [ -s "$out/$name.json" ] && return
  taskset -c "$core" "$build/cambium-bench-synth" --json "$@" > "$out/$name.part"
  mv "$out/$name.part" "$out/$name.json"
  echo "$name done"
}

for seed in 1 2 3; do run "sampling-$seed" --part sampling --seed $seed; done
for part in speeds exactness growth guides table2 duplicates fingerprints; do run $part --part $part; done
