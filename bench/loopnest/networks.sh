#!/bin/sh
# bench/loopnest/networks.sh STEP CAMBIUM DATA OUT: the networks of docs/results/loopnest.md. A step
# goes on where it was stopped, and does nothing twice. Steps, in this order:
#
#   explore  searches without any training, on the machine whose times count, which should be quiet:
#            the paper's way, compositions of options by layer, the same with separated sums, and
#            candidates of one's own (plain groups; for ResNet-34 also those of figure 9)
#   nas      on a machine with a GPU: the network that BlockSwap chooses, as large as the best
#            composition
#   train    there too: all full trainings
#   time     on the first machine again: all latencies, tuned and beside the original
#   table    there too: OUT/networks.json, for tools/plot_loopnest.py, and the original in other
#            frameworks, OUT/NETWORK.frameworks.json
#
# CAMBIUM is the program, with cambium-train and cambium-bench-loopnest beside it. OUT gets the
# studies, NETWORK.METHOD.study. From the environment: NETWORKS (of the zoo), EPOCHS and SEEDS of full
# trainings, CANDIDATES of the paper's way, COMPOSED of a composition (which scores all OPTIONS of a
# layer first), SWAPPED networks of BlockSwap, FINALISTS of each search, TRIALS of tuning, DEVICE
# that trains, PYTHON with the packages of bench/peers/requirements.txt.
set -eu
step=$1 cambium=$2 data=$3 out=$4
here=$(dirname "$0")
networks=${NETWORKS:-resnet34-cifar resnext29-2x64d densenet161-cifar}
methods="paper compose separate own between"
mkdir -p "$out"

# ---- exploring

search() {  # NETWORK METHOD OPTION...
  study=$out/$1.$2.study
  [ -e "$study.explored" ] && return
  echo "$1, $2" >&2
  if [ -e "$study" ]; then
    "$cambium" search --resume --study "$study"
  else
    model=zoo:$1
    shift 2
    "$cambium" search "$model" --study "$study" --data "$data" --space loopnest \
      --brief-epochs 0 --max-accuracy-drop 1% --max-activations 3x --trials "${TRIALS:-64}" --threads 1 \
      --epochs "${EPOCHS:-20}" --seeds "${SEEDS:-3}" --seed 1 \
      --set batch=256 --set rate=0.2 --set label-smoothing=0.1 "$@"
  fi
  touch "$study.explored"
}

# The best of the front go to the finals; their trainings wait for a GPU.
finals() {  # NETWORK METHOD
  [ -e "$out/$1.$2.study.finals" ] && return
  "$cambium" search --resume --study "$out/$1.$2.study" --device none \
    --finalists "${FINALISTS:-2}"
  touch "$out/$1.$2.study.finals"
}

compose() {  # NETWORK METHOD OPTION...
  network=$1 method=$2 tie=none
  shift 2
  # DenseNet has 160 convolutions in 20 stages.
  case $network in densenet*) tie=stage ;; esac
  search "$network" "$method" --strategy compose --candidates "${COMPOSED:-2000}" --finalists 0 --device cpu \
    --legality total --legality-draws 4 --space-option tie=$tie \
    --space-option most-options="${OPTIONS:-30}" "$@"
  finals "$network" "$method"
}

# Half of the convolutions like the next network, then all: two groups, two and four, four.
between() {  # NETWORK
  targets=conv:k=3,block=basic
  for groups in "2 2" "2 4" "4 4"; do
    "$cambium" inspect "zoo:$1" --space loopnest --targets $targets --edit "halves $groups" --json \
      > "$out/halves-${groups% *}-${groups#* }.json"
  done
  python3 "$here/interpolate.py" "$out/halves-2-2.json" "$out/halves-2-4.json" 2 "$out/low"
  python3 "$here/interpolate.py" "$out/halves-2-4.json" "$out/halves-4-4.json" 2 "$out/high"
  search "$1" between --targets $targets --strategy random --candidates 0 --device none \
    --try "halves 2 2" --try "$out/low/1.json" --try "halves 2 4" --try "$out/high/1.json" \
    --try "halves 4 4"
}

explore() {
  for network in $networks; do
    search "$network" paper --strategy random --candidates "${CANDIDATES:-1000}" --finalists 0 \
      --device cpu --legality total --legality-draws 1 --quick-latency kernels \
      --space-option published=yes
    finals "$network" paper
    compose "$network" compose --space-option separate=no
    compose "$network" separate
    search "$network" own --strategy random --candidates 0 --device none \
      --try "group 2" --try "group 4"
    case $network in resnet34*) between "$network" ;; esac
  done
}

# ---- the other steps

# The parameters of the best composition, as a share of the original's; at most half, since few of
# BlockSwap's networks are larger.
budget() {  # NETWORK
  "$cambium" study list "$out/$1.compose.study" --json | python3 -c '
import json, sys
rows = json.load(sys.stdin)["rows"]
size = lambda row: row["scores"]["parameters"]["value"]
fastest = min(rows[1:], key=lambda row: row["scores"]["latency"]["value"])
print(min(0.5, size(fastest) / size(rows[0])))'
}

nas() {
  for network in $networks; do
    [ -e "$out/$network.nas.json" ] && continue
    share=$(budget "$network")
    "$cambium" bench loopnest --part blockswap --model "zoo:$network" --data "$data" \
      --budget "$share" --networks "${SWAPPED:-1000}" --device "${DEVICE:-cuda}" \
      --out "$out/$network.nas.cambium" --json > "$out/$network.nas.part"
    mv "$out/$network.nas.part" "$out/$network.nas.json"
  done
}

train() {
  for network in $networks; do
    for method in $methods; do
      study=$out/$network.$method.study
      [ -e "$study" ] || continue
      "$cambium" search --only accuracy --study "$study" --device "${DEVICE:-cuda}"
    done
    [ -e "$out/$network.nas.trained.json" ] && continue
    "$cambium" train "$out/$network.nas.cambium" --data "$data" --from-scratch \
      --epochs "${EPOCHS:-20}" --seeds "${SEEDS:-3}" --device "${DEVICE:-cuda}" \
      --set batch=256 --set rate=0.2 --set label-smoothing=0.1 --json > "$out/$network.nas.part"
    mv "$out/$network.nas.part" "$out/$network.nas.trained.json"
  done
}

latencies() {
  for network in $networks; do
    for method in $methods; do
      study=$out/$network.$method.study
      [ -e "$study" ] && "$cambium" search --only latency --study "$study"
    done
    [ -e "$out/$network.beside.json" ] && continue
    "$cambium" bench loopnest --part beside --model "zoo:$network" \
      --file "$out/$network.nas.cambium" --trials "${TRIALS:-64}" \
      --db "$out/$network.own.study.tuning" --json > "$out/$network.beside.part"
    mv "$out/$network.beside.part" "$out/$network.beside.json"
  done
}

table() {
  set --
  for network in $networks; do
    for method in $methods; do
      study=$out/$network.$method.study
      [ -e "$study" ] && set -- "$@" --study "$method=$study"
    done
    "$cambium" bench models "zoo:$network" --threads 1 --db "$out/$network.own.study.tuning" \
      --python "${PYTHON:-python3}" --json > "$out/$network.frameworks.json"
  done
  "$cambium" bench loopnest --part networks "$@" --json > "$out/networks.json"
}

case $step in
  explore | nas | train | table) $step ;;
  time) latencies ;;
  *)
    echo "networks.sh: '$step' is none of explore, nas, train, time, table" >&2
    exit 2
    ;;
esac
