// Reads JSON that came from elsewhere: lines that a database was exported to, and the members of
// their objects. The first member that is missing or of another kind is remembered in words, and
// reads as empty: one question at the end. Refuses BadRecord. Used by what writes such lines.
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
  double real(const char* key);    // finite, from 0 on
  double number(const char* key);  // any that json_number writes
  const nlohmann::json& array(const char* key);
  const nlohmann::json& object(const char* key);
  void fail(const std::string& what);

 private:
  void fail(const char* key, const char* wanted);
  const nlohmann::json* find(const char* key) const;

  const nlohmann::json& object_;
  std::string& error_;
};

// A line that says of itself to be of that document, and of a version that is not newer.
Result<nlohmann::json> parse_record(std::string_view line, std::int64_t number,
                                    std::string_view document, std::int64_t newest);

// JSON has no number for what is not finite: that is a word, "nan", "inf" or "-inf".
nlohmann::json json_number(double value);

}  // namespace cambium::store
