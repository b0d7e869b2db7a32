#!/bin/bash
# The whole test suite: the dev build (g++) with all tests, then the sanitizer build (clang) with
# the tests of the folders that read input, and the fuzz targets. Everything runs even when
# something fails; at the end stand the summaries and what was slow.
set -u -o pipefail
cd "$(dirname "$0")/.."
jobs=${JOBS:-$(nproc)}
failed=()

for preset in dev asan; do
  cmake --preset "$preset" || { failed+=("configuring $preset"); continue; }
  cmake --build --preset "$preset" -j "$jobs" || { failed+=("building $preset"); continue; }
  ctest --preset "$preset" -j "$jobs" --output-junit "$PWD/build/$preset/tests.xml" |
    tee "build/$preset/ctest.txt" | grep -v -E '^ *(Start|[0-9]+/[0-9]+ Test .* Passed)'
  [ "${PIPESTATUS[0]}" = 0 ] || failed+=("tests of $preset")
done

for preset in dev asan; do
  [ -f "build/$preset/ctest.txt" ] || continue
  echo "== $preset: ctest's summary"
  sed -n '/tests passed,/,$p' "build/$preset/ctest.txt"
  python3 tools/slowest.py "build/$preset"
done
if [ ${#failed[@]} != 0 ]; then
  printf 'FAILED: %s\n' "${failed[@]}"
  exit 1
fi
echo "All tests passed in $((SECONDS / 60)) min $((SECONDS % 60)) s."
