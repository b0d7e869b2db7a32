"""libtorch as a peer; see peer.py. From Debian: python3-torch, python3-onnx; from PyPI: torch, onnx.

The operators of the model as torch functions, traced, frozen and optimized for inference, which
folds batch norms and gives convolutions to oneDNN in blocked layouts.
"""

import peer

options = peer.arguments()
try:
    import numpy
    import onnx
    import torch
    from onnx import numpy_helper
    from torch.nn import functional as F
except ImportError as error:
    peer.missing(error)

torch.set_num_threads(options.threads)
graph = onnx.load(options.model).graph


def conv(a, x, w, bias=None):
    pads = a.get("pads", [0] * 4)
    half = len(pads) // 2
    if pads[:half] != pads[half:]:
        x = F.pad(x, [p for i in reversed(range(half)) for p in (pads[i], pads[half + i])])
        pads = [0] * len(pads)
    function = {3: F.conv1d, 4: F.conv2d, 5: F.conv3d}[x.dim()]
    return function(
        x, w, bias, a.get("strides", 1), pads[:half], a.get("dilations", 1), a.get("group", 1)
    )


def gemm(a, x, w, c=None):
    x = x.t() if a.get("transA") else x
    y = a.get("alpha", 1.0) * (x @ (w.t() if a.get("transB") else w))
    return y if c is None else y + a.get("beta", 1.0) * c


OPERATORS = {
    "Add": lambda a, x, y: x + y,
    "Mul": lambda a, x, y: x * y,
    "Relu": lambda a, x: F.relu(x),
    "Erf": lambda a, x: torch.erf(x),
    "Clip": lambda a, x, low, high: F.hardtanh(x, float(low), float(high)),
    "Conv": conv,
    "Gemm": gemm,
    "MatMul": lambda a, x, y: x @ y,
    "BatchNormalization": lambda a, x, s, b, m, v: F.batch_norm(
        x, m, v, s, b, False, 0.0, a.get("epsilon", 1e-5)
    ),
    "MaxPool": lambda a, x: F.max_pool2d(
        x, a["kernel_shape"], a.get("strides"), a.get("pads", [0] * 4)[:2]
    ),
    "ReduceMean": lambda a, x, axes=None: x.mean(
        a["axes"] if axes is None else axes.tolist(), bool(a.get("keepdims", 1))
    ),
    "LayerNormalization": lambda a, x, s, b: F.layer_norm(
        x, s.shape, s, b, a.get("epsilon", 1e-5)
    ),
    "Softmax": lambda a, x: torch.softmax(x, a.get("axis", -1)),
    "Gather": lambda a, x, i: F.embedding(i, x) if a.get("axis", 0) == 0 else None,
    "Reshape": lambda a, x, shape: x.reshape(shape.tolist()),
    "Transpose": lambda a, x: x.permute(a["perm"]),
}


class Network(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weights = {
            w.name: torch.from_numpy(numpy_helper.to_array(w).copy()) for w in graph.initializer
        }

    def forward(self, *inputs):
        names = [i.name for i in graph.input if i.name not in self.weights]
        values = dict(self.weights, **dict(zip(names, inputs)))
        for node in graph.node:
            attributes = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
            arguments = [values[name] if name else None for name in node.input]
            values[node.output[0]] = OPERATORS[node.op_type](attributes, *arguments)
        return values[graph.output[0].name]


unknown = {node.op_type for node in graph.node} - set(OPERATORS)
if unknown:
    peer.missing("no torch function here for " + ", ".join(sorted(unknown)))
named = peer.random_inputs(onnx.load(options.model))
inputs = [torch.from_numpy(v) for v in named.values()]
with torch.inference_mode():
    network = torch.jit.trace(Network().eval(), inputs, check_trace=False)
    network = torch.jit.optimize_for_inference(torch.jit.freeze(network.eval()))
    for _ in range(3):
        output = network(*inputs)
    note = peer.checked(options.model, named, output.numpy())
    peer.serve(lambda: network(*inputs), "libtorch", torch.__version__, note)
