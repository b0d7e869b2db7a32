// Takes fields out of a JSON object that somebody else wrote; the first that is missing or of
// another type sticks and is what is refused (MissingField). For .cpp files: it shows what JSON is.
#pragma once

#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/fingerprint.h"
#include "base/result.h"

namespace cambium::engine {

using TextPairs = std::vector<std::pair<std::string, std::string>>;

inline nlohmann::json object_of(const TextPairs& pairs) {
  nlohmann::json object = nlohmann::json::object();
  for (const auto& [name, value] : pairs) object[name] = value;
  return object;
}

class Fields {
 public:
  explicit Fields(const nlohmann::json& object) : object_(object) {}

  template <class T>
  Fields& take(const char* name, T& into) {
    const nlohmann::json* const value = find(name);
    if (value == nullptr) return *this;
    if constexpr (std::is_same_v<T, bool>) {
      return value->is_boolean() ? set(into, *value) : refuse(name, "true or false");
    } else if constexpr (std::is_same_v<T, std::string>) {
      return value->is_string() ? set(into, *value) : refuse(name, "a text");
    } else if constexpr (std::is_integral_v<T>) {
      return value->is_number_integer() ? set(into, *value) : refuse(name, "a whole number");
    } else {
      return value->is_number() ? set(into, *value) : refuse(name, "a number");
    }
  }
  Fields& take(const char* name, Fingerprint& into) {
    std::string text;
    take(name, text);
    if (refused_) return *this;
    const auto parsed = Fingerprint::parse(text);
    if (!parsed.ok()) return refuse(name, "a fingerprint");
    into = *parsed;
    return *this;
  }
  Fields& take(const char* name, TextPairs& into) {
    const nlohmann::json* const value = find(name);
    if (value == nullptr) return *this;
    if (!value->is_object()) return refuse(name, "an object of texts");
    for (const auto& [key, text] : value->items()) {
      if (!text.is_string()) return refuse(name, "an object of texts");
      into.emplace_back(key, text.get<std::string>());
    }
    return *this;
  }
  // The value itself; null where something was refused.
  const nlohmann::json* find(const char* name) {
    if (refused_) return nullptr;
    if (object_.is_object()) {
      if (const auto found = object_.find(name); found != object_.end()) return &*found;
    }
    refuse(name, "there");
    return nullptr;
  }
  const nlohmann::json* find_array(const char* name) {
    const nlohmann::json* const value = find(name);
    if (value == nullptr || value->is_array()) return value;
    refuse(name, "an array");
    return nullptr;
  }
  Status status() const {
    if (refused_) return *refused_;
    return Ok{};
  }

 private:
  template <class T>
  Fields& set(T& into, const nlohmann::json& value) {
    into = value.get<T>();
    return *this;
  }
  Fields& refuse(const char* name, const char* wanted) {
    if (!refused_) refused_.emplace(Reason::MissingField, name, wanted);
    return *this;
  }

  const nlohmann::json& object_;
  std::optional<Rejection> refused_;
};

}  // namespace cambium::engine
