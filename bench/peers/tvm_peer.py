"""TVM with MetaSchedule as a peer; see peer.py. From PyPI: apache-tvm, onnx, xgboost.

Tunes with weights packed beforehand (cpu_weight_prepack), TVM's best setting for processors, for
--trials per task or about --seconds, on the processor it finds.
"""

import os
import tempfile
import time

import peer

options = peer.arguments()
try:
    import numpy
    import onnx
    import tvm
    from tvm import relax
    from tvm.relax.frontend.onnx import from_onnx
    from tvm.s_tir import meta_schedule
except ImportError as error:
    peer.missing(error)


def host():
    cpu = tvm.get_global_func("target.llvm_get_system_cpu", allow_missing=True)
    return {"kind": "llvm", "mcpu": cpu() if cpu else "native", "num-cores": options.threads}


def tuned(module, target):
    """Tunes what fusion leaves, in rounds until the budget is spent, and applies the best."""
    work = options.work or tempfile.mkdtemp(prefix="tvm-peer-")
    os.makedirs(work, exist_ok=True)
    tasks = None
    start = time.time()
    with tvm.target.Target(target):
        module = tvm.transform.Sequential(
            [
                relax.transform.DecomposeOpsForInference(),
                relax.transform.CanonicalizeBindings(),
                relax.get_pipeline("zero"),
                relax.transform.AttachAttrLayoutFreeBuffers(),
            ]
        )(module)
        tasks = meta_schedule.relax_integration.extract_tasks(module, tvm.target.Target(target))
        count = max(1, len(tasks))
        trials = options.trials * count
        if options.seconds > 0:
            # Learns the pace from a first round, then spends what is left.
            first = 16 * count
            tune(module, target, work, first)
            pace = (time.time() - start) / first
            trials = int(max(0.0, options.seconds - (time.time() - start)) / pace)
        tune(module, target, work, trials)
        module = tvm.transform.Sequential(
            [
                relax.transform.MetaScheduleApplyDatabase(work),
                relax.transform.SplitLayoutRewritePreproc(),
                relax.transform.LiftTransformParams(),
                relax.transform.FoldConstant(),
            ]
        )(module)
    return module, f"{trials} trials over {count} tasks, {time.time() - start:.0f} s"


def tune(module, target, work, trials):
    if trials <= 0:
        return
    relax.transform.MetaScheduleTuneIRMod(
        params={}, work_dir=work, max_trials_global=trials
    )(module)


try:
    graph = onnx.load(options.model)
    module = from_onnx(graph, keep_params_in_input=True)
    module, weights = relax.frontend.detach_params(module)
    target = host()
    module, note = tuned(module, target)
    machine = relax.VirtualMachine(tvm.compile(module, target=target), tvm.cpu())
    parameters = weights.get("main", [])
    if "main_transform_params" in [str(f.name_hint) for f in module.get_global_vars()]:
        parameters = machine["main_transform_params"](parameters)
    inputs = [tvm.runtime.tensor(v) for v in peer.random_inputs(graph).values()]
    machine.set_input("main", *inputs, *parameters)
    peer.serve(
        lambda: machine.invoke_stateful("main"), "tvm-metaschedule", tvm.__version__, note
    )
except Exception as error:  # the library raises many types
    peer.missing(error)
