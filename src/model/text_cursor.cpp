#include "model/text_cursor.h"

#include <charconv>
#include <optional>
#include <utility>

namespace cambium::model {
namespace {

constexpr Lexicon kLexicon{.in_names = "_.+-"};

// The character that the escape at the front of `rest` stands for; takes it.
std::optional<char> take_escape(std::string_view& rest) {
  const char kind = rest.size() > 1 ? rest[1] : '\0';
  std::string_view digits;
  std::optional<char> found;
  if (kind == 'n') found = '\n';
  if (kind == '"' || kind == '\\') found = kind;
  if (kind == 'x') {
    unsigned value = 0;
    digits = rest.substr(2, 2);
    const char* end = digits.data() + digits.size();
    const bool ok = std::from_chars(digits.data(), end, value, 16).ptr == end;
    if (ok && digits.size() == 2) found = static_cast<char>(value);
  }
  if (found) rest.remove_prefix(2 + digits.size());
  return found;
}

}  // namespace

TextCursor::TextCursor(std::string_view text) : Scanner(text, kLexicon) {}

Result<std::string> TextCursor::text() {
  CAMBIUM_TRY(std::string_view rest, string(Strings::Escaped));
  std::string out;
  while (!rest.empty()) {
    if (rest.front() != '\\') {
      out += rest.front();
      rest.remove_prefix(1);
    } else if (const auto escaped = take_escape(rest)) {
      out += *escaped;
    } else {
      return refuse_at(place_of(rest), "one of the escapes \\\" \\\\ \\n \\xHH");
    }
  }
  return out;
}

Rejection TextCursor::located(Rejection rejection, std::size_t place) const {
  return std::move(rejection).at("line " + std::to_string(line(place)));
}

Status TextCursor::located(Status status, std::size_t place) const {
  if (status.ok()) return status;
  return located(std::move(status).rejection(), place);
}

}  // namespace cambium::model
