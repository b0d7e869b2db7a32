// XGBoost behind plain C++: the one place that includes its header. Trees over rows of numbers, one
// thread, the same result for the same seed. Refuses LearnerFailed with XGBoost's words.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace cambium::tune {

// Rows to learn from or to predict, kept in XGBoost's own form.
class Table {
 public:
  // `values`: row after row. Refuses what is infinite.
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
  // Tables given here are predicted incrementally while it grows.
  static Result<Booster> make(const TreeOptions& options, const std::vector<std::string>& columns,
                              std::span<const Table* const> tables);
  static Result<Booster> parse(std::span<const std::byte> bytes, const TreeOptions& options,
                               std::span<const Table* const> tables);

  // One more tree.
  Status grow(const Table& table, std::vector<float>& gradient, std::vector<float>& hessian);
  Result<std::vector<float>> predict(const Table& table) const;
  // Without making a table; for few rows.
  Result<std::vector<float>> predict(std::span<const float> values, std::size_t columns) const;

  Result<Booster> first(int trees) const;  // the same with no more than these
  Result<int> trees() const;
  Result<std::vector<std::string>> columns() const;
  Result<std::vector<std::byte>> bytes() const;

 private:
  std::shared_ptr<void> handle_;
};

}  // namespace cambium::tune
