#include "schedule/recipe/catalogue.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include <fmt/format.h>

#include "base/scanner.h"
#include "base/text.h"

namespace cambium::schedule {
namespace {

constexpr Lexicon kCatalogueLexicon{.numbers = Lexicon::Numbers::Whole};

constexpr CatalogueRow kCatalogue[] = {
    {"group", "G", "G groups: channels of group g read the g-th slice of x",
     "?1 group(outer: co, inner: ci, factor: $1)\n"},
    {"interleaved group", "G", "G groups: channels of group g read every G-th channel of x",
     "?1 split(loop: ci, factors: [0, $1], tail: exact)\n"
     "?1 group(outer: co, inner: ci.1, factor: $1)\n"},
    {"depthwise", "", "each output channel reads only the input channel of the same number",
     "depthwise(outer: co, inner: ci)\n"},
    {"bottleneck", "B", "computes only the first Co/B output channels; consumers shrink too",
     "?1 bottleneck(loop: co, factor: $1, accept: true)\n"},
    {"input bottleneck", "B", "reads only the first Ci/B input channels",
     "?1 bottleneck(loop: ci, factor: $1)\n"},
    {"spatial bottleneck", "B",
     "computes every B-th row and column, and repeats them for the others",
     "?1 bottleneck(loop: h, factor: $1)\n"
     "?1 bottleneck(loop: w, factor: $1)\n"},
    {"slabs", "b", "b slabs of rows, each with its own weights and padding; saves no MACs",
     "?1 split(loop: h, factors: [$1, 0], tail: exact)\n"
     "?1 group_slabs(rows: h.0)\n"},
    {"channel slabs", "b", "b slabs of rows; each computes only its slice of the output channels",
     "?1 split(loop: h, factors: [$1, 0], tail: exact)\n"
     "?1 group_channels(rows: h.0, outer: co)\n"},
    {"peel", "u G", "u dense output channels; the others in G groups, without the first u of x",
     "partition(loop: co, points: [$1])\n"
     "group(outer: co.2, inner: ci.2, factor: $2, skip: $1)\n"},
    {"halves", "G1 G2", "each half of the output channels in its own number of groups",
     "partition(loop: co, points: [Co/2])\n"
     "?1 group(outer: co, inner: ci, factor: $1)\n"
     "?2 group(outer: co.2, inner: ci.2, factor: $2)\n"},
    {"quarters", "G1 G2 G3 G4", "each quarter of the output channels in its own number of groups",
     "partition(loop: co, points: [Co/4, Co/2, 3*Co/4])\n"
     "?1 group(outer: co, inner: ci, factor: $1)\n"
     "?2 group(outer: co.2, inner: ci.2, factor: $2)\n"
     "?3 group(outer: co.3, inner: ci.3, factor: $3)\n"
     "?4 group(outer: co.4, inner: ci.4, factor: $4)\n"},
    {"eighths", "G1 G2 G3 G4 G5 G6 G7 G8",
     "each eighth of the output channels in its own number of groups",
     "partition(loop: co, points: [Co/8, Co/4, 3*Co/8, Co/2, 5*Co/8, 3*Co/4, 7*Co/8])\n"
     "?1 group(outer: co, inner: ci, factor: $1)\n"
     "?2 group(outer: co.2, inner: ci.2, factor: $2)\n"
     "?3 group(outer: co.3, inner: ci.3, factor: $3)\n"
     "?4 group(outer: co.4, inner: ci.4, factor: $4)\n"
     "?5 group(outer: co.5, inner: ci.5, factor: $5)\n"
     "?6 group(outer: co.6, inner: ci.6, factor: $6)\n"
     "?7 group(outer: co.7, inner: ci.7, factor: $7)\n"
     "?8 group(outer: co.8, inner: ci.8, factor: $8)\n"},
    {"pointwise then depthwise", "", "sums over input channels, then each channel over the taps",
     "separate(first: [ci])\n"},
    {"depthwise then pointwise", "", "sums each channel over the taps, then over input channels",
     "separate(first: [kh, kw])\n"},
    {"rows then columns", "",
     "sums over channels and rows of the kernel, then over channels and columns",
     "separate(first: [ci, kh], mixes: true)\n"},
    {"rows then depthwise columns", "",
     "sums over channels and rows of the kernel, then each channel over columns",
     "separate(first: [ci, kh])\n"},
};

std::vector<std::string_view> words_in(const char* text) {
  if (*text == '\0') return {};
  return split(text, ' ');
}

// Takes the words of the name; a parenthesis behind them makes them a step.
bool take_name(Scanner& scanner, const CatalogueRow& row) {
  for (const std::string_view word : words_in(row.name)) {
    if (!scanner.take_word(word)) return false;
  }
  return !scanner.at("(");
}

// A line of the pattern with its numbers; empty where the line does not count.
std::string filled_in(std::string_view line, const std::vector<std::int64_t>& numbers) {
  const auto number = [&](char digit) { return numbers[static_cast<std::size_t>(digit - '1')]; };
  if (line[0] == '?') {
    if (number(line[1]) == 1) return {};
    line.remove_prefix(3);
  }
  std::string text;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '$') {
      text += std::to_string(number(line[++i]));
    } else {
      text += line[i];
    }
  }
  return text;
}

Result<std::string> document_of_row(Scanner& scanner, const CatalogueRow& row) {
  std::vector<std::int64_t> numbers;
  for (const std::string_view name : words_in(row.numbers)) {
    const std::optional<std::int64_t> number = scanner.whole();
    if (!number || *number < 1) {
      return scanner.refuse(
          fmt::format("{} {} with a whole number from 1 on for {}", row.name, row.numbers, name));
    }
    numbers.push_back(*number);
    scanner.advance();
  }
  if (!scanner.at_end()) {
    return scanner.refuse(fmt::format("the end behind '{}'", row.name));
  }
  std::string document;
  std::string_view rest = row.document;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n') + 1;
    document += filled_in(rest.substr(0, end), numbers);
    rest.remove_prefix(end);
  }
  return document;
}

}  // namespace

std::span<const CatalogueRow> catalogue() {
  return kCatalogue;
}

std::optional<Result<std::string>> catalogue_document(std::string_view written) {
  // The row with the longest name: one name may begin with another.
  const CatalogueRow* found = nullptr;
  for (const CatalogueRow& row : kCatalogue) {
    Scanner scanner(written, kCatalogueLexicon);
    if (!take_name(scanner, row)) continue;
    if (found == nullptr || std::strlen(row.name) > std::strlen(found->name)) found = &row;
  }
  if (found == nullptr) return std::nullopt;
  Scanner scanner(written, kCatalogueLexicon);
  take_name(scanner, *found);
  return document_of_row(scanner, *found);
}

}  // namespace cambium::schedule
