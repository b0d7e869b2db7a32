#include "search/settings.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace cambium::search {

Settings& Settings::real(std::string name, double& place, double low, double high) {
  entries_.push_back({std::move(name), Type::Real, &place, low, high});
  return *this;
}

Settings& Settings::whole(std::string name, std::int64_t& place, std::int64_t low,
                          std::int64_t high) {
  entries_.push_back(
      {std::move(name), Type::Whole, &place, static_cast<double>(low), static_cast<double>(high)});
  return *this;
}

Settings& Settings::yes_no(std::string name, bool& place) {
  entries_.push_back({std::move(name), Type::YesNo, &place, 0, 1});
  return *this;
}

Status Settings::set(const Entry& entry, const std::string& value) {
  if (entry.type == Type::YesNo) {
    const bool is_yes = value == "1" || value == "yes";
    if (!is_yes && value != "0" && value != "no") {
      return Rejection(Reason::BadOption, entry.name, "expected yes or no, found " + quote(value));
    }
    *static_cast<bool*>(entry.place) = is_yes;
    return Ok{};
  }
  const auto number = parse_double(value);
  const bool is_whole = entry.type == Type::Whole;
  if (!number || *number < entry.low || *number > entry.high ||
      (is_whole && !parse_int(value).ok())) {
    return Rejection(
        Reason::BadOption, entry.name,
        fmt::format("expected a {} from {} to {}, found {}", is_whole ? "whole number" : "number",
                    entry.low, entry.high, quote(value)));
  }
  if (is_whole) {
    *static_cast<std::int64_t*>(entry.place) = *parse_int(value);
  } else {
    *static_cast<double*>(entry.place) = *number;
  }
  return Ok{};
}

Status Settings::read(const SettingList& list) const {
  for (const auto& [name, value] : list) {
    const std::string& wanted = name;
    const auto found = std::find_if(entries_.begin(), entries_.end(),
                                    [&](const Entry& entry) { return entry.name == wanted; });
    if (found == entries_.end()) {
      std::vector<std::string> names;
      for (const Entry& entry : entries_) names.push_back(entry.name);
      return Rejection(Reason::BadOption, name,
                       names.empty() ? "the strategy has no settings"
                                     : "the strategy has the settings " + join(names, ", "));
    }
    CAMBIUM_REQUIRE(set(*found, value));
  }
  return Ok{};
}

}  // namespace cambium::search
