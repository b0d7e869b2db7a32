"""TVM as a peer; see peer.py. What it needs is in requirements.txt.

Folds batch norms into convolutions. With --trials per task or about --seconds, MetaSchedule
(tvm.s_tir.meta_schedule in this version) tunes with weights packed beforehand (cpu_weight_prepack),
TVM's best setting for processors, on the processor it finds; the log and the time that went into it
are kept in --work, and a peer that was ended goes on from there. With neither, TVM's rules for
processors are applied where they fit, for matrix-vector products and reductions; all else are
loops as they are written, on one thread.
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
    """Records and the seconds they took go to the folder; what is there already counts.

    TVM's own scheduler gives every task a turn before it keeps any result and cannot be stopped by
    the clock, so turns are given out here: to the task in which most time is spent, by its turns.
    """

    def __init__(self, module, target, work):
        self.target, self.work, self.last = target, work, time.time()
        self.clock = os.path.join(work, "seconds")
        self.spent = float(open(self.clock).read()) if os.path.exists(self.clock) else 0.0
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
        self.tick()

    def tick(self):
        now = time.time()
        self.spent, self.last = self.spent + now - self.last, now
        with open(self.clock + ".new", "w") as file:
            file.write(str(self.spent))
        os.replace(self.clock + ".new", self.clock)

    def run(self):
        unknown = [task for task in self.tasks if self.best(task) == 0]
        if unknown:
            self.turn(unknown, "replay-trace", GLIMPSE)
        if options.seconds <= 0:
            left = options.trials - len(self.database) // len(self.tasks)
            for task in self.tasks if left > 0 else []:
                self.turn([task], "evolutionary", left)
        turns = [1] * len(self.tasks)
        while self.spent < options.seconds:
            next_one = max(range(len(turns)), key=lambda i: self.best(self.tasks[i]) / turns[i])
            self.turn([self.tasks[next_one]], "evolutionary", PER_TURN)
            turns[next_one] += 1
        self.tick()
        return f"{len(self.database)} trials, {len(self.tasks)} tasks, {self.spent:.0f} s"


PREPARATION = [
    relax.transform.FoldBatchnormToConv2D(),
    relax.transform.DecomposeOpsForInference(),
    relax.transform.CanonicalizeBindings(),
    relax.get_pipeline("zero"),
]


def untuned(module, target):
    from tvm.s_tir import dlight

    rules = dlight.ApplyDefaultSchedule(dlight.cpu.GEMV(), dlight.cpu.Reduction())
    with target:
        return tvm.transform.Sequential([*PREPARATION, rules])(module), "untuned"


def tuned(module, target):
    """Tunes what fusion leaves and applies the best that was found."""
    work = options.work or tempfile.mkdtemp(prefix="tvm-peer-")
    os.makedirs(work, exist_ok=True)
    with target:
        module = tvm.transform.Sequential(
            [*PREPARATION, relax.transform.AttachAttrLayoutFreeBuffers()]
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
    tunes = options.seconds > 0 or options.trials > 0
    module, note = (tuned if tunes else untuned)(from_onnx(graph), target)
    machine = relax.VirtualMachine(tvm.compile(module, target=target), tvm.cpu())
    inputs = peer.random_inputs(graph)
    arguments = [tvm.runtime.tensor(v) for v in inputs.values()]
    machine.set_input("main", *arguments)
    machine.invoke_stateful("main")
    note += "; " + peer.checked(options.model, inputs, first(machine.get_outputs("main")))
    name = "tvm-metaschedule" if tunes else "tvm-untuned"
    peer.serve(lambda: machine.invoke_stateful("main"), name, tvm.__version__, note)
except Exception as error:  # the library raises many types
    peer.missing(error)
