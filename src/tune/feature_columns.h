// Writes the columns of a row of features, and defines their scales. Used by the files that write
// features.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace cambium::tune {

inline double slog(double x) {
  return std::log2(std::abs(x) + 1);
}
inline double ratio(double x, double by) {
  return by > 0 ? x / by : 0;
}
// The ratio of a size to another, on a logarithmic scale where equal is 0.
inline double fit(double bytes, double room) {
  return std::log2((bytes + 64) / std::max(room, 64.0));
}

// Collects the columns of a row, as values or, to learn their names, as names. So the code that
// writes the columns is also their only list.
class Columns {
 public:
  Columns(std::vector<float>* values, std::vector<std::string>* names)
      : values_(values), names_(names) {}

  void operator()(const char* name, double value) {
    if (names_ != nullptr) names_->push_back(prefix_ + name);
    if (values_ != nullptr) values_->push_back(static_cast<float>(value));
  }
  void within(const char* group, std::size_t number) {
    if (names_ != nullptr) prefix_ = group + std::to_string(number) + ".";
  }
  void within(const char* group) {
    if (names_ != nullptr) prefix_ = group;
  }

 private:
  std::vector<float>* values_;
  std::vector<std::string>* names_;
  std::string prefix_;
};

}  // namespace cambium::tune
