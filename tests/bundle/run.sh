#!/bin/bash
# tests/bundle/run.sh SOURCE SCRATCH COMPILER: makes the GPU bundle, builds the core with nothing but
# it, runs the tests of base, and fails if any file was compiled with a copy of the machine's own.
set -euo pipefail
source=$1 scratch=$(realpath -m "$2") compiler=$3
mkdir -p "$scratch"
"$source/tools/gpu_bundle.sh" "$scratch/deps"
[ "$(du -sm "$scratch/deps" | cut -f1)" -le 16 ] || { echo "the bundle is larger than 16 MB"; exit 1; }

# CMAKE_DISABLE_FIND_PACKAGE: looking for one of these on the machine would be an error.
cmake -S "$source" -B "$scratch/build" -GNinja -DCMAKE_CXX_COMPILER="$compiler" \
  -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0 -DCAMBIUM_DEPS="$scratch/deps" \
  -DCAMBIUM_{ONNX,LLVM,TORCH,XGBOOST,CUDA}=OFF \
  -DCMAKE_DISABLE_FIND_PACKAGE_{fmt,spdlog,nlohmann_json,CLI11,ZLIB,SQLite3,PNG,JPEG,GTest,benchmark,Protobuf,ONNX,Z3}=ON
targets=(base_unit_test)
for layer in base expr store model data; do
  [ -f "$source/src/$layer/CMakeLists.txt" ] && targets+=("cambium_$layer")
done
ninja -C "$scratch/build" "${targets[@]}"
"$scratch/build/src/base/base_unit_test" --gtest_brief=1

# Paths are relative where ccache made them so.
used=$(cd "$scratch/build" && ninja -t deps | sed -n 's/^  *//p' | sort -u | xargs realpath -ms |
  grep -E '/(nlohmann|CLI|fmt|spdlog|gtest|onnx|google/protobuf)/|/(sqlite3|zlib|zconf|xxhash|png|jpeglib)\.h$')
foreign=$(grep -v "^$scratch/" <<<"$used" || true)
[ -z "$foreign" ] || { echo "not from the bundle:"; echo "$foreign"; exit 1; }
for name in nlohmann fmt spdlog gtest xxhash; do
  grep -q "/$name" <<<"$used" || { echo "the check is blind: $name was not used at all"; exit 1; }
done
echo "$(wc -l <<<"$used") headers of dependencies, all from the bundle"
