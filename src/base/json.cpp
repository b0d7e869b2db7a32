#include "base/json.h"

#include <algorithm>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "base/utf8.h"

namespace cambium {
namespace {

using Json = nlohmann::json;

constexpr int kDeepest = 200;

Rejection refuse(std::string_view text, std::size_t offset, std::string expected,
                 std::string found) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  return Rejection(Reason::BadSyntax, std::move(expected), std::move(found),
                   std::count(before.begin(), before.end(), '\n') + 1,
                   static_cast<std::int64_t>(before.size() - line_start) + 1);
}

// "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error while parsing
// value - unexpected end of input; expected ..." -> the part after the last " - ", or after ": ".
std::string reason_within(const std::string& what) {
  const std::size_t dash = what.rfind(" - ");
  if (dash != std::string::npos) return what.substr(dash + 3);
  const std::size_t colon = what.find(": ");
  return colon == std::string::npos ? what : what.substr(colon + 2);
}

// The offset of the first bracket that nests too deep, or npos. Text in strings does not count.
std::size_t first_too_deep(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kDeepest) return i;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return std::string_view::npos;
}

// The same JSON in which nothing acts on a terminal or hides from a reader: nlohmann writes control
// characters of ASCII as escapes, but not DEL, C1 and what turns the direction of text.
std::string shown(std::string text) {
  const auto is_beyond = [](char c) { return static_cast<unsigned char>(c) >= 0x7f; };
  if (std::none_of(text.begin(), text.end(), is_beyond)) return text;
  std::string out;
  out.reserve(text.size());
  for (std::string_view rest = text; !rest.empty();) {
    const Character next = first_character(rest);
    rest.remove_prefix(next.bytes.size());
    const auto code = static_cast<std::uint32_t>(next.code);
    if (code < 0x7f || !is_invisible(next)) {
      out += next.bytes;
    } else if (code < 0x10000) {
      out += fmt::format("\\u{:04x}", code);
    } else {
      const std::uint32_t above = code - 0x10000;
      out += fmt::format("\\u{:04x}\\u{:04x}", 0xd800 + (above >> 10), 0xdc00 + (above & 0x3ff));
    }
  }
  return out;
}

std::string dump(const Json& value, int indent) {
  return shown(value.dump(indent, ' ', false, Json::error_handler_t::replace));
}

}  // namespace

Result<Json> parse_json(std::string_view text) {
  const std::size_t deep = first_too_deep(text);
  if (deep != std::string_view::npos) {
    return refuse(text, deep, "nesting of at most 200", "more");
  }
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    return refuse(text, error.byte == 0 ? 0 : error.byte - 1, "JSON", reason_within(error.what()));
  } catch (const Json::exception& error) {  // a number out of range
    return refuse(text, 0, "JSON", reason_within(error.what()));
  }
}

std::string json_text(const Json& value) {
  return dump(value, -1);
}
std::string pretty_json_text(const Json& value) {
  return dump(value, 2);
}

}  // namespace cambium
