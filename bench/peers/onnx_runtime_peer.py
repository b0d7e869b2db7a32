"""ONNX Runtime as a peer; see peer.py. What it needs is in requirements.txt."""

import peer

options = peer.arguments()
try:
    import onnx
    import onnxruntime
except ImportError as error:
    peer.missing(error)

settings = onnxruntime.SessionOptions()
settings.intra_op_num_threads = options.threads
settings.inter_op_num_threads = 1
settings.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
try:
    session = onnxruntime.InferenceSession(
        options.model, settings, providers=["CPUExecutionProvider"]
    )
except Exception as error:  # the library raises many types
    peer.missing(error)
inputs = peer.random_inputs(onnx.load(options.model))
# Inputs and outputs stay where they are between calls, as ours do.
binding = session.io_binding()
for name, value in inputs.items():
    binding.bind_cpu_input(name, value)
for value in session.get_outputs():
    binding.bind_output(value.name)
peer.serve(
    lambda: session.run_with_iobinding(binding), "onnxruntime", onnxruntime.__version__
)
