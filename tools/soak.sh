#!/bin/sh
# tools/soak.sh FUZZ_BUILD SECONDS TEST_BUILD SEQUENCES DOCUMENTS: what is left running for long. Runs
# every fuzz target of FUZZ_BUILD for that long, beginning with what earlier runs found
# (FUZZ_BUILD/fuzz/found/<name>) and the corpus (of the sources; for ONNX collected first), then the
# property tests of schedules in TEST_BUILD with that many random sequences together, then those of
# rewritten loop nests with that many documents, a tenth as many traces, and whole networks. A crash
# or a mismatch fails.
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

# sequences COUNT PROGRAM FILTER: one property test; what it did is added to `reached`, as its lines
# `<number> sequences ...` tell. A test that was not built is one that fails.
reached=0
log=$3/soak.txt
sequences() {
  echo "== $1 sequences by $(basename "$2") $3"
  CAMBIUM_PROPERTY_CASES=$1 CAMBIUM_SOAK_SEQUENCES=$1 "$2" --gtest_filter="$3" > "$log" 2>&1 ||
    { cat "$log"; echo "FAILED after $reached sequences without a mismatch"; exit 1; }
  grep -E '^ *[0-9]+ sequences|accepted' "$log"
  reached=$((reached + $(awk '/^[0-9]+ sequences/ { sum += $1 } END { print sum + 0 }' "$log")))
}
sequences $(($4 / 2)) "$3/src/schedule/schedule_property_test" 'PreservingSteps.*'
sequences $(($4 / 4)) "$3/src/schedule/schedule_property_test" 'NeuralProperty.*'
sequences $(($4 - $4 / 2 - $4 / 4)) "$3/tests/schedule_zoo/schedule_zoo_property_test" '*'
native=$3/tests/schedule_zoo/schedule_zoo_native_test
[ ! -x "$native" ] || sequences $(($4 / 100)) "$native" '*'
echo "$reached random sequences of transformations, no mismatch"
[ "$reached" -ge "$4" ]

nests=$3/tests/loopnest/loopnest_property_test
[ -x "$nests" ] || { echo "FAILED: no tests of rewritten loop nests in $3"; exit 1; }
echo "== $5 documents and $(($5 / 10)) traces by $(basename "$nests")"
CAMBIUM_NEST_DOCUMENTS=$5 CAMBIUM_NEST_TRACES=$(($5 / 10)) "$nests" > "$log" 2>&1 ||
  { cat "$log"; echo "FAILED"; exit 1; }
grep -E '^[0-9]+ (documents|of|joint traces)' "$log"
echo "== $(($5 / 1000)) rewritten networks of each kind"
CAMBIUM_NEST_NETWORKS=$(($5 / 1000)) "$3/tests/loopnest/loopnest_networks_test" > "$log" 2>&1 ||
  { cat "$log"; echo "FAILED"; exit 1; }
