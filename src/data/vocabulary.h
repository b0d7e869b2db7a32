// The tokens of a text: its bytes, or its words by falling frequency. Word vocabularies come from
// the training split alone, so that no other split influences the model's size.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace cambium::data {

enum class TextLevel : std::uint8_t { Byte, Word };

// Words are separated by white space. The end of a line is the word <eos>; a word outside the
// vocabulary is <unk>.
class Vocabulary {
 public:
  static constexpr std::int32_t kUnknown = 0;
  static constexpr std::int32_t kEndOfLine = 1;

  static Vocabulary of_bytes();
  // Keeps the `limit` most frequent words (0: all), with ties in byte order. <unk> and <eos> count.
  static Vocabulary of_words(std::string_view training_text, std::size_t limit);

  TextLevel level() const { return level_; }
  std::int32_t size() const;
  std::int32_t id(std::string_view word) const;  // of a word vocabulary
  std::string spelling(std::int32_t id) const;
  std::vector<std::int32_t> encode_words(std::string_view text) const;

 private:
  TextLevel level_ = TextLevel::Byte;
  std::vector<std::string> words_;
  std::unordered_map<std::string, std::int32_t> ids_;
};

}  // namespace cambium::data
