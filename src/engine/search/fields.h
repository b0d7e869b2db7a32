// Fields: reads the fields of a JSON object from outside. Refuses the first field that is missing
// or of another type (MissingField) or out of its range (BadOption). Used by the readers of job
// lines and setups.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/fingerprint.h"
#include "base/range.h"
#include "base/result.h"

namespace cambium::engine {

using TextPairs = std::vector<std::pair<std::string, std::string>>;
nlohmann::json object_of(const TextPairs& pairs);

class Fields {
 public:
  explicit Fields(const nlohmann::json& object) : object_(object) {}

  Fields& take(const char* name, bool& into);
  Fields& take(const char* name, int& into);
  Fields& take(const char* name, std::int64_t& into);
  Fields& take(const char* name, std::uint64_t& into);
  Fields& take(const char* name, double& into);
  Fields& take(const char* name, int& into, const Range<int>& range);
  Fields& take(const char* name, std::int64_t& into, const Range<std::int64_t>& range);
  Fields& take(const char* name, double& into, const Range<double>& range);
  Fields& take(const char* name, std::string& into);
  Fields& take(const char* name, Fingerprint& into);
  Fields& take(const char* name, TextPairs& into);  // an object of strings
  // The value itself; null: a field was refused.
  const nlohmann::json* find(const char* name);
  const nlohmann::json* find_array(const char* name);
  Status status() const;

 private:
  template <class T>
  Fields& take_integer(const char* name, T& into);
  template <class T>
  Fields& take_within(const char* name, T& into, const Range<T>& range);
  Fields& refuse(const char* name, const char* wanted);

  const nlohmann::json& object_;
  std::optional<Rejection> refused_;
};

}  // namespace cambium::engine
