// XGBoost behind a plain C++ interface; only this folder includes its header. Trees over rows of
// numbers, with one thread and the same result for the same seed. Refuses LearnerFailed with
// XGBoost's message.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace cambium::tune {

// Rows to learn from or to predict, in XGBoost's own form.
class Table {
 public:
  // `values` holds row after row. Refuses infinite values.
  static Result<Table> make(std::span<const float> values, std::size_t columns);

 private:
  friend class Booster;
  std::shared_ptr<void> handle_;
};

struct TreeOptions {
  double rate = 0.1;
  int depth = 5;
  std::uint64_t seed = 1;
};

class Booster {
 public:
  // Predictions of these tables are updated incrementally while the booster grows.
  static Result<Booster> make(const TreeOptions& options, const std::vector<std::string>& columns,
                              std::span<const Table* const> tables);
  static Result<Booster> parse(std::span<const std::byte> bytes, const TreeOptions& options,
                               std::span<const Table* const> tables);

  // Adds one tree.
  Status grow(const Table& table, std::vector<float>& gradient, std::vector<float>& hessian);
  Result<std::vector<float>> predict(const Table& table) const;
  // Without creating a table; for few rows.
  Result<std::vector<float>> predict(std::span<const float> values, std::size_t columns) const;

  Result<Booster> first(int trees) const;  // the same booster with at most this many trees
  Result<int> trees() const;
  Result<std::vector<std::string>> columns() const;
  Result<std::vector<std::byte>> bytes() const;

 private:
  std::shared_ptr<void> handle_;
};

}  // namespace cambium::tune
