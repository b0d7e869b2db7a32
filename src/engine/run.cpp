#include "engine/run.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "base/escape.h"
#include "base/file.h"
#include "base/random.h"
#include "base/text.h"
#include "base/thread_pool.h"
#include "base/unique_names.h"
#include "engine/documents.h"
#include "engine/files.h"
#include "engine/memory.h"
#include "engine/npy.h"

namespace cambium::engine {

namespace {

using model::Model;
using model::Tensor;
using model::TensorType;

constexpr std::size_t kHead = 8;

nlohmann::json finite_or_null(double value) {
  return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json(nullptr);
}

}  // namespace

Result<std::vector<Tensor>> read_inputs(const Model& model,
                                        const std::map<std::string, std::string>& files) {
  std::vector<std::string> names;
  for (const model::NodeId id : model.inputs()) names.push_back(model.node(id).name);
  for (const auto& file : files) {
    const bool only = file.first.empty() && names.size() == 1 && files.size() == 1;
    if (only || std::find(names.begin(), names.end(), file.first) != names.end()) continue;
    const auto near = closest(file.first, names);
    return Rejection(
        Reason::BadOption, "--input " + quote(file.first),
        near ? "did you mean " + quote(*near) + "?" : "the inputs are " + join(names, ", "));
  }
  std::vector<Tensor> tensors;
  for (std::size_t i = 0; i < names.size(); ++i) {
    auto file = files.find(names[i]);
    if (file == files.end() && names.size() == 1) file = files.find("");
    const TensorType& type = model.node(model.inputs()[i]).outputs[0];
    if (file == files.end()) {
      return Rejection(Reason::BadOption, "--input",
                       fmt::format("give {}=FILE too ({})", names[i], type.text()));
    }
    CAMBIUM_TRY(Tensor tensor, load_tensor(file->second));
    if (tensor.type() != type) {
      return Rejection(Reason::ShapeMismatch, fmt::format("input '{}'", names[i]),
                       fmt::format("the file holds {}, the model takes {}", tensor.type().text(),
                                   type.text()))
          .at(file->second);
    }
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

std::vector<Tensor> random_inputs(const Model& model, std::uint64_t seed) {
  std::vector<Tensor> tensors;
  const Rng rng(seed);
  for (std::size_t i = 0; i < model.inputs().size(); ++i) {
    const TensorType& type = model.node(model.inputs()[i]).outputs[0];
    const model::Fill fill = is_floating(type.dtype)
                                 ? model::Fill{model::Fill::Law::Normal, 1, rng.split(i).next_u64()}
                                 : model::Fill{};
    tensors.push_back(Tensor::lazy(type, fill));
  }
  return tensors;
}

Result<RunOutcome> run_model(const Model& model, const std::vector<Tensor>& inputs,
                             const RunOptions& options) {
  CAMBIUM_REQUIRE(check_memory(model, 1));
  ThreadPool pool(options.threads);
  CAMBIUM_TRY(const std::unique_ptr<Executor> executor, make_executor(model, options.native, 1));
  RunOutcome out;
  out.executor = executor->name();
  const auto start = std::chrono::steady_clock::now();
  CAMBIUM_TRY(std::vector<Tensor> tensors, executor->run(inputs, 0, pool));
  out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (options.check) {
    CAMBIUM_TRY(const std::vector<Tensor> expected,
                reference_executor(model)->run(inputs, 0, pool));
    out.error = compare_outputs(model, tensors, expected);
    CAMBIUM_REQUIRE(check_error(*out.error));
  }
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    out.outputs.push_back({model.outputs()[i].name, std::move(tensors[i])});
  }
  return out;
}

OutputRow summarize(const NamedTensor& output) {
  OutputRow row;
  row.name = output.name;
  row.type = output.value.type();
  const std::vector<double> values = output.value.to_doubles();
  double sum = 0;
  std::int64_t counted = 0;
  for (const double value : values) {
    if (std::isnan(value)) {
      ++row.nans;
      continue;
    }
    row.low = counted == 0 ? value : std::min(row.low, value);
    row.high = counted == 0 ? value : std::max(row.high, value);
    sum += value;
    ++counted;
  }
  if (counted > 0) row.mean = sum / static_cast<double>(counted);
  row.head.assign(values.begin(),
                  values.begin() + static_cast<std::ptrdiff_t>(std::min(kHead, values.size())));
  return row;
}

Status write_outputs(const std::vector<NamedTensor>& outputs, const std::string& folder,
                     std::vector<OutputRow>& rows) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return Rejection(Reason::Unwritable, folder, error.message());
  UniqueNames taken;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::string stem = taken.unique(identifier(outputs[i].name, "output"));
    const std::string path = (std::filesystem::path(folder) / (stem + ".npy")).string();
    CAMBIUM_REQUIRE(write_file(path, to_npy(outputs[i].value)));
    rows[i].file = path;
  }
  return Ok{};
}

nlohmann::json to_json(const std::vector<OutputRow>& rows, const RunOutcome& outcome,
                       const std::string& model) {
  nlohmann::json outputs = nlohmann::json::array();
  for (const OutputRow& row : rows) {
    nlohmann::json head = nlohmann::json::array();
    for (const double value : row.head) head.push_back(finite_or_null(value));
    nlohmann::json each = {{"name", row.name},
                           {"type", json_of(row.type)},
                           {"min", finite_or_null(row.low)},
                           {"max", finite_or_null(row.high)},
                           {"mean", finite_or_null(row.mean)},
                           {"nans", row.nans},
                           {"head", std::move(head)}};
    if (!row.file.empty()) each["file"] = row.file;
    outputs.push_back(std::move(each));
  }
  nlohmann::json out = document("outputs", 1);
  out["model"] = model;
  out["executor"] = outcome.executor;
  out["outputs"] = std::move(outputs);
  if (outcome.error) out["largest_error"] = outcome.error->largest;
  return out;
}

}  // namespace cambium::engine
