#include "model/onnx/einsum_form.h"

#include <algorithm>
#include <map>
#include <vector>

#include <fmt/core.h>

#include "base/text.h"

namespace cambium::model::onnx_io {

namespace {

constexpr std::string_view kDots = "...";

Rejection bad(std::string why) {
  return Rejection(Reason::BadAttribute, "equation", std::move(why));
}

// Letters that the equation does not use, for the axes that an ellipsis stands for.
std::string free_letters(std::string_view equation) {
  std::string letters;
  for (const char base : {'A', 'a'}) {
    for (int i = 0; i < 26; ++i) {
      const char letter = static_cast<char>(base + i);
      if (equation.find(letter) == std::string_view::npos) letters += letter;
    }
  }
  return letters;
}

struct Ellipsis {
  std::size_t width = 0;  // axes of the widest ellipsis
  std::string letters;    // for them; a narrower one takes the last

  std::string expand(std::string_view term, std::size_t count) const {
    const std::size_t at = term.find(kDots);
    if (at == std::string_view::npos) return std::string(term);
    return std::string(term.substr(0, at)) + letters.substr(width - count, count) +
           std::string(term.substr(at + kDots.size()));
  }
};

std::string implicit_output(const std::vector<std::string>& terms, const std::string& dots) {
  std::map<char, int> seen;
  for (const std::string& term : terms) {
    for (const char letter : term) ++seen[letter];
  }
  std::string output = dots;
  for (const auto& [letter, count] : seen) {
    if (count == 1 && dots.find(letter) == std::string::npos) output += letter;
  }
  return output;
}

}  // namespace

Result<std::string> explicit_einsum(std::string_view equation, std::span<const TensorType> inputs) {
  std::string text;
  std::copy_if(equation.begin(), equation.end(), std::back_inserter(text),
               [](char c) { return c != ' '; });
  const std::size_t arrow = text.find("->");
  const std::vector<std::string_view> terms =
      split(std::string_view(text).substr(0, std::min(arrow, text.size())), ',');
  if (terms.size() != inputs.size()) {
    return bad(fmt::format("has {} terms for {} inputs", terms.size(), inputs.size()));
  }
  Ellipsis ellipsis;
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const auto rank = static_cast<std::size_t>(inputs[i].rank());
    const bool dots = terms[i].find(kDots) != std::string_view::npos;
    const std::size_t letters = terms[i].size() - (dots ? kDots.size() : 0);
    if (letters > rank || (!dots && letters != rank)) {
      return bad(fmt::format("'{}' does not name the axes of {}", terms[i], inputs[i].text()));
    }
    widths.push_back(dots ? rank - letters : 0);
    ellipsis.width = std::max(ellipsis.width, widths.back());
  }
  ellipsis.letters = free_letters(text);
  if (ellipsis.letters.size() < ellipsis.width) return bad("needs more letters than there are");
  ellipsis.letters.resize(ellipsis.width);
  std::vector<std::string> expanded;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    expanded.push_back(ellipsis.expand(terms[i], widths[i]));
  }
  std::string output =
      arrow == std::string::npos
          ? implicit_output(expanded, ellipsis.letters)
          : ellipsis.expand(std::string_view(text).substr(arrow + 2), ellipsis.width);
  std::string result;
  for (std::size_t i = 0; i < expanded.size(); ++i) result += (i == 0 ? "" : ",") + expanded[i];
  return result + "->" + output;
}

}  // namespace cambium::model::onnx_io
