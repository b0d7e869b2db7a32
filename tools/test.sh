#!/bin/bash
# The whole test suite: the g++ build with all tests (preset `suite`), then the sanitizer build (clang)
# with the tests of the folders that read input, and the fuzz targets. Everything runs even when
# something fails. The end shows the summaries, what was slow, and the time of the whole.
set -u -o pipefail
cd "$(dirname "$0")/.."
jobs=${JOBS:-$(nproc)}
failed=()
spent=()
since() { echo "$((SECONDS / 60)) min $((SECONDS % 60)) s"; }

for preset in suite asan; do
  cmake --preset "$preset" || { failed+=("configuring $preset"); continue; }
  cmake --build --preset "$preset" -j "$jobs" || { failed+=("building $preset"); continue; }
  spent+=("$(since) after building $preset")
  ctest --preset "$preset" -j "$jobs" --output-junit "$PWD/build/$preset/tests.xml" |
    tee "build/$preset/ctest.txt" | grep -v -E '^ *(Start|[0-9]+/[0-9]+ Test .* Passed)'
  [ "${PIPESTATUS[0]}" = 0 ] || failed+=("tests of $preset")
  spent+=("$(since) after testing $preset")
done

for preset in suite asan; do
  [ -f "build/$preset/ctest.txt" ] || continue
  echo "== $preset: ctest's summary"
  sed -n '/tests passed,/,$p' "build/$preset/ctest.txt"
  python3 tools/slowest.py "build/$preset"
done
printf '%s\n' "${spent[@]}"
echo "The suite took $(since)."
if [ ${#failed[@]} != 0 ]; then
  printf 'FAILED: %s\n' "${failed[@]}"
  exit 1
fi
echo "All tests passed."
