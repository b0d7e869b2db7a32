// The test suite that comes with ONNX, which nobody here wrote: every case whose operators are all
// in our table must give the stated outputs, unless it is on the list of exceptions.
#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "model/onnx/decode.h"
#include "model/onnx/import.h"
#include "model/onnx/node_suite_exceptions.h"
#include "model/onnx/rows.h"
#include "model/onnx/suite_testing.h"
#include "model/reference/execute.h"

namespace cambium::model {
namespace {

namespace fs = std::filesystem;
using onnx_io::Document;

const fs::path kSuite = "/usr/share/libonnx-testdata/data";

struct Outcome {
  enum class Kind { Passed, Failed, Unsupported, Excepted } kind;
  std::string why;   // of Unsupported: the operator
  int bound = 0;     // inputs that had to be constants
  double worst = 0;  // relative error
};

std::optional<std::string> unknown_operator(const Document& document) {
  std::int64_t opset = 1;
  for (const auto& [domain, version] : document.opsets) {
    if (domain.empty()) opset = version;
  }
  for (const auto& node : document.graph.nodes) {
    if (!node.domain.empty()) return node.domain + "." + node.type;
    if (!onnx_io::find_row(node.type, opset).ok()) return node.type;
  }
  return std::nullopt;
}

// Inputs that determine a shape must be constants: first none, then lists of integers, then all.
bool is_bound(const Tensor& tensor, int level) {
  const bool list = tensor.type().rank() <= 1 && !is_floating(tensor.dtype());
  return level == 2 || (level == 1 && list);
}

// numpy has no bfloat16: the suite stores the bits of one as uint16.
Tensor as_declared(const Tensor& tensor, const onnx_io::ValueInfo& declared) {
  if (tensor.dtype() != DType::U16 || declared.dtype != DType::BF16) return tensor;
  const auto bytes = tensor.bytes();
  return {{DType::BF16, tensor.dims()}, {bytes.begin(), bytes.end()}};
}

Outcome run_data(const std::string& bytes, const Document& document, const fs::path& data) {
  const auto inputs = read_tensors(data, "input");
  const auto outputs = read_tensors(data, "output");
  if (!inputs.ok()) return {Outcome::Kind::Failed, inputs.rejection().message()};
  if (!outputs.ok()) return {Outcome::Kind::Failed, outputs.rejection().message()};
  for (int level = 0;; ++level) {
    ImportOptions options;
    std::vector<Tensor> rest;
    for (std::size_t i = 0; i < inputs->size() && i < document.graph.inputs.size(); ++i) {
      const Tensor input = as_declared((*inputs)[i], document.graph.inputs[i]);
      if (is_bound(input, level)) {
        options.constants.emplace(document.graph.inputs[i].name, input);
      } else {
        rest.push_back(input);
      }
    }
    const auto imported = import_onnx_bytes(bytes, "", options);
    if (!imported.ok()) {
      const Rejection& why = imported.rejection();
      if (why.reason() == Reason::NotConstant && level < 2) continue;
      return {Outcome::Kind::Failed, why.message()};
    }
    const auto found = execute(imported->model, rest);
    if (!found.ok()) return {Outcome::Kind::Failed, found.rejection().message()};
    Outcome outcome{Outcome::Kind::Passed, "", static_cast<int>(options.constants.size())};
    for (std::size_t i = 0; i < outputs->size(); ++i) {
      const std::string wrong =
          difference((*found)[i], as_declared((*outputs)[i], document.graph.outputs[i]),
                     Tolerance{}, outcome.worst);
      if (!wrong.empty()) {
        return {Outcome::Kind::Failed, fmt::format("output {} {}", i, wrong)};
      }
    }
    return outcome;
  }
}

Outcome run_case(const fs::path& folder) {
  const auto bytes = read_file((folder / "model.onnx").string());
  if (!bytes.ok()) return {Outcome::Kind::Failed, bytes.rejection().message()};
  const auto document = onnx_io::decode(*bytes, folder);
  if (!document.ok()) return {Outcome::Kind::Failed, document.rejection().message()};
  if (const auto type = unknown_operator(*document)) {
    return {Outcome::Kind::Unsupported, *type};
  }
  Outcome total{Outcome::Kind::Passed, ""};
  for (int set = 0; fs::exists(folder / fmt::format("test_data_set_{}", set)); ++set) {
    const Outcome one = run_data(*bytes, *document, folder / fmt::format("test_data_set_{}", set));
    if (one.kind != Outcome::Kind::Passed) return one;
    total.bound = std::max(total.bound, one.bound);
    total.worst = std::max(total.worst, one.worst);
  }
  return total;
}

void run_suite(const std::string& name) {
  const fs::path root = kSuite / name;
  if (!fs::exists(root)) GTEST_SKIP() << root << " is not there (package libonnx-testdata)";
  std::vector<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(root)) {
    if (fs::exists(entry.path() / "model.onnx")) folders.push_back(entry.path());
  }
  std::sort(folders.begin(), folders.end());
  int supported = 0, passed = 0, bound = 0, close = 0;
  std::map<std::string, int> unsupported;
  std::map<std::string, int> excepted;
  for (const fs::path& folder : folders) {
    const std::string label = folder.filename().string();
    Outcome outcome = run_case(folder);
    if (const char* reason = exception_for(label)) {
      EXPECT_NE(outcome.kind, Outcome::Kind::Passed) << label << " passes: take it off the list";
      ++excepted[reason];
      continue;
    }
    if (outcome.kind == Outcome::Kind::Unsupported) {
      ++unsupported[outcome.why];
      continue;
    }
    ++supported;
    EXPECT_EQ(outcome.kind, Outcome::Kind::Passed) << label << ": " << outcome.why;
    passed += outcome.kind == Outcome::Kind::Passed ? 1 : 0;
    bound += outcome.kind == Outcome::Kind::Passed && outcome.bound > 0 ? 1 : 0;
    close += outcome.kind == Outcome::Kind::Passed && outcome.worst < 1e-5 ? 1 : 0;
  }
  fmt::print(
      "ONNX {} suite: {} of {} cases of supported operators pass ({} within 1e-5), of {} "
      "cases in all; {} with inputs bound as constants\n",
      name, passed, supported, close, folders.size(), bound);
  for (const auto& [reason, count] : excepted) fmt::print("  {:4} excepted: {}\n", count, reason);
  for (const auto& [type, count] : unsupported)
    fmt::print("  {:4} not supported: {}\n", count, type);
  EXPECT_GT(supported, 0);
}

TEST(NodeSuite, EveryCaseOfASupportedOperatorPasses) {
  run_suite("node");
}

TEST(NodeSuite, SimpleModelsPass) {
  run_suite("simple");
}

TEST(NodeSuite, OperatorsFromPytorchPass) {
  run_suite("pytorch-operator");
}

TEST(NodeSuite, ModulesFromPytorchPass) {
  run_suite("pytorch-converted");
}

}  // namespace
}  // namespace cambium::model
