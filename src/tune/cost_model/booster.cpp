#include "tune/cost_model/booster.h"

#include <limits>

#include <fmt/core.h>
#include <xgboost/c_api.h>

namespace cambium::tune {
namespace {

Status checked(int code) {
  if (code == 0) return Ok{};
  std::string words = XGBGetLastError();
  // The first line says what; then come file names and a stack.
  const std::size_t at = words.find("Check failed");
  if (at != std::string::npos) words = words.substr(at);
  return Rejection(Reason::LearnerFailed, words.substr(0, words.find('\n')));
}

std::shared_ptr<void> owned(BoosterHandle handle) {
  return {handle, [](void* h) { XGBoosterFree(h); }};
}

Result<std::shared_ptr<void>> empty_booster(std::span<const Table* const> tables,
                                            const std::vector<DMatrixHandle>& handles) {
  BoosterHandle handle = nullptr;
  CAMBIUM_REQUIRE(checked(XGBoosterCreate(handles.data(), tables.size(), &handle)));
  return owned(handle);
}

Status set_options(BoosterHandle handle, const TreeOptions& options) {
  const std::pair<const char*, std::string> settings[] = {
      {"verbosity", "0"},
      {"nthread", "1"},
      {"tree_method", "hist"},
      {"objective", "reg:squarederror"},
      {"base_score", "0"},
      {"eta", fmt::format("{}", options.rate)},
      {"max_depth", fmt::format("{}", options.depth)},
      {"min_child_weight", "2"},
      {"lambda", "2"},
      {"gamma", "0.001"},
      {"max_bin", "64"},
      {"subsample", "0.8"},
      {"colsample_bytree", "0.3"},
      {"seed", fmt::format("{}", options.seed % std::numeric_limits<std::int32_t>::max())},
  };
  for (const auto& [name, value] : settings) {
    CAMBIUM_REQUIRE(checked(XGBoosterSetParam(handle, name, value.c_str())));
  }
  return Ok{};
}

}  // namespace

Result<Table> Table::make(std::span<const float> values, std::size_t columns) {
  DMatrixHandle handle = nullptr;
  CAMBIUM_REQUIRE(
      checked(XGDMatrixCreateFromMat(values.data(), values.size() / columns, columns,
                                     std::numeric_limits<float>::quiet_NaN(), &handle)));
  Table table;
  table.handle_ = {handle, [](void* h) { XGDMatrixFree(h); }};
  return table;
}

Result<Booster> Booster::make(const TreeOptions& options, const std::vector<std::string>& columns,
                              std::span<const Table* const> tables) {
  std::vector<DMatrixHandle> handles;
  for (const Table* table : tables) handles.push_back(table->handle_.get());
  Booster booster;
  CAMBIUM_TRY(booster.handle_, empty_booster(tables, handles));
  CAMBIUM_REQUIRE(set_options(booster.handle_.get(), options));
  const std::string count = fmt::format("{}", columns.size());
  CAMBIUM_REQUIRE(checked(XGBoosterSetParam(booster.handle_.get(), "num_feature", count.c_str())));
  std::vector<const char*> names;
  for (const std::string& name : columns) names.push_back(name.c_str());
  CAMBIUM_REQUIRE(checked(XGBoosterSetStrFeatureInfo(booster.handle_.get(), "feature_name",
                                                     names.data(), names.size())));
  return booster;
}

Result<Booster> Booster::parse(std::span<const std::byte> bytes, const TreeOptions& options,
                               std::span<const Table* const> tables) {
  std::vector<DMatrixHandle> handles;
  for (const Table* table : tables) handles.push_back(table->handle_.get());
  Booster booster;
  CAMBIUM_TRY(booster.handle_, empty_booster(tables, handles));
  CAMBIUM_REQUIRE(
      checked(XGBoosterLoadModelFromBuffer(booster.handle_.get(), bytes.data(), bytes.size())));
  CAMBIUM_REQUIRE(set_options(booster.handle_.get(), options));
  return booster;
}

Status Booster::grow(const Table& table, std::vector<float>& gradient,
                     std::vector<float>& hessian) {
  return checked(XGBoosterBoostOneIter(handle_.get(), table.handle_.get(), gradient.data(),
                                       hessian.data(), gradient.size()));
}

Result<std::vector<float>> Booster::predict(const Table& table) const {
  bst_ulong count = 0;
  const float* values = nullptr;
  CAMBIUM_REQUIRE(
      checked(XGBoosterPredict(handle_.get(), table.handle_.get(), 1, 0, 0, &count, &values)));
  return std::vector<float>(values, values + count);
}

Result<std::vector<float>> Booster::predict(std::span<const float> values,
                                            std::size_t columns) const {
  const std::string array = fmt::format(
      R"({{"data": [{}, true], "shape": [{}, {}], "typestr": "<f4", "version": 3}})",
      reinterpret_cast<std::uintptr_t>(values.data()), values.size() / columns, columns);
  const bst_ulong* shape = nullptr;
  bst_ulong dims = 0;
  const float* result = nullptr;
  CAMBIUM_REQUIRE(checked(XGBoosterPredictFromDense(
      handle_.get(), array.c_str(),
      R"({"type": 1, "iteration_begin": 0, "iteration_end": 0, "missing": NaN,
          "strict_shape": false, "cache_id": 0})",
      nullptr, &shape, &dims, &result)));
  return std::vector<float>(result, result + values.size() / columns);
}

Result<Booster> Booster::first(int trees) const {
  BoosterHandle handle = nullptr;
  CAMBIUM_REQUIRE(checked(XGBoosterSlice(handle_.get(), 0, trees, 1, &handle)));
  Booster booster;
  booster.handle_ = owned(handle);
  CAMBIUM_TRY(const std::vector<std::string> names, columns());
  std::vector<const char*> words;
  for (const std::string& name : names) words.push_back(name.c_str());
  CAMBIUM_REQUIRE(
      checked(XGBoosterSetStrFeatureInfo(handle, "feature_name", words.data(), words.size())));
  return booster;
}

Result<int> Booster::trees() const {
  int rounds = 0;
  CAMBIUM_REQUIRE(checked(XGBoosterBoostedRounds(handle_.get(), &rounds)));
  return rounds;
}

Result<std::vector<std::string>> Booster::columns() const {
  bst_ulong count = 0;
  const char** names = nullptr;
  CAMBIUM_REQUIRE(
      checked(XGBoosterGetStrFeatureInfo(handle_.get(), "feature_name", &count, &names)));
  return std::vector<std::string>(names, names + count);
}

Result<std::vector<std::byte>> Booster::bytes() const {
  bst_ulong size = 0;
  const char* data = nullptr;
  CAMBIUM_REQUIRE(
      checked(XGBoosterSaveModelToBuffer(handle_.get(), R"({"format": "ubj"})", &size, &data)));
  const auto* bytes = reinterpret_cast<const std::byte*>(data);
  return std::vector<std::byte>(bytes, bytes + size);
}

}  // namespace cambium::tune
