#include "data/vocabulary.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/check.h"

namespace cambium::data {
namespace {

constexpr std::string_view kUnknownWord = "<unk>";
constexpr std::string_view kEndOfLineWord = "<eos>";
constexpr std::string_view kBlank = " \t\r\f\v";

// Calls visit(word) for every word, and visit("<eos>") at the end of every line; a last line
// without its newline ends too.
template <class Visit>
void for_each_word(std::string_view text, const Visit& visit) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    while (true) {
      const std::size_t begin = line.find_first_not_of(kBlank);
      if (begin == std::string_view::npos) break;
      line.remove_prefix(begin);
      const std::string_view word = line.substr(0, line.find_first_of(kBlank));
      visit(word);
      line.remove_prefix(word.size());
    }
    visit(kEndOfLineWord);
  }
}

}  // namespace

Vocabulary Vocabulary::of_bytes() {
  return {};
}

Vocabulary Vocabulary::of_words(std::string_view training_text, std::size_t limit) {
  std::unordered_map<std::string_view, std::int64_t> counts;
  for_each_word(training_text, [&](std::string_view word) { ++counts[word]; });
  counts.erase(kUnknownWord);
  counts.erase(kEndOfLineWord);
  std::vector<std::pair<std::string_view, std::int64_t>> ranked(counts.begin(), counts.end());
  std::sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });

  Vocabulary out;
  out.level_ = TextLevel::Word;
  out.words_ = {std::string(kUnknownWord), std::string(kEndOfLineWord)};
  for (const auto& entry : ranked) {
    if (limit != 0 && out.words_.size() >= limit) break;
    out.words_.emplace_back(entry.first);
  }
  for (std::size_t i = 0; i < out.words_.size(); ++i)
    out.ids_.emplace(out.words_[i], static_cast<std::int32_t>(i));
  return out;
}

std::int32_t Vocabulary::size() const {
  return level_ == TextLevel::Byte ? 256 : static_cast<std::int32_t>(words_.size());
}

std::int32_t Vocabulary::id(std::string_view word) const {
  const auto found = ids_.find(std::string(word));
  return found == ids_.end() ? kUnknown : found->second;
}

std::string Vocabulary::spelling(std::int32_t id) const {
  CAMBIUM_CHECK(id >= 0 && id < size(), "there is no such token");
  if (level_ == TextLevel::Byte) return std::string(1, static_cast<char>(id));
  return words_[static_cast<std::size_t>(id)];
}

std::vector<std::int32_t> Vocabulary::encode_words(std::string_view text) const {
  std::vector<std::int32_t> out;
  for_each_word(text, [&](std::string_view word) { out.push_back(id(word)); });
  return out;
}

}  // namespace cambium::data
