#include "engine/utf8_texts.h"

#include <string>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "base/utf8.h"

namespace cambium::engine {
namespace {

using nlohmann::json;

Status check_text(const std::string& text, const std::string& place) {
  if (is_utf8(text)) return Ok{};
  return Rejection(Reason::BadOption, place + " " + quote(text), "it is not UTF-8");
}

Status check_at(const json& value, const std::string& place) {
  if (value.is_string()) return check_text(value.get_ref<const std::string&>(), place);
  if (!value.is_structured()) return Ok{};
  for (const auto& [name, member] : value.items()) {
    if (value.is_object()) CAMBIUM_REQUIRE(check_text(name, "a name in " + place));
    const std::string deeper = value.is_array() ? place : place.empty() ? name : place + "." + name;
    CAMBIUM_REQUIRE(check_at(member, deeper));
  }
  return Ok{};
}

}  // namespace

Status check_utf8(const json& texts) {
  return check_at(texts, "");
}

}  // namespace cambium::engine
