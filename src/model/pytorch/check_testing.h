// For tests: a model as PyTorch source must compute the same as the reference executor. One run of
// Python checks all collected models, because starting Python takes longer than checking.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/process.h"
#include "base/scratch_folder_testing.h"
#include "model/pytorch/source.h"
#include "model/reference/execute.h"

namespace cambium::model {

class PytorchCheck {
 public:
  // Draws inputs that are not given; integers are zero.
  void add(const Model& model, std::vector<Tensor> inputs = {}) {
    const std::string stem = folder_ / ("m" + std::to_string(count_));
    const Status written = export_pytorch(model, stem);
    ASSERT_TRUE(written.ok()) << model.name() << ": " << written.rejection().message();
    expect(model, std::move(inputs));
  }
  // Checks existing files STEM.py and STEM.safetensors.
  void add_files(const std::string& stem, const Model& model) {
    const std::string own = folder_ / ("m" + std::to_string(count_));
    for (const char* ending : {".py", ".safetensors"}) {
      std::error_code error;
      std::filesystem::copy_file(stem + ending, own + ending, error);
      ASSERT_FALSE(error) << stem << ending << ": " << error.message();
    }
    expect(model, {});
  }
  int count() const { return count_; }

  void run() const {
    static constexpr const char* kScript = R"(
import importlib.util, pathlib, sys, warnings
try:
    import torch
except ImportError:
    sys.exit(77)
warnings.simplefilter("ignore")
torch.set_num_threads(1)
bad = []
for f in sorted(pathlib.Path(sys.argv[1]).glob("*.py")):
    spec = importlib.util.spec_from_file_location(f.stem, f)
    made = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(made)
        inputs = list(made.read_safetensors(f.with_suffix(".in")).values())
        expected = list(made.read_safetensors(f.with_suffix(".out")).values())
        with torch.no_grad():
            got = made.load()(*inputs)
        got = list(got) if isinstance(got, tuple) else [got]
        assert len(got) == len(expected), "the number of outputs"
        for i, (a, b) in enumerate(zip(got, expected)):
            assert a.shape == b.shape, f"{tuple(a.shape)} is not {tuple(b.shape)}"
            assert a.dtype == b.dtype, f"{a.dtype} is not {b.dtype}"
            if b.numel() == 0:
                continue
            a, b = a.double(), b.double()
            same = (a == b) | (a.isnan() & b.isnan())
            finite = b[b.isfinite()].abs()
            scale = float(finite.max()) if finite.numel() else 1.0
            wrong = ~same & ~((a - b).abs() <= 2e-5 * scale + 1e-7)
            assert not wrong.any(), f"output {i}: {float((a - b)[wrong].abs().max())} off of {scale}"
    except Exception as e:
        first = f.read_text().splitlines()[0]
        bad.append(f"{f.name} {first}: {type(e).__name__}: {str(e)[:300]}")
print("\n".join(bad[:40]))
sys.exit(1 if bad else 0)
)";
    ProcessRequest request{{"/usr/bin/python3", "-c", kScript, folder_.path()}, "", {}};
    request.limits.wall_seconds = 500;
    const auto outcome = run_process(request);
    if (!outcome.ok() || (outcome->death == Death::Exited && outcome->code == 77)) {
      GTEST_SKIP() << "Python's torch is not there (package python3-torch)";
    }
    EXPECT_TRUE(outcome->succeeded()) << outcome->text() << "\n"
                                      << outcome->output << outcome->errors;
  }

 private:
  void expect(const Model& model, std::vector<Tensor> inputs) {
    for (std::size_t i = inputs.size(); i < model.inputs().size(); ++i) {
      const TensorType& type = model.node(model.inputs()[i]).outputs[0];
      const bool floating = is_floating(type.dtype);
      inputs.push_back(Tensor::lazy(
          type, {floating ? Fill::Law::Normal : Fill::Law::Constant, floating ? 1.0 : 0, 7 + i}));
    }
    const std::string stem = folder_ / ("m" + std::to_string(count_));
    const auto outputs = execute(model, inputs);
    ASSERT_TRUE(outputs.ok()) << outputs.rejection().message();
    const auto tensors = [](const std::vector<Tensor>& all) {
      NamedTensors named;
      for (const Tensor& tensor : all) named.emplace_back(std::to_string(named.size()), tensor);
      return to_safetensors(named).value();
    };
    ASSERT_TRUE(write_file(stem + ".in", tensors(inputs)).ok());
    ASSERT_TRUE(write_file(stem + ".out", tensors(*outputs)).ok());
    ++count_;
  }

  ScratchFolder folder_;
  int count_ = 0;
};

}  // namespace cambium::model
