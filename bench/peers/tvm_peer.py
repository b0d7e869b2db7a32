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
from tvm.s_tir import meta_schedule  # noqa: E402

GLIMPSE = 8  # random trials that every task gets first: what was never tuned is slow beyond use
PER_TURN = 64  # trials, as TVM has it: proposing them costs more than measuring


def build(module, target, _):
    """TVM's default_build without that import."""
    from tvm.driver import build as tvm_build
    from tvm.s_tir.transform import RemoveWeightLayoutRewriteBlock

    module = RemoveWeightLayoutRewriteBlock(skip_tensor_rewrite=True)(module)
    return tvm_build(module, target=target)


class Tuner:
    """Records go to the folder; what is there already counts.

    TVM's own scheduler gives every task a turn before it keeps any result and cannot be stopped by
    the clock, so turns are given out here: to the task in which most time is spent, by its turns.
    """

    def __init__(self, module, target, work):
        self.target, self.work, self.start = target, work, time.time()
        self.tasks = meta_schedule.relax_integration.extract_tasks(module, target)
        self.database = meta_schedule.database.JSONDatabase(work_dir=work)
        self.model = meta_schedule.cost_model.XGBModel(num_tuning_cores=options.threads)
        self.builder = meta_schedule.builder.LocalBuilder(f_build=build)
        self.runner = meta_schedule.runner.LocalRunner()

    def best(self, task):
        """Seconds of its calls; 0: no record, or only of failures, which TVM writes as 1e10."""
        record = self.database.query_tuning_record(task.dispatched[0], self.target, task.task_name)
        best = min(float(t) for t in record.run_secs) if record else 0
        return task.weight * best if best < 1e9 else 0

    def turn(self, tasks, strategy, trials):
        contexts, weights = meta_schedule.relax_integration.extracted_tasks_to_tune_contexts(
            tasks, self.work, strategy=strategy, seed=1 + len(self.database)
        )
        meta_schedule.tune_tasks(
            tasks=contexts,
            task_weights=weights,
            work_dir=self.work,
            max_trials_global=trials * len(tasks),
            max_trials_per_task=trials,
            num_trials_per_iter=min(trials, PER_TURN),
            builder=self.builder,
            runner=self.runner,
            database=self.database,
            cost_model=self.model,
        )

    def run(self):
        unknown = [task for task in self.tasks if self.best(task) == 0]
        if unknown:
            self.turn(unknown, "replay-trace", GLIMPSE)
        if options.seconds <= 0 and options.trials > GLIMPSE:
            for task in self.tasks:
                self.turn([task], "evolutionary", options.trials - GLIMPSE)
        turns = [1] * len(self.tasks)
        while time.time() - self.start < options.seconds:
            next_one = max(range(len(turns)), key=lambda i: self.best(self.tasks[i]) / turns[i])
            self.turn([self.tasks[next_one]], "evolutionary", PER_TURN)
            turns[next_one] += 1
        spent = time.time() - self.start
        return f"{len(self.database)} trials, {len(self.tasks)} tasks, {spent:.0f} s"


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
        note = Tuner(module, target, work).run()
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
