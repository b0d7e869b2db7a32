// Snapshot: the state of a strategy as one compact text of numbers, texts and hashes, separated by
// blanks. Numbers are read back bit for bit. Reading refuses (BadSyntax) a text that was not
// written in the same order: after the first mistake everything reads as zero or empty.
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
  std::string_view text();  // refers to the text that is read
  // A number of elements of at least two characters: no more than the text has room for.
  std::size_t count();
  void expect(std::string_view value);  // the next text must be this one

  bool ok() const { return !refused_; }
  // Also refuses a text that does not end here.
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

// 64 bits of a fingerprint: enough to tell the candidates of one search apart.
inline std::uint64_t hash_of(const Fingerprint& fingerprint) {
  return fingerprint.high ^ fingerprint.low;
}

}  // namespace cambium::search
