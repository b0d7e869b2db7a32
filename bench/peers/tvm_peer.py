"""TVM with MetaSchedule as a peer; see peer.py. What it needs is in requirements.txt.

Folds batch norms into convolutions and tunes with weights packed beforehand (cpu_weight_prepack),
TVM's best setting for processors, for --trials per task or about --seconds, on the processor it
finds.
"""

import os
import sys
import tempfile
import time
import types

import peer

options = peer.arguments()
try:
    import onnx
    import tvm
    from tvm import relax, s_tir
    from tvm.relax.frontend.onnx import from_onnx
except ImportError as error:
    peer.missing(error)

# The package registers the tensor instructions of every GPU when it is imported, which takes most
# of a minute, and MetaSchedule imports it in each of its builders' processes, which it then ends
# after 30 s. We give it those of this processor only.
intrinsics = types.ModuleType("tvm.s_tir.tensor_intrin")
intrinsics.__path__ = [os.path.join(os.path.dirname(s_tir.__file__), "tensor_intrin")]
sys.modules[intrinsics.__name__] = intrinsics
import tvm.s_tir.tensor_intrin.x86  # noqa: E402
from tvm.ir.utils import derived_object  # noqa: E402
from tvm.s_tir import meta_schedule  # noqa: E402

GLIMPSE = 8  # random trials that every task gets first: what was never tuned is slow beyond use
PER_ROUND = 32  # trials of a task's turn


def build(module, target, _):
    """TVM's default_build without that import."""
    from tvm.driver import build as tvm_build
    from tvm.s_tir.transform import RemoveWeightLayoutRewriteBlock

    module = RemoveWeightLayoutRewriteBlock(skip_tensor_rewrite=True)(module)
    return tvm_build(module, target=target)


@derived_object
class Watch(meta_schedule.measure_callback.PyMeasureCallback):
    """Counts trials, and ends tuning when the time is over."""

    def __init__(self):
        self.trials, self.start, self.is_over = 0, time.time(), False

    def spent(self):
        return time.time() - self.start

    def apply(self, scheduler, task, candidates, builds, runs):
        self.trials += len(candidates)
        self.is_over = 0 < options.seconds < self.spent()
        if self.is_over:
            raise TimeoutError()


def tune(module, target, work, watch):
    """Records go to the folder; each tuning goes on from what is there."""
    tasks = meta_schedule.relax_integration.extract_tasks(module, target)
    # Turns go by this order until every task had one: where most work is first.
    tasks.sort(key=lambda t: -t.weight * s_tir.analysis.estimate_tir_flops(t.mod))

    def rounds(strategy, per_task, per_round):
        contexts, weights = meta_schedule.relax_integration.extracted_tasks_to_tune_contexts(
            tasks, work, strategy=strategy, seed=1
        )
        callbacks = meta_schedule.measure_callback.MeasureCallback.create("default")
        meta_schedule.tune_tasks(
            tasks=contexts,
            task_weights=weights,
            work_dir=work,
            max_trials_global=per_task * len(tasks),
            max_trials_per_task=per_task,
            num_trials_per_iter=per_round,
            builder=meta_schedule.builder.LocalBuilder(f_build=build),
            measure_callbacks=[*callbacks, watch],
        )

    try:
        rounds("replay-trace", GLIMPSE, GLIMPSE)
        by_trials = max(0, options.trials - GLIMPSE)
        if options.seconds > 0 or by_trials > 0:
            rounds("evolutionary", by_trials if options.seconds <= 0 else 10**6, PER_ROUND)
    except Exception:  # it comes back as another type
        if not watch.is_over:
            raise
    return f"{watch.trials} trials, {len(tasks)} tasks, {watch.spent():.0f} s"


def tuned(module, target):
    """Tunes what fusion leaves and applies the best that was found."""
    work = options.work or tempfile.mkdtemp(prefix="tvm-peer-")
    os.makedirs(work, exist_ok=True)
    with target:
        module = tvm.transform.Sequential(
            [
                relax.transform.FoldBatchnormToConv2D(),
                relax.transform.DecomposeOpsForInference(),
                relax.transform.CanonicalizeBindings(),
                relax.get_pipeline("zero"),
                relax.transform.AttachAttrLayoutFreeBuffers(),
            ]
        )(module)
        note = tune(module, target, work, Watch())
        module = tvm.transform.Sequential(
            [
                relax.transform.MetaScheduleApplyDatabase(work),
                relax.transform.SplitLayoutRewritePreproc(),
                relax.transform.FoldConstant(),  # packs the weights
            ]
        )(module)
    return module, note


def first(output):
    return output.numpy() if hasattr(output, "numpy") else first(output[0])


try:
    graph = onnx.load(options.model)
    cpu = tvm.get_global_func("target.llvm_get_system_cpu")()
    target = tvm.target.Target({"kind": "llvm", "mcpu": cpu, "num-cores": options.threads})
    module, note = tuned(from_onnx(graph), target)
    machine = relax.VirtualMachine(tvm.compile(module, target=target), tvm.cpu())
    inputs = peer.random_inputs(graph)
    arguments = [tvm.runtime.tensor(v) for v in inputs.values()]
    machine.set_input("main", *arguments)
    machine.invoke_stateful("main")
    note += "; " + peer.checked(options.model, inputs, first(machine.get_outputs("main")))
    peer.serve(
        lambda: machine.invoke_stateful("main"), "tvm-metaschedule", tvm.__version__, note
    )
except Exception as error:  # the library raises many types
    peer.missing(error)
