#include "model/text_cursor.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"

namespace cambium::model {

namespace {

bool in_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.' || c == '+' || c == '-';
}

std::int64_t line_number(std::string_view before) {
  return std::count(before.begin(), before.end(), '\n') + 1;
}

}  // namespace

void TextCursor::skip_blank() {
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

bool TextCursor::take(char sign) {
  if (!at(sign)) return false;
  ++next_;
  skip_blank();
  return true;
}

Status TextCursor::expect(char sign) {
  if (take(sign)) return Ok{};
  return refuse(std::string("'") + sign + "'");
}

std::string_view TextCursor::word() {
  const std::size_t start = next_;
  while (next_ < text_.size() && in_word(text_[next_])) ++next_;
  const std::string_view word = text_.substr(start, next_ - start);
  skip_blank();
  return word;
}

Status TextCursor::expect_word(std::string_view wanted) {
  const std::size_t start = next_;
  if (word() == wanted) return Ok{};
  return refuse_at(start, quote(wanted));
}

Result<std::string_view> TextCursor::raw_string() {
  if (!at('"')) return refuse("a string in double quotes");
  const std::size_t start = next_ + 1;
  const std::size_t end = text_.find('"', start);
  if (end == std::string_view::npos) return refuse("a string that ends");
  next_ = end + 1;
  skip_blank();
  return text_.substr(start, end - start);
}

Result<std::string> TextCursor::string() {
  if (!at('"')) return refuse("a string in double quotes");
  std::string out;
  for (std::size_t i = next_ + 1; i < text_.size() && text_[i] != '\n'; ++i) {
    if (text_[i] == '"') {
      next_ = i + 1;
      skip_blank();
      return out;
    }
    if (text_[i] != '\\') {
      out += text_[i];
      continue;
    }
    const char escape = i + 1 < text_.size() ? text_[i + 1] : '\0';
    if (escape == 'n') {
      out += '\n';
      i += 1;
    } else if (escape == '"' || escape == '\\') {
      out += escape;
      i += 1;
    } else {
      unsigned value = 0;
      const std::string_view digits = text_.substr(std::min(i + 2, text_.size()), 2);
      const char* end = digits.data() + digits.size();
      if (escape != 'x' || digits.size() != 2 ||
          std::from_chars(digits.data(), end, value, 16).ptr != end) {
        return refuse_at(i, "one of the escapes \\\" \\\\ \\n \\xHH");
      }
      out += static_cast<char>(value);
      i += 3;
    }
  }
  return refuse("a string that ends on its line");
}

Rejection TextCursor::located(Rejection rejection, std::size_t place) const {
  return std::move(rejection).at("line " + std::to_string(line_number(text_.substr(0, place))));
}

Status TextCursor::located(Status status, std::size_t place) const {
  if (status.ok()) return status;
  return located(std::move(status).rejection(), place);
}

Rejection TextCursor::refuse_at(std::size_t place, std::string expected) const {
  constexpr std::size_t kShown = 20;
  const std::string_view before = text_.substr(0, place);
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  std::string_view rest = text_.substr(place);
  rest = rest.substr(0, rest.find('\n'));
  std::size_t length = 0;
  while (length < rest.size() && length < kShown && in_word(rest[length])) ++length;
  if (length == 0) length = std::min(rest.size(), std::size_t{1});
  if (!rest.empty() && rest[0] == '"') length = std::min(rest.find('"', 1), kShown) + 1;
  std::string found = place == text_.size() ? "the end" : quote(rest.substr(0, length));
  return Rejection(Reason::BadSyntax, std::move(expected), std::move(found), line_number(before),
                   static_cast<std::int64_t>(place - line_start) + 1);
}

}  // namespace cambium::model
