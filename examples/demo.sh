#!/bin/sh
# examples/demo.sh CAMBIUM: what Cambium does today, on a small classifier of Fashion-MNIST images:
# understand it, run it on the 10,000 real test images, once more as native code, and write it back.
set -eu
cambium=$1
model=$(dirname "$0")/fashion_mnist/classifier.onnx
out=out/demo
mkdir -p "$out"

say() {
  printf '\n$ %s\n' "$*"
  "$@"
}

say "$cambium" version
say "$cambium" inspect "$model"
say "$cambium" run "$model" --data fashion-mnist
if "$cambium" version | grep -q '^  llvm  *[0-9]'; then
  say "$cambium" run "$model" --data fashion-mnist --native
  say "$cambium" compile "$model" -o "$out/native"
fi
say "$cambium" convert "$model" "$out/classifier.onnx"
say "$cambium" convert "$out/classifier.onnx" "$out/classifier.cambium"
ls -l "$out"
