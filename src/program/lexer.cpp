#include "program/lexer.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"

namespace cambium::program {
namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

constexpr std::string_view kTwoCharacterSigns[] = {"<=", ">=", "==", "!=", "&&", "||", "+=", "*="};

}  // namespace

void Lexer::skip_blank() {
  for (; next_ < text_.size(); ++next_) {
    const char c = text_[next_];
    if (c == '#') {
      next_ = std::min(text_.find('\n', next_), text_.size());
      if (next_ == text_.size()) return;
    } else if (c != ' ' && c != '\t' && c != '\n' && c != '\r') {
      return;
    }
  }
}

void Lexer::advance() {
  skip_blank();
  start_ = next_;
  token_ = {};
  if (start_ == text_.size()) {
    kind_ = Kind::End;
    return;
  }
  const auto here = [this] { return next_ < text_.size() ? text_[next_] : '\0'; };
  const auto digits = [&] {
    while (is_digit(here())) ++next_;
  };
  const char c = text_[start_];
  if (is_digit(c)) {
    kind_ = Kind::Number;
    digits();
    if (here() == '.') {
      ++next_;
      digits();
    }
    if (here() == 'e' || here() == 'E') {
      ++next_;
      if (here() == '+' || here() == '-') ++next_;
      digits();
    }
  } else if (is_letter(c)) {
    kind_ = Kind::Word;
    while (is_letter(here()) || is_digit(here()) || here() == '.') ++next_;
  } else if (c == '"') {
    const std::size_t end = text_.find_first_of("\"\n", start_ + 1);
    if (end != std::string_view::npos && text_[end] == '"') {
      kind_ = Kind::Text;
      next_ = end + 1;
      token_ = text_.substr(start_ + 1, end - start_ - 1);
      return;
    }
    kind_ = Kind::Sign;  // a quote that nothing closes
    next_ = start_ + 1;
  } else {
    kind_ = Kind::Sign;
    next_ = start_ + 1;
    for (const std::string_view sign : kTwoCharacterSigns) {
      if (text_.substr(start_, 2) == sign) next_ = start_ + 2;
    }
  }
  token_ = text_.substr(start_, next_ - start_);
}

bool Lexer::at_fraction() const {
  return kind_ == Kind::Number && token_.find_first_of(".eE") != std::string_view::npos;
}

bool Lexer::take(std::string_view sign) {
  if (!at(sign)) return false;
  advance();
  return true;
}

bool Lexer::take_word(std::string_view word) {
  if (!at_word(word)) return false;
  advance();
  return true;
}

Status Lexer::expect(std::string_view sign) {
  if (!take(sign)) return refuse("'" + std::string(sign) + "'");
  return Ok{};
}

Status Lexer::expect_word(std::string_view word) {
  if (!take_word(word)) return refuse("'" + std::string(word) + "'");
  return Ok{};
}

Result<std::string_view> Lexer::word(std::string_view what) {
  if (kind_ != Kind::Word) return refuse(what);
  const std::string_view found = token_;
  advance();
  return found;
}

Result<std::int64_t> Lexer::whole(std::string_view what) {
  std::int64_t number = 0;
  const char* end = token_.data() + token_.size();
  if (kind_ != Kind::Number) return refuse(what);
  const auto parsed = std::from_chars(token_.data(), end, number);
  if (parsed.ec != std::errc{} || parsed.ptr != end) return refuse(what);
  advance();
  return number;
}

std::string_view Lexer::until(std::string_view stops) {
  int depth = 0;
  std::size_t end = start_;
  for (; end < text_.size(); ++end) {
    const char c = text_[end];
    if (depth == 0 && stops.find(c) != std::string_view::npos) break;
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
    if (depth < 0) break;
  }
  const std::string_view found = text_.substr(start_, end - start_);
  next_ = end;
  advance();
  return trim(found);
}

void Lexer::line_and_column(std::size_t place, std::int64_t& line, std::int64_t& column) const {
  line = 1;
  column = 1;
  for (const char c : text_.substr(0, place)) {
    column = c == '\n' ? 1 : column + 1;
    if (c == '\n') ++line;
  }
}

std::string Lexer::describe(std::size_t place) const {
  std::int64_t line = 0;
  std::int64_t column = 0;
  line_and_column(place, line, column);
  return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

Rejection Lexer::refuse(std::string_view expected) const {
  std::int64_t line = 0;
  std::int64_t column = 0;
  line_and_column(start_, line, column);
  const std::string found = kind_ == Kind::End ? "the end" : quote(token_);
  return Rejection(Reason::BadSyntax, std::string(expected), found, line, column);
}

}  // namespace cambium::program
