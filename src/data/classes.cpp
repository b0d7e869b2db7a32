#include "data/classes.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string_view>

#include <fmt/core.h>

#include "base/text.h"

namespace cambium::data {
namespace {

constexpr std::size_t kNamesTold = 8;

// The likely name, or which there are.
std::string known_classes(const std::string& wrong, const std::vector<std::string>& trained,
                          const std::string& trained_by) {
  if (const std::optional<std::string> near = closest(wrong, trained))
    return fmt::format("{} has '{}'", trained_by, *near);
  const std::span<const std::string> told =
      std::span(trained).first(std::min(trained.size(), kNamesTold));
  return fmt::format("{} has {}{}", trained_by, join(told, ", "),
                     told.size() < trained.size() ? fmt::format(", ... ({})", trained.size()) : "");
}

}  // namespace

Result<std::vector<std::int32_t>> class_numbers(const std::vector<std::string>& names,
                                                const std::vector<std::string>& trained,
                                                const std::string& trained_by) {
  std::map<std::string_view, std::int32_t> numbers;
  for (std::size_t i = 0; i < trained.size(); ++i)
    numbers.emplace(trained[i], static_cast<std::int32_t>(i));  // of equal names the first
  std::vector<std::int32_t> out;
  for (const std::string& name : names) {
    const auto known = numbers.find(name);
    if (known == numbers.end())
      return Rejection(Reason::UnknownClass, name, known_classes(name, trained, trained_by));
    out.push_back(known->second);
  }
  return out;
}

}  // namespace cambium::data
