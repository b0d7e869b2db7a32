// For tests: ONNX files must hold standard operators only, be accepted by onnx.checker and compute
// in ONNX Runtime what the reference executor does. Files are collected and checked by one run of
// Python: that of the environment variable CAMBIUM_PEERS_PYTHON (an environment with
// bench/peers/requirements.txt), otherwise Debian's, which has no ONNX Runtime.
#pragma once

#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/process.h"
#include "base/scratch_folder_testing.h"
#include "model/pytorch/safetensors.h"
#include "model/tensor.h"

namespace cambium::tests {

class OnnxRuntimeCheck {
 public:
  void add(const std::string& file, const std::vector<model::Tensor>& inputs,
           const std::vector<model::Tensor>& outputs) {
    const std::string stem = folder_ / std::to_string(count_++);
    ASSERT_TRUE(write_file(stem + ".path", file).ok());
    ASSERT_TRUE(write_file(stem + ".in", tensors(inputs)).ok());
    ASSERT_TRUE(write_file(stem + ".out", tensors(outputs)).ok());
  }

  void run() const {
    static constexpr const char* kScript = R"(
import json, pathlib, sys
try:
    import numpy, onnx, onnx.checker
except ImportError:
    sys.exit(77)
try:
    import onnxruntime
except ImportError:
    onnxruntime = None

def tensors(path):
    data = path.read_bytes()
    start = 8 + int.from_bytes(data[:8], "little")
    about = json.loads(data[8:start])
    types = {"F32": numpy.float32, "I64": numpy.int64}
    return [numpy.frombuffer(data[start + t["data_offsets"][0]:start + t["data_offsets"][1]],
                             types[t["dtype"]]).reshape(t["shape"]) for t in about.values()]

def nodes(graph):
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            for inner in [attribute.g, *attribute.graphs]:
                yield from nodes(inner)

STANDARD = {"", "ai.onnx"}

def check(path):
    file = path.read_text()
    onnx.checker.check_model(file, full_check=True)
    model = onnx.load(file)
    foreign = {n.op_type for n in nodes(model.graph) if n.domain not in STANDARD}
    assert not foreign, f"operators of other domains: {foreign}"
    assert not model.functions, "functions of its own"
    assert all(o.domain in STANDARD for o in model.opset_import), "imports other domains"
    if onnxruntime is None:
        return None
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(file, options, providers=["CPUExecutionProvider"])
    inputs = dict(zip([i.name for i in session.get_inputs()], tensors(path.with_suffix(".in"))))
    worst = 0.0
    for got, expected in zip(session.run(None, inputs), tensors(path.with_suffix(".out")), strict=True):
        assert got.shape == expected.shape, f"{got.shape} is not {expected.shape}"
        error = abs(got - expected).max() / max(abs(expected).max(), 1e-30)
        assert error < 1e-4, f"{error} of the largest value away"
        worst = max(worst, error)
    return worst

bad = 0
for path in sorted(pathlib.Path(sys.argv[1]).glob("*.path")):
    try:
        print(path.read_text(), check(path))
    except Exception as e:
        bad += 1
        print(path.read_text(), type(e).__name__, str(e)[:600])
print("onnx", onnx.__version__, "onnxruntime", onnxruntime and onnxruntime.__version__)
sys.exit(1 if bad else 0 if onnxruntime else 78)
)";
    const char* const python = std::getenv("CAMBIUM_PEERS_PYTHON");
    ProcessRequest request{
        {python != nullptr ? python : "/usr/bin/python3", "-c", kScript, folder_.path()}, "", {}};
    request.limits.wall_seconds = 300;
    const auto outcome = run_process(request);
    if (!outcome.ok() || (outcome->death == Death::Exited && outcome->code == 77)) {
      GTEST_SKIP() << "Python's onnx is not there (package python3-onnx)";
    }
    if (outcome->death == Death::Exited && outcome->code == 78) {
      GTEST_SKIP() << "checked, but not run: this Python has no ONNX Runtime; name one that has it "
                      "in CAMBIUM_PEERS_PYTHON";
    }
    EXPECT_TRUE(outcome->succeeded()) << outcome->text() << "\n"
                                      << outcome->output << outcome->errors;
    std::cout << outcome->output;
  }

 private:
  static std::string tensors(const std::vector<model::Tensor>& all) {
    model::NamedTensors named;
    for (const model::Tensor& tensor : all) {
      named.emplace_back(std::to_string(named.size()), tensor);
    }
    return model::to_safetensors(named).value();
  }

  ScratchFolder folder_;
  int count_ = 0;
};

}  // namespace cambium::tests
