// Models of the world outside: every X.onnx of the folder that CAMBIUM_EXTRA_MODELS names must come
// in, go out and come back. Where a folder X_data holds `input_0.pb` and `output_0.pb`, the outputs
// must be those; free dimensions are then bound to what the inputs have.
#include <cstdlib>
#include <filesystem>
#include <set>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "model/onnx/decode.h"
#include "model/onnx/round_trip_testing.h"
#include "model/onnx/suite_testing.h"
#include "model/reference/execute.h"

namespace cambium::model {
namespace {

namespace fs = std::filesystem;

// Names of free dimensions -> sizes, from tensors for all inputs.
std::map<std::string, std::int64_t> sizes_of(const fs::path& file,
                                             const std::vector<Tensor>& inputs) {
  std::map<std::string, std::int64_t> sizes;
  const auto bytes = read_file(file.string());
  const auto document = onnx_io::decode(bytes.ok() ? *bytes : "", file.parent_path());
  if (!document.ok()) return sizes;
  for (std::size_t i = 0; i < inputs.size() && i < document->graph.inputs.size(); ++i) {
    const auto& dims = document->graph.inputs[i].dims;
    for (std::size_t axis = 0; dims && axis < dims->size(); ++axis) {
      const onnx_io::Dim& dim = (*dims)[axis];
      if (!dim.size && !dim.name.empty()) sizes[dim.name] = inputs[i].dims()[axis];
    }
  }
  return sizes;
}

void check_model(const fs::path& file) {
  const fs::path data = file.parent_path() / (file.stem().string() + "_data");
  const auto inputs = read_tensors(data, "input");
  const auto expected = read_tensors(data, "output");
  ASSERT_TRUE(inputs.ok() && expected.ok()) << data;
  ImportOptions options;
  options.bind = sizes_of(file, *inputs);
  const auto imported = import_onnx(file, options);
  ASSERT_TRUE(imported.ok()) << imported.rejection().message();
  const ScratchFolder folder;
  expect_round_trip(imported->model, folder / "again.onnx");
  std::map<std::string, int> operators;
  for (const NodePtr& node : imported->model.nodes()) ++operators[std::string(name_of(node->op))];
  std::string line = file.filename().string() + ":";
  for (const auto& [name, count] : operators) line += " " + name + " " + std::to_string(count);
  fmt::print("{}\n", line);
  if (expected->empty()) return;
  const auto found = execute(imported->model, *inputs);
  ASSERT_TRUE(found.ok()) << found.rejection().message();
  double worst = 0;
  for (std::size_t i = 0; i < expected->size(); ++i) {
    EXPECT_EQ(difference((*found)[i], (*expected)[i], {1e-3, 1e-4}, worst), "") << "output " << i;
  }
}

TEST(ExtraModels, ComeInAndComputeWhatTheirExporterComputed) {
  const char* folder = std::getenv("CAMBIUM_EXTRA_MODELS");
  if (folder == nullptr) GTEST_SKIP() << "CAMBIUM_EXTRA_MODELS names no folder of .onnx files";
  std::set<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".onnx") files.insert(entry.path());
  }
  EXPECT_FALSE(files.empty());
  for (const fs::path& file : files) {
    SCOPED_TRACE(file);
    check_model(file);
  }
}

}  // namespace
}  // namespace cambium::model
