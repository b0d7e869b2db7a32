#include "engine/search/fields.h"

#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace cambium::engine {

using nlohmann::json;

json object_of(const TextPairs& pairs) {
  json object = json::object();
  for (const auto& [name, value] : pairs) object[name] = value;
  return object;
}

Fields& Fields::refuse(const char* name, const char* wanted) {
  if (!refused_) refused_.emplace(Reason::MissingField, name, wanted);
  return *this;
}

const json* Fields::find(const char* name) {
  if (refused_) return nullptr;
  if (object_.is_object()) {
    if (const auto found = object_.find(name); found != object_.end()) return &*found;
  }
  refuse(name, "there");
  return nullptr;
}

const json* Fields::find_array(const char* name) {
  const json* const value = find(name);
  if (value == nullptr || value->is_array()) return value;
  refuse(name, "an array");
  return nullptr;
}

Status Fields::status() const {
  if (refused_) return *refused_;
  return Ok{};
}

// Refuses numbers that do not fit.
template <class T>
Fields& Fields::take_integer(const char* name, T& into) {
  const json* const value = find(name);
  if (value == nullptr) return *this;
  if (!value->is_number_integer()) return refuse(name, "a whole number");
  // Comparing JSON values would take large unsigned numbers for negative ones.
  const bool fits = value->is_number_unsigned() ? std::in_range<T>(value->get<std::uint64_t>())
                                                : std::in_range<T>(value->get<std::int64_t>());
  if (!fits) return refuse(name, "a whole number in the range of its type");
  into = value->get<T>();
  return *this;
}

Fields& Fields::take(const char* name, int& into) {
  return take_integer(name, into);
}
Fields& Fields::take(const char* name, std::int64_t& into) {
  return take_integer(name, into);
}
Fields& Fields::take(const char* name, std::uint64_t& into) {
  return take_integer(name, into);
}

template <class T>
Fields& Fields::take_within(const char* name, T& into, const Range<T>& range) {
  T number{};
  take(name, number);
  if (refused_) return *this;
  if (range.holds(number)) {
    into = number;
  } else {
    refused_.emplace(Reason::BadOption, fmt::format("'{}'", name),
                     fmt::format("{} is not in the range {} to {}", number, range.low, range.high));
  }
  return *this;
}

Fields& Fields::take(const char* name, int& into, const Range<int>& range) {
  return take_within(name, into, range);
}
Fields& Fields::take(const char* name, std::int64_t& into, const Range<std::int64_t>& range) {
  return take_within(name, into, range);
}
Fields& Fields::take(const char* name, double& into, const Range<double>& range) {
  return take_within(name, into, range);
}

Fields& Fields::take(const char* name, bool& into) {
  const json* const value = find(name);
  if (value == nullptr) return *this;
  if (!value->is_boolean()) return refuse(name, "true or false");
  into = value->get<bool>();
  return *this;
}

Fields& Fields::take(const char* name, double& into) {
  const json* const value = find(name);
  if (value == nullptr) return *this;
  if (!value->is_number()) return refuse(name, "a number");
  into = value->get<double>();
  return *this;
}

Fields& Fields::take(const char* name, std::string& into) {
  const json* const value = find(name);
  if (value == nullptr) return *this;
  if (!value->is_string()) return refuse(name, "a text");
  into = value->get<std::string>();
  return *this;
}

Fields& Fields::take(const char* name, Fingerprint& into) {
  std::string text;
  take(name, text);
  if (refused_) return *this;
  const auto parsed = Fingerprint::parse(text);
  if (!parsed.ok()) return refuse(name, "a fingerprint");
  into = *parsed;
  return *this;
}

Fields& Fields::take(const char* name, TextPairs& into) {
  const json* const value = find(name);
  if (value == nullptr) return *this;
  if (!value->is_object()) return refuse(name, "an object of strings");
  for (const auto& [key, text] : value->items()) {
    if (!text.is_string()) return refuse(name, "an object of strings");
    into.emplace_back(key, text.get<std::string>());
  }
  return *this;
}

}  // namespace cambium::engine
