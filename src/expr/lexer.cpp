#include "expr/lexer.h"

#include <algorithm>
#include <iterator>

namespace cambium::expr {
namespace {

constexpr std::string_view kReserved[] = {"true", "false", "min", "max"};
constexpr std::string_view kLongSigns[] = {"<=", ">=", "==", "!=", "&&", "||"};
constexpr Lexicon kPlain{
    .numbers = Lexicon::Numbers::Whole, .comments = false, .long_signs = kLongSigns};
constexpr Lexicon kCommented{.numbers = Lexicon::Numbers::Whole, .long_signs = kLongSigns};

}  // namespace

Lexer::Lexer(std::string_view text, bool comments)
    : Scanner(text, comments ? kCommented : kPlain) {}

bool is_name(std::string_view text) {
  const Scanner only(text, kPlain);
  return only.kind() == Scanner::Kind::Name && only.token() == text &&
         std::find(std::begin(kReserved), std::end(kReserved), text) == std::end(kReserved);
}

}  // namespace cambium::expr
