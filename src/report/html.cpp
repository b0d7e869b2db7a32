#include "report/html.h"

#include <algorithm>
#include <cctype>

#include <nlohmann/json.hpp>

#include "base/json.h"

namespace cambium::report {

std::string escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size() + text.size() / 8);
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      case '\n':
      case '\t': out += c; break;
      default:
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
          out += "�";
        else
          out += c;
    }
  }
  return out;
}

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

std::string shell_quoted(std::string_view argument) {
  const bool plain =
      !argument.empty() && std::all_of(argument.begin(), argument.end(), [](unsigned char c) {
        return std::isalnum(c) != 0 ||
               std::string_view("-_./:=,+@%").find(static_cast<char>(c)) != std::string_view::npos;
      });
  if (plain) return std::string(argument);
  std::string out = "'";
  for (const char c : argument) {
    if (c == '\'')
      out += "'\\''";
    else
      out += c;
  }
  return out + "'";
}

}  // namespace cambium::report
