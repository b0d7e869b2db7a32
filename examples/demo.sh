#!/bin/sh
# examples/demo.sh CAMBIUM: searches for replacements of the 3x3 convolutions of a small residual
# network on Fashion-MNIST images. Takes less than ten minutes on two cores without a GPU. Writes a
# table, a report, and the fastest network that keeps the accuracy, with its native code, to out/demo.
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
rm -rf "$study" "$study".* "$out/report" "$out/faster" "$out/export.log"

say "$cambium" version
# Training on 6,000 of the 60,000 images leaves time for many candidates: one epoch for each, four for
# the two best and for the original. Each core trains one network at a time.
say "$cambium" search zoo:tiny-resnet --data fashion-mnist,train=6000 --targets conv:k=3,groups=1 \
  --max-accuracy-drop 2% --max-activations 2x --candidates 400 --seconds 120 --brief-epochs 1 \
  --epochs 4 --finalists 2 --trials 32 --workers "$(nproc)" --train-threads 1 --in-flight 32 \
  --study "$study"
say "$cambium" report "$study" -o "$out/report"
look="Open $out/report/index.html to see the Pareto front and a page for each candidate."

# On a slow machine, few candidates are tried in two minutes, and perhaps no finalist keeps the
# accuracy. That is a result. Any other refusal of export is a failure.
printf '\n$ %s\n' "$cambium export $study best -o $out/faster"
if ! "$cambium" export "$study" best -o "$out/faster" 2> "$out/export.log"; then
  cat "$out/export.log" >&2
  grep -q 'no fully trained candidate is within the limits' "$out/export.log" || exit 1
  cat <<END

In the time of the demo, no fully trained network stayed within 2 points of the original's accuracy.
There is a table above and a report, but no faster network to export. You can continue the same study
for as long as you like:
  $cambium search --resume --study $study --candidates 1000
  $cambium export $study best -o $out/faster
$look
END
  exit 0
fi
cat "$out/export.log" >&2
say cat "$out/faster/equation.txt"
say "$cambium" run "$out/faster/model.cambium" --data fashion-mnist --native
printf '\n%s\n' "$look"
