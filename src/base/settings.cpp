#include "base/settings.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/text.h"

namespace cambium {
namespace {

constexpr const char* kNoLimit = "none";

template <class Number>
std::string from_to(const char* what, Number low, Number high) {
  if (high == std::numeric_limits<Number>::max()) return fmt::format("{} from {} on", what, low);
  return fmt::format("{} from {} to {}", what, low, high);
}

template <class Whole>
auto set_whole(Whole& place, Whole low, Whole high) {
  return [&place, low, high](const std::string& text) {
    const auto number = parse_int(text, low, high);
    if (number.ok()) place = static_cast<Whole>(*number);
    return number.ok();
  };
}

}  // namespace

Settings& Settings::add(Entry entry) {
  entries_.push_back(std::move(entry));
  return *this;
}

Settings& Settings::real(std::string name, double& place, double low, double high,
                         std::string meaning) {
  const auto set = [&place, low, high](const std::string& text) {
    const auto number = parse_double(text);
    const bool is_one = number.ok() && *number >= low && *number <= high;
    if (is_one) place = *number;
    return is_one;
  };
  return add({std::move(name), std::move(meaning), from_to("a number", low, high), set,
              [&place] { return fmt::format("{}", place); }});
}

Settings& Settings::whole(std::string name, std::int64_t& place, std::int64_t low,
                          std::int64_t high, std::string meaning) {
  return add({std::move(name), std::move(meaning), from_to("a whole number", low, high),
              set_whole(place, low, high), [&place] { return std::to_string(place); }});
}

Settings& Settings::whole(std::string name, int& place, int low, int high, std::string meaning) {
  return add({std::move(name), std::move(meaning), from_to("a whole number", low, high),
              set_whole(place, low, high), [&place] { return std::to_string(place); }});
}

Settings& Settings::yes_no(std::string name, bool& place, std::string meaning) {
  const auto set = [&place](const std::string& text) {
    const bool is_yes = text == "1" || text == "yes" || text == "true";
    if (!is_yes && text != "0" && text != "no" && text != "false") return false;
    place = is_yes;
    return true;
  };
  return add({std::move(name), std::move(meaning), "yes or no", set,
              [&place] { return std::string(place ? "yes" : "no"); }});
}

Settings& Settings::name(std::string name, std::string& place, std::string values,
                         std::string meaning) {
  const auto set = [&place](const std::string& text) {
    if (text.empty()) return false;
    place = text;
    return true;
  };
  return add(
      {std::move(name), std::move(meaning), std::move(values), set, [&place] { return place; }});
}

Settings& Settings::limit(std::string name, double& place, std::string meaning) {
  const auto set = [&place](const std::string& text) {
    const auto number = parse_double(text);
    const bool is_one = text == kNoLimit || (number.ok() && *number >= 0);
    if (is_one) place = number.ok() ? *number : std::numeric_limits<double>::infinity();
    return is_one;
  };
  return add({std::move(name), std::move(meaning), "a number from 0 on or none", set,
              [&place] { return std::isinf(place) ? kNoLimit : fmt::format("{}", place); }});
}

Status Settings::read(const SettingList& list) const {
  for (const auto& [name, value] : list) {
    const std::string& wanted = name;
    const auto found = std::find_if(entries_.begin(), entries_.end(),
                                    [&](const Entry& entry) { return entry.name == wanted; });
    if (found == entries_.end()) {
      std::vector<std::string> names;
      for (const Entry& entry : entries_) names.push_back(entry.name);
      return Rejection(
          Reason::BadOption, name,
          owner_ + (names.empty() ? " has no settings" : " has the settings " + join(names, ", ")));
    }
    if (found->set(value)) continue;
    return Rejection(Reason::BadOption, name,
                     fmt::format("expected {}, found {}", found->values, quote(value)));
  }
  return Ok{};
}

std::vector<SettingInfo> Settings::list() const {
  std::vector<SettingInfo> all;
  for (const Entry& entry : entries_) {
    all.push_back({entry.name, entry.meaning, entry.values, entry.text()});
  }
  return all;
}

}  // namespace cambium
