#!/bin/sh
# bench/search/resnet18_cifar.sh CAMBIUM STUDY SECONDS [OPTION...]: the search of docs/results/search.md
# for so many seconds, begun, or gone on with where the study is there. It wants a GPU, and CIFAR-10's
# binary files in the folder cifar. Latencies are completed on the machine that they are wanted for:
#   cambium search --resume --only latency --study STUDY
# The study: docs/results/data/resnet18_cifar.study.xz
set -eu
cambium=$1 study=$2 seconds=$3
shift 3
if [ -e "$study" ]; then
  set -- --resume "$@"
else
  set -- zoo:resnet18-cifar --data cifar10:cifar --targets conv:k=3,groups=1 \
    --max-accuracy-drop 1% --max-activations 1.7x \
    --space-option least-macs=0.02 --space-option most-macs=0.45 \
    --set batch=256 --set rate=0.2 --set precision=bf16 --set label-smoothing=0.1 \
    --brief-epochs 2 --epochs 20 --seeds 3 --finalists 4 --trials 64 --threads 1 \
    --try operator1 --try operator2 \
    --try 'grouped_conv2d g=2' --try 'grouped_conv2d g=4' --try 'grouped_conv2d g=8' \
    --strategy random --seed 1 --in-flight 256 "$@"
fi
exec timeout -s INT "$seconds" "$cambium" search --study "$study" --candidates 12000 --workers 8 \
  --train-threads 2 --device cuda --job-seconds 60 "$@"
