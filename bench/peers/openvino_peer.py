"""OpenVINO as a peer; see peer.py. What it needs is in requirements.txt."""

import peer

options = peer.arguments()
try:
    import onnx
    import openvino
except ImportError as error:
    peer.missing(error)

settings = {
    "INFERENCE_NUM_THREADS": options.threads,
    "PERFORMANCE_HINT": "LATENCY",
    "INFERENCE_PRECISION_HINT": "f32",
}
try:
    compiled = openvino.Core().compile_model(options.model, "CPU", settings)
except Exception as error:  # the library raises many types
    peer.missing(error)
inputs = peer.random_inputs(onnx.load(options.model))
request = compiled.create_infer_request()
# Inputs and outputs stay where they are between calls, as ours do.
for name, value in inputs.items():
    request.set_tensor(name, openvino.Tensor(value, shared_memory=True))
request.infer()
note = peer.checked(options.model, inputs, request.get_output_tensor(0).data)
version = openvino.__version__.split("-")[0]
peer.serve(request.infer, "openvino", version, note)
