#include "engine/search/evaluator.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/ranges.h"
#include "engine/search/fields.h"

namespace cambium::engine {

namespace {

template <class T>
Result<T> number_option(const nlohmann::json& options, const char* name, T number,
                        const Range<T>& range) {
  if (!options.contains(name)) return number;
  const Status taken = Fields(options).take(name, number, range).status();
  if (taken.ok()) return number;
  return Rejection(Reason::BadJob, fmt::format("option {}", taken.rejection().message()));
}

}  // namespace

Result<int> integer_option(const nlohmann::json& options, const char* name, int otherwise,
                           const Range<int>& range) {
  return number_option(options, name, otherwise, range);
}

Result<std::int64_t> integer_option(const nlohmann::json& options, const char* name,
                                    std::int64_t otherwise, const Range<std::int64_t>& range) {
  return number_option(options, name, otherwise, range);
}

Result<bool> flag_option(const nlohmann::json& options, const char* name) {
  CAMBIUM_TRY(const int flag, integer_option(options, name, 0, Range<int>{0, 1}));
  return flag == 1;
}

Result<std::int64_t> trials_of(double fidelity) {
  const Range<double> range{ranges::kTrials.low, ranges::kTrials.high};
  if (range.holds(fidelity)) return static_cast<std::int64_t>(fidelity);
  return Rejection(Reason::BadJob, fmt::format("{} trials are not in the range {} to {}", fidelity,
                                               range.low, range.high));
}

Result<std::string> text_option(const nlohmann::json& options, const char* name,
                                const std::string& otherwise) {
  const auto found = options.find(name);
  if (found == options.end()) return otherwise;
  if (!found->is_string()) {
    return Rejection(Reason::BadJob, fmt::format("option '{}' must be a string", name));
  }
  return found->get<std::string>();
}

}  // namespace cambium::engine
