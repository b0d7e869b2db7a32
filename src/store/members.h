// Reads JSON from outside: the lines of an exported database, and the members of their objects. A
// member that is missing or of another kind reads as empty. The first such mistake is kept as text,
// so callers ask once, at the end. Refuses BadRecord. Used by the readers of such lines.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "base/fingerprint.h"
#include "base/result.h"

namespace cambium::store {

class Members {
 public:
  // Both must outlive it.
  Members(const nlohmann::json& object, std::string& error);

  std::string text(const char* key);
  Fingerprint fingerprint(const char* key);
  std::optional<Fingerprint> fingerprint_or_null(const char* key);
  std::int64_t integer(const char* key, std::int64_t low = 0,
                       std::int64_t high = std::numeric_limits<std::int64_t>::max());
  std::uint64_t seed(const char* key);
  bool truth(const char* key);
  double real(const char* key);    // finite, at least 0
  double number(const char* key);  // any number that json_number writes
  const nlohmann::json& array(const char* key);
  const nlohmann::json& object(const char* key);
  void fail(const std::string& what);

 private:
  void fail(const char* key, const char* wanted);
  const nlohmann::json* find(const char* key) const;

  const nlohmann::json& object_;
  std::string& error_;
};

// Reads a line that must name this document and a version that this program knows.
Result<nlohmann::json> parse_record(std::string_view line, std::int64_t number,
                                    std::string_view document, std::int64_t newest);

// JSON has no infinite numbers: they are the words "nan", "inf" and "-inf".
nlohmann::json json_number(double value);

}  // namespace cambium::store
