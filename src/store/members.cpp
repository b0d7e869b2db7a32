#include "store/members.h"

#include <cmath>

#include <nlohmann/json.hpp>

#include "base/json.h"

namespace cambium::store {

using nlohmann::json;

namespace {

const json& empty_array() {
  static const json empty = json::array();
  return empty;
}

const json& empty_object() {
  static const json empty = json::object();
  return empty;
}

}  // namespace

Members::Members(const json& object, std::string& error) : object_(object), error_(error) {
  if (!object.is_object()) fail("not an object");
}

std::string Members::text(const char* key) {
  const json* member = find(key);
  if (member == nullptr || !member->is_string()) return fail(key, "a text"), std::string();
  return member->get<std::string>();
}

Fingerprint Members::fingerprint(const char* key) {
  const auto parsed = Fingerprint::parse(text(key));
  if (!parsed.ok()) return fail(key, "a fingerprint"), Fingerprint();
  return *parsed;
}

std::optional<Fingerprint> Members::fingerprint_or_null(const char* key) {
  const json* member = find(key);
  if (member != nullptr && member->is_null()) return std::nullopt;
  return fingerprint(key);
}

std::int64_t Members::integer(const char* key, std::int64_t low, std::int64_t high) {
  const json* member = find(key);
  const bool fits = member != nullptr && member->is_number_integer() &&
                    (!member->is_number_unsigned() || member->get<std::uint64_t>() <= INT64_MAX);
  const std::int64_t value = fits ? member->get<std::int64_t>() : low;
  if (!fits || value < low || value > high) return fail(key, "a number in its range"), low;
  return value;
}

std::uint64_t Members::seed(const char* key) {
  const json* member = find(key);
  if (member == nullptr || !member->is_number_unsigned()) return fail(key, "a seed"), 0;
  return member->get<std::uint64_t>();
}

bool Members::truth(const char* key) {
  const json* member = find(key);
  if (member == nullptr || !member->is_boolean()) return fail(key, "true or false"), false;
  return member->get<bool>();
}

double Members::real(const char* key) {
  const json* member = find(key);
  const double value = member != nullptr && member->is_number() ? member->get<double>() : -1;
  if (!std::isfinite(value) || value < 0) return fail(key, "a number of at least 0"), 0;
  return value;
}

double Members::number(const char* key) {
  const json* member = find(key);
  if (member != nullptr && member->is_number()) return member->get<double>();
  for (const double value :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
        -std::numeric_limits<double>::infinity()}) {
    if (member != nullptr && *member == json_number(value)) return value;
  }
  return fail(key, "a number"), 0;
}

const json& Members::array(const char* key) {
  const json* member = find(key);
  if (member == nullptr || !member->is_array()) return fail(key, "a list"), empty_array();
  return *member;
}

const json& Members::object(const char* key) {
  const json* member = find(key);
  if (member == nullptr || !member->is_object()) return fail(key, "an object"), empty_object();
  return *member;
}

void Members::fail(const std::string& what) {
  if (error_.empty()) error_ = what;
}

void Members::fail(const char* key, const char* wanted) {
  fail("'" + std::string(key) + "' is missing or not " + wanted);
}

const json* Members::find(const char* key) const {
  const auto found = object_.find(key);
  return found == object_.end() ? nullptr : &*found;
}

Result<json> parse_record(std::string_view line, std::int64_t number, std::string_view document,
                          std::int64_t newest) {
  const auto bad = [number](const std::string& what) {
    return Rejection(Reason::BadRecord, what, {}, number);
  };
  auto parsed = parse_json(line);
  if (!parsed.ok()) return bad(parsed.rejection().message());
  std::string error;
  Members head(*parsed, error);
  if (head.text("document") != document || !error.empty()) {
    return bad("not a " + std::string(document));
  }
  const std::int64_t version = head.integer("version", 1);
  if (!error.empty()) return bad(error);
  if (version > newest) {
    return bad("version " + std::to_string(version) + "; this program reads up to " +
               std::to_string(newest));
  }
  return parsed;
}

json json_number(double value) {
  if (std::isfinite(value)) return value;
  if (std::isnan(value)) return "nan";
  return value > 0 ? "inf" : "-inf";
}

}  // namespace cambium::store
