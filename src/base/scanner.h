// The scanner under the text forms of sizes, index expressions, programs, models, traces and
// operators. It skips blanks and comments, splits the rest into names, numbers and signs, reads
// strings on request, and refuses (BadSyntax) with line and column. A grammar describes its tokens
// in a Lexicon and adds only what is its own.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace cambium {

struct Lexicon {
  enum class Numbers : std::uint8_t {
    InNames,    // digits count as letters: 1e-05 and layer1.0 are names
    Whole,      // 12
    Fractions,  // 12, 1.5, 2e+3
  };
  Numbers numbers = Numbers::InNames;
  bool comments = true;                               // from '#' to the end of the line
  std::string_view in_names = "_.";                   // besides letters and digits
  std::span<const std::string_view> long_signs = {};  // the signs of two characters
  std::string_view blanks = " \t\n\r";
};

class Scanner {
 public:
  enum class Kind : std::uint8_t { End, Number, Name, Sign };
  enum class Strings : std::uint8_t {
    Plain,    // without escapes, ends on its line
    Long,     // without escapes, may span lines
    Escaped,  // a backslash protects the character after it, ends on its line
  };

  // Keeps references to both.
  Scanner(std::string_view text, const Lexicon& lexicon) : text_(text), lexicon_(&lexicon) {
    advance();
  }

  Kind kind() const { return kind_; }
  std::string_view token() const { return token_; }  // points into the text, also at its end
  bool at_end() const { return kind_ == Kind::End; }
  bool at(std::string_view sign) const { return kind_ == Kind::Sign && token_ == sign; }
  bool at_word(std::string_view word) const { return kind_ == Kind::Name && token_ == word; }
  // The token as a number, unless it is none of 64 bits.
  std::optional<std::int64_t> whole() const;

  void advance();
  // These take the token if it is that one.
  bool take(std::string_view sign);
  bool take_word(std::string_view word);
  std::string_view word();  // any name; empty if the token is none
  // These take the token or refuse; `what` says what was expected.
  Status expect(std::string_view sign);
  Status expect_word(std::string_view word);
  Result<std::string_view> word(std::string_view what);
  Result<std::int64_t> whole(std::string_view what);
  // The characters between double quotes as they stand, escapes included.
  Result<std::string_view> string(Strings how);
  // The text from here to the first of `stops` outside all brackets, without white space at its
  // ends. The scanner then stands at the stop.
  std::string_view until(std::string_view stops);

  std::size_t place() const { return place_of(token_); }
  std::size_t place_of(std::string_view piece) const {  // of a piece of the text
    return static_cast<std::size_t>(piece.data() - text_.data());
  }
  // Lines and columns are counted only here: a text has as many places as lines.
  std::int64_t line(std::size_t place) const;
  std::string describe(std::size_t place) const;  // "line 3, column 7"
  Rejection refuse(std::string_view expected) const { return refuse_at(place(), expected); }
  Rejection refuse_at(std::size_t place, std::string_view expected) const;

 private:
  void skip_blank();
  void skip_number();
  std::size_t closing_quote(Strings how) const;  // of the string whose opening quote is the token
  bool in_name(char c) const;
  char here() const { return next_ < text_.size() ? text_[next_] : '\0'; }
  void move_to(std::size_t place);
  std::int64_t column(std::size_t place) const;

  std::string_view text_;
  const Lexicon* lexicon_;
  std::size_t next_ = 0;  // the first character after the token
  Kind kind_ = Kind::End;
  std::string_view token_;
};

}  // namespace cambium
