#include "base/scanner.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"

namespace cambium {
namespace {

constexpr std::size_t kShown = 40;  // characters of the token in a refusal

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

}  // namespace

bool Scanner::in_name(char c) const {
  return is_letter(c) || is_digit(c) || lexicon_->in_names.find(c) != std::string_view::npos;
}

void Scanner::skip_blank() {
  for (; next_ < text_.size(); ++next_) {
    if (text_[next_] == '#' && lexicon_->comments) {
      next_ = std::min(text_.find('\n', next_), text_.size());
      if (next_ == text_.size()) return;
    } else if (lexicon_->blanks.find(text_[next_]) == std::string_view::npos) {
      return;
    }
  }
}

void Scanner::skip_number() {
  const auto digits = [this] {
    while (is_digit(here())) ++next_;
  };
  digits();
  if (lexicon_->numbers == Lexicon::Numbers::Whole) return;
  if (here() == '.') {
    ++next_;
    digits();
  }
  if (here() == 'e' || here() == 'E') {
    ++next_;
    if (here() == '+' || here() == '-') ++next_;
    digits();
  }
}

void Scanner::advance() {
  skip_blank();
  const std::size_t start = next_;
  const bool digits_are_letters = lexicon_->numbers == Lexicon::Numbers::InNames;
  if (start == text_.size()) {
    kind_ = Kind::End;
  } else if (is_digit(here()) && !digits_are_letters) {
    kind_ = Kind::Number;
    skip_number();
  } else if (digits_are_letters ? in_name(here()) : is_letter(here())) {
    kind_ = Kind::Name;
    while (next_ < text_.size() && in_name(text_[next_])) ++next_;
  } else {
    kind_ = Kind::Sign;
    const auto& signs = lexicon_->long_signs;
    const bool is_long =
        std::find(signs.begin(), signs.end(), text_.substr(start, 2)) != signs.end();
    next_ += is_long ? 2 : 1;
  }
  token_ = text_.substr(start, next_ - start);
}

void Scanner::move_to(std::size_t place) {
  next_ = place;
  advance();
}

std::optional<std::int64_t> Scanner::whole() const {
  std::int64_t number = 0;
  const char* end = token_.data() + token_.size();
  const auto [rest, error] = std::from_chars(token_.data(), end, number);
  return error == std::errc{} && rest == end ? std::optional(number) : std::nullopt;
}

bool Scanner::take(std::string_view sign) {
  if (!at(sign)) return false;
  advance();
  return true;
}

bool Scanner::take_word(std::string_view word) {
  if (!at_word(word)) return false;
  advance();
  return true;
}

std::string_view Scanner::word() {
  if (kind_ != Kind::Name) return {};
  const std::string_view found = token_;
  advance();
  return found;
}

Status Scanner::expect(std::string_view sign) {
  if (!take(sign)) return refuse("'" + std::string(sign) + "'");
  return Ok{};
}

Status Scanner::expect_word(std::string_view word) {
  if (!take_word(word)) return refuse("'" + std::string(word) + "'");
  return Ok{};
}

Result<std::string_view> Scanner::word(std::string_view what) {
  if (kind_ != Kind::Name) return refuse(what);
  return word();
}

Result<std::int64_t> Scanner::whole(std::string_view what) {
  const std::optional<std::int64_t> number = whole();
  if (!number) return refuse(what);
  advance();
  return *number;
}

std::size_t Scanner::closing_quote(Strings how) const {
  for (std::size_t i = next_; i < text_.size(); ++i) {
    if (text_[i] == '"') return i;
    if (text_[i] == '\n' && how != Strings::Long) break;
    if (text_[i] == '\\' && how == Strings::Escaped) ++i;
  }
  return std::string_view::npos;
}

Result<std::string_view> Scanner::string(Strings how) {
  if (!at("\"")) return refuse("a string in double quotes");
  const std::size_t start = next_;
  const std::size_t end = closing_quote(how);
  if (end == std::string_view::npos) {
    return refuse(how == Strings::Long ? "a string that ends" : "a string that ends on its line");
  }
  move_to(end + 1);
  return text_.substr(start, end - start);
}

std::string_view Scanner::until(std::string_view stops) {
  int depth = 0;
  const std::size_t start = place();
  std::size_t end = start;
  for (; end < text_.size(); ++end) {
    const char c = text_[end];
    if (depth == 0 && stops.find(c) != std::string_view::npos) break;
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
    if (depth < 0) break;
  }
  move_to(end);
  return trim(text_.substr(start, end - start));
}

std::int64_t Scanner::line(std::size_t place) const {
  const std::string_view before = text_.substr(0, place);
  return std::count(before.begin(), before.end(), '\n') + 1;
}

std::int64_t Scanner::column(std::size_t place) const {
  const std::size_t line_start = text_.substr(0, place).rfind('\n') + 1;  // npos + 1 is 0
  return static_cast<std::int64_t>(place - line_start) + 1;
}

std::string Scanner::describe(std::size_t place) const {
  return "line " + std::to_string(line(place)) + ", column " + std::to_string(column(place));
}

Rejection Scanner::refuse_at(std::size_t place, std::string_view expected) const {
  Scanner there = *this;
  there.move_to(place);
  std::string_view found = there.token_;
  if (there.at("\"")) {  // show the string, not only its quote
    const std::size_t end = there.closing_quote(Strings::Plain);
    if (end != std::string_view::npos) found = text_.substr(place, end + 1 - place);
  }
  return Rejection(Reason::BadSyntax, std::string(expected),
                   there.at_end() ? "the end" : quote(found.substr(0, kShown)), line(place),
                   column(place));
}

}  // namespace cambium
