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
rm -rf "$study" "$study".* "$out/report" "$out/faster" "$out/export.log"

say "$cambium" version
# 6,000 of the 60,000 images, so that there is time for many candidates: one epoch for each, four for
# the two best and for the original. A core trains one network at a time.
say "$cambium" search zoo:tiny-resnet --data fashion-mnist,train=6000 --targets conv:k=3,groups=1 \
  --max-accuracy-drop 2% --max-activations 2x --candidates 400 --seconds 120 --brief-epochs 1 \
  --epochs 4 --finalists 2 --trials 32 --workers "$(nproc)" --train-threads 1 --in-flight 32 \
  --study "$study"
say "$cambium" report "$study" -o "$out/report"
look="Look at $out/report/index.html: the front, every candidate, its drawing and how to use it."

# Here the table and the report are there: without them the demo has ended. On a slow machine few candidates are tried in two minutes, and it may be that no finalist keeps the
# accuracy. That is a result; whatever else export says is a failure.
printf '\n$ %s\n' "$cambium export $study best -o $out/faster"
if ! "$cambium" export "$study" best -o "$out/faster" 2> "$out/export.log"; then
  cat "$out/export.log" >&2
  grep -q 'none that was trained fully holds the limits' "$out/export.log" || exit 1
  cat <<END

No network that was trained fully lost at most 2 points of accuracy in the time that the demo takes:
there is a table above and a report, but no faster network to export. Go on with the same study, for
as long as you like:
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
