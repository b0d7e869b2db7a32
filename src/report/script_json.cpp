#include "report/script_json.h"

#include <nlohmann/json.hpp>

#include "base/json.h"

namespace cambium::report {

std::string script_json(const nlohmann::json& value) {
  const std::string text = json_text(value);
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    // Both only occur inside strings of JSON, where this is the same character.
    if (c == '<')
      out += "\\u003c";
    else if (c == '>')
      out += "\\u003e";
    else
      out += c;
  }
  return out;
}

}  // namespace cambium::report
