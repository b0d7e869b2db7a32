"""What the peers in this folder share: a model in, a process that times itself when asked.

A peer is started as `python3 NAME_peer.py MODEL.onnx --threads N [--trials N] [--seconds S]
[--work DIR]`. It answers with one line of JSON on standard output, {"name", "version", "note"} when
it is ready or {"missing": reason} when it cannot be had. After that every line "burst WARMUP SLICE
SLICES" on standard input is answered by {"seconds": s}, the time of one call as time_burst of
src/measure/timing.h takes it; between two bursts it waits and does nothing. It ends at the end of
standard input, or when whoever started it is gone.
"""

import argparse
import ctypes
import json
import os
import signal
import sys
import time


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--trials", type=int, default=0, help="per task, where the peer tunes")
    parser.add_argument("--seconds", type=float, default=0, help="tuning time; 0: by trials")
    parser.add_argument("--work", default="", help="folder in which tuning logs are kept")
    found = parser.parse_args()
    PR_SET_PDEATHSIG = 1
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)  # nobody tunes for the dead
    # Libraries read these when they are loaded.
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "TVM_NUM_THREADS"):
        os.environ[name] = str(found.threads)
    return found


# Talk of libraries must not get between the answers.
_answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)


def answer(**what):
    _answers.write(json.dumps(what) + "\n")
    _answers.flush()


def missing(reason):
    answer(missing=" ".join(str(reason).split())[:300])
    sys.exit(0)


def random_inputs(model):
    """Numbers for the inputs of an ONNX model, by name, in the order of the graph."""
    import numpy
    import onnx

    rng = numpy.random.default_rng(1)
    given = {weight.name for weight in model.graph.initializer}
    inputs = {}
    for value in model.graph.input:
        if value.name in given:
            continue
        whole = {onnx.TensorProto.INT64: numpy.int64, onnx.TensorProto.INT32: numpy.int32}
        kind = whole.get(value.type.tensor_type.elem_type, numpy.float32)
        dims = [d.dim_value for d in value.type.tensor_type.shape.dim]
        if numpy.issubdtype(kind, numpy.integer):
            inputs[value.name] = rng.integers(0, 100, dims).astype(kind)
        else:
            inputs[value.name] = rng.uniform(-1, 1, dims).astype(kind)
    return inputs


def checked(model, inputs, output):
    """Compares the first output with ONNX Runtime's, where there is one; a wrong peer is none."""
    try:
        import onnxruntime
    except ImportError:
        return "not checked, for there is no onnxruntime"
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    expected = session.run(None, inputs)[0]
    error = abs(expected - output.reshape(expected.shape)).max() / max(abs(expected).max(), 1e-30)
    if not error < 1e-3:
        missing(f"its output is wrong: {error:.1e} of the largest value away from onnxruntime's")
    return f"checked, {error:.0e} away from onnxruntime"


LONG_CALL, LONG_BURST = 2e-3, 30e-3  # as in src/measure/timing.h


def burst(call, warmup, slice_seconds, slices):
    def timed(calls):
        begin = time.perf_counter()
        for _ in range(calls):
            call()
        return (time.perf_counter() - begin) / calls

    end = time.perf_counter() + warmup
    fastest, pack = timed(1), 1
    while time.perf_counter() < end:
        fastest = min(fastest, timed(pack))
        if fastest < 1e-5:
            pack = min(2 * pack, 64)
    calls = max(1, int(slice_seconds / max(fastest, 1e-9)))
    if fastest > LONG_CALL:
        slices = min(max(int(LONG_BURST / fastest), 2), max(slices, 2))
    return min(timed(calls) for _ in range(slices))


def serve(call, name, version, note=""):
    call()
    answer(name=name, version=version, note=note)
    for line in sys.stdin:
        words = line.split()
        if len(words) == 4 and words[0] == "burst":
            seconds = burst(call, float(words[1]), float(words[2]), int(words[3]))
            answer(seconds=seconds)
