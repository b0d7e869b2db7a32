#include "expr/lexer.h"

#include <algorithm>
#include <charconv>
#include <iterator>

namespace cambium::expr {
namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool continues_name(char c) {
  return is_letter(c) || is_digit(c) || c == '.';
}
bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

constexpr std::string_view kReserved[] = {"true", "false", "min", "max"};
constexpr std::string_view kTwoCharacterSigns[] = {"<=", ">=", "==", "!=", "&&", "||"};

}  // namespace

bool is_name(std::string_view text) {
  return !text.empty() && is_letter(text.front()) &&
         std::all_of(text.begin(), text.end(), continues_name) &&
         std::find(std::begin(kReserved), std::end(kReserved), text) == std::end(kReserved);
}

void Lexer::advance() {
  while (next_ < text_.size() && is_space(text_[next_])) ++next_;
  start_ = next_;
  if (start_ == text_.size()) {
    kind_ = Kind::End;
    token_ = {};
    return;
  }
  const char c = text_[start_];
  if (is_digit(c)) {
    while (next_ < text_.size() && is_digit(text_[next_])) ++next_;
    kind_ = Kind::Number;
    const auto parsed = std::from_chars(text_.data() + start_, text_.data() + next_, number_);
    if (parsed.ec != std::errc{}) kind_ = Kind::Bad;  // beyond 64 bits
  } else if (is_letter(c)) {
    while (next_ < text_.size() && continues_name(text_[next_])) ++next_;
    kind_ = Kind::Name;
  } else {
    kind_ = Kind::Sign;
    next_ = start_ + 1;
    for (const std::string_view sign : kTwoCharacterSigns) {
      if (text_.substr(start_, 2) == sign) next_ = start_ + 2;
    }
  }
  token_ = text_.substr(start_, next_ - start_);
}

bool Lexer::take(std::string_view sign) {
  if (!at(sign)) return false;
  advance();
  return true;
}

Status Lexer::expect(std::string_view sign) {
  if (!take(sign)) return refuse("'" + std::string(sign) + "'");
  return Ok{};
}

Rejection Lexer::refuse(std::string_view expected) const {
  std::int64_t line = 1;
  std::int64_t column = 1;
  for (const char c : text_.substr(0, start_)) {
    column = c == '\n' ? 1 : column + 1;
    if (c == '\n') ++line;
  }
  const std::string found = at_end() ? "the end" : "'" + std::string(token_) + "'";
  return Rejection(Reason::BadSyntax, std::string(expected), found, line, column);
}

}  // namespace cambium::expr
