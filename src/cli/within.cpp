#include "cli/within.h"

#include <string>

#include <fmt/core.h>

namespace cambium::cli {
namespace {

template <class T>
CLI::Validator holds(const Range<T>& range) {
  const auto check = [range](const std::string& word) -> std::string {
    T number{};
    if (CLI::detail::lexical_cast(word, number) && range.holds(number)) return {};
    return fmt::format("{} is not in the range {} to {}", word, range.low, range.high);
  };
  return CLI::Validator(check, "");
}

}  // namespace

CLI::Validator within(const Range<int>& range) {
  return holds(range);
}
CLI::Validator within(const Range<std::int64_t>& range) {
  return holds(range);
}
CLI::Validator within(const Range<double>& range) {
  return holds(range);
}

}  // namespace cambium::cli
