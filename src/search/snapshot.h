// What a strategy has learned, as one compact text: numbers, texts and hashes between blanks.
// Numbers come back bit for bit. Reading refuses (BadSyntax) what was not written in the same
// order: the first mistake sticks, everything after it reads as zero or empty.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/fingerprint.h"
#include "base/result.h"

namespace cambium::search {

class SnapshotWriter {
 public:
  SnapshotWriter& number(std::int64_t value);
  SnapshotWriter& real(double value);
  SnapshotWriter& real(float value);  // in fewer digits
  SnapshotWriter& hash(std::uint64_t value);
  SnapshotWriter& text(std::string_view value);
  template <class T>
  SnapshotWriter& count(const T& values) {
    return number(static_cast<std::int64_t>(values.size()));
  }

  std::string done() && { return std::move(text_); }

 private:
  std::string text_;
};

class SnapshotReader {
 public:
  explicit SnapshotReader(std::string_view text) : text_(text) {}

  std::int64_t number(std::int64_t low, std::int64_t high);
  double real();  // finite
  float real_float();
  std::uint64_t hash();
  std::string_view text();  // into what is read
  // Of things that take at least two characters each: no more than the text has room for.
  std::size_t count();
  void expect(std::string_view value);  // a text that must stand here

  bool ok() const { return !refused_; }
  // Refuses what is left over, too.
  Status finish();

 private:
  std::string_view token();
  template <class T>
  T finite();
  void refuse(std::string_view expected, std::string_view found);

  std::string_view text_;
  std::size_t position_ = 0;
  std::optional<Rejection> refused_;
};

// 64 bits of a fingerprint: enough to tell apart what one search meets.
inline std::uint64_t hash_of(const Fingerprint& fingerprint) {
  return fingerprint.high ^ fingerprint.low;
}

}  // namespace cambium::search
