#include "search/snapshot.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace cambium::search {
namespace {

template <class... Args>
void append(std::string& text, Args... args) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, args...);
  text.append(buffer, end.ptr);
  text += ' ';
}

template <class T, class... Args>
std::optional<T> parsed(std::string_view token, Args... args) {
  T value{};
  const char* end = token.data() + token.size();
  const auto read = std::from_chars(token.data(), end, value, args...);
  if (read.ec != std::errc{} || read.ptr != end || token.empty()) return std::nullopt;
  return value;
}

}  // namespace

SnapshotWriter& SnapshotWriter::number(std::int64_t value) {
  append(text_, value);
  return *this;
}

SnapshotWriter& SnapshotWriter::real(double value) {
  append(text_, value);
  return *this;
}

SnapshotWriter& SnapshotWriter::real(float value) {
  append(text_, value);
  return *this;
}

SnapshotWriter& SnapshotWriter::hash(std::uint64_t value) {
  append(text_, value, 16);
  return *this;
}

SnapshotWriter& SnapshotWriter::text(std::string_view value) {
  number(static_cast<std::int64_t>(value.size()));
  text_ += value;
  text_ += ' ';
  return *this;
}

void SnapshotReader::refuse(std::string_view expected, std::string_view found) {
  if (refused_) return;
  refused_.emplace(Reason::BadSyntax, std::string(expected), "'" + std::string(found) + "'", 1,
                   static_cast<std::int64_t>(position_) + 1);
  position_ = text_.size();
}

std::string_view SnapshotReader::token() {
  const std::size_t end = text_.find(' ', position_);
  if (end == std::string_view::npos) {
    refuse("more", "the end");
    return {};
  }
  const std::string_view result = text_.substr(position_, end - position_);
  position_ = end + 1;
  return result;
}

std::int64_t SnapshotReader::number(std::int64_t low, std::int64_t high) {
  const std::string_view word = token();
  const auto value = parsed<std::int64_t>(word);
  if (value && *value >= low && *value <= high) return *value;
  refuse("a number from " + std::to_string(low) + " to " + std::to_string(high),
         word.substr(0, 40));
  return std::max<std::int64_t>(low, 0);
}

template <class T>
T SnapshotReader::finite() {
  const std::string_view word = token();
  const auto value = parsed<T>(word);
  if (value && std::isfinite(*value)) return *value;
  refuse("a number", word.substr(0, 40));
  return 0;
}

double SnapshotReader::real() {
  return finite<double>();
}

float SnapshotReader::real_float() {
  return finite<float>();
}

std::uint64_t SnapshotReader::hash() {
  const std::string_view word = token();
  const auto value = parsed<std::uint64_t>(word, 16);
  if (value) return *value;
  refuse("hexadecimal digits", word.substr(0, 40));
  return 0;
}

std::string_view SnapshotReader::text() {
  const std::int64_t size = number(0, static_cast<std::int64_t>(text_.size()));
  const auto length = static_cast<std::size_t>(size);
  if (!ok()) return {};
  if (text_.size() - position_ < length + 1 || text_[position_ + length] != ' ') {
    refuse("a text of " + std::to_string(size) + " characters", "less");
    return {};
  }
  const std::string_view result = text_.substr(position_, length);
  position_ += length + 1;
  return result;
}

std::size_t SnapshotReader::count() {
  const auto room = static_cast<std::int64_t>((text_.size() - position_) / 2);
  return static_cast<std::size_t>(number(0, room));
}

void SnapshotReader::expect(std::string_view value) {
  const std::string_view found = text();
  if (ok() && found != value) refuse("'" + std::string(value) + "'", found.substr(0, 40));
}

Status SnapshotReader::finish() {
  if (position_ != text_.size()) refuse("the end", text_.substr(position_, 40));
  if (refused_) return *refused_;
  return Ok{};
}

}  // namespace cambium::search
