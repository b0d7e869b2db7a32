#!/bin/sh
# examples/demo.sh CAMBIUM: from a model and a data set to a faster model and its native code, in less
# than ten minutes on two cores without a GPU. Searches replacements for the 3x3 convolutions of a
# small residual network on Fashion-MNIST images, and ends with a table, a report to look at and the
# fastest network that keeps the accuracy. All of it is in out/demo.
set -eu
cambium=$1
out=out/demo
study=$out/tiny.study

say() {
  printf '\n$ %s\n' "$*"
  "$@"
}

for feature in llvm torch; do
  "$cambium" version | grep -q "^  $feature  *[0-9]" && continue
  echo "demo: this build has no $feature; install the packages of packages.txt and build again" >&2
  exit 1
done
mkdir -p "$out"
rm -rf "$study" "$study".* "$out/report" "$out/faster"

say "$cambium" version
# 6,000 of the 60,000 images, so that there is time for many candidates: one epoch for each, four for
# the two best and for the original. A core trains one network at a time.
say "$cambium" search zoo:tiny-resnet --data fashion-mnist,train=6000 --targets conv:k=3,groups=1 \
  --max-accuracy-drop 2% --max-activations 2x --candidates 400 --seconds 120 --brief-epochs 1 \
  --epochs 4 --finalists 2 --trials 32 --workers "$(nproc)" --train-threads 1 --in-flight 32 \
  --study "$study"
say "$cambium" report "$study" -o "$out/report"
say "$cambium" export "$study" best -o "$out/faster"
say cat "$out/faster/equation.txt"
say "$cambium" run "$out/faster/model.cambium" --data fashion-mnist --native
printf '\nLook at %s: the front, every candidate, its drawing and how to use it.\n' \
  "$out/report/index.html"
