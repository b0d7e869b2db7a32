#!/bin/bash
# tests/bundle/run.sh SOURCE SCRATCH COMPILER [TARGET...]: makes the GPU bundle, configures a build with
# nothing but it, builds the targets and the tests of base, runs these, and fails if any file was compiled
# with a copy of the machine's own. Without targets: the folders that read files, and every folder that
# compiles other sources where LLVM, libtorch, XGBoost or ONNX is missing. `make soak` builds cambium.
set -euo pipefail
source=$1 scratch=$(realpath -m "$2") compiler=$3
shift 3
mkdir -p "$scratch"
"$source/tools/gpu_bundle.sh" "$scratch/deps"
[ "$(du -sm "$scratch/deps" | cut -f1)" -le 16 ] || { echo "the bundle is larger than 16 MB"; exit 1; }

# CMAKE_DISABLE_FIND_PACKAGE: looking for one of these on the machine would be an error.
cmake -S "$source" -B "$scratch/build" -GNinja -DCMAKE_CXX_COMPILER="$compiler" \
  -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0 \
  -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=32 -DCAMBIUM_BATCH_TESTS=ON -DCAMBIUM_DEPS="$scratch/deps" \
  -DCAMBIUM_{ONNX,LLVM,TORCH,XGBOOST}=OFF \
  -DCMAKE_DISABLE_FIND_PACKAGE_{fmt,spdlog,nlohmann_json,CLI11,ZLIB,SQLite3,PNG,JPEG,GTest,benchmark,Protobuf,ONNX,Z3}=ON
targets=("$@")
if [ ${#targets[@]} = 0 ]; then
  targets=(cambium_{base,expr,store,model,data,codegen,tune_cost_model,train_torch})
fi
ninja -C "$scratch/build" base_unit_test "${targets[@]}"
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
