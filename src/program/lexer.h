// Splits the text of a program into words, numbers, strings and signs. Index expressions are handed
// out whole, as text for expr/text.h. Used by parse.cpp and parse_scalar.cpp only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace cambium::program {

class Lexer {
 public:
  enum class Kind : std::uint8_t { End, Number, Word, Text, Sign };

  explicit Lexer(std::string_view text) : text_(text) { advance(); }

  Kind kind() const { return kind_; }
  std::string_view token() const { return token_; }  // a Text without its quotes
  bool at(std::string_view sign) const { return kind_ == Kind::Sign && token_ == sign; }
  bool at_word(std::string_view word) const { return kind_ == Kind::Word && token_ == word; }
  bool at_fraction() const;  // a Number with a point or an exponent

  void advance();
  bool take(std::string_view sign);
  bool take_word(std::string_view word);
  Status expect(std::string_view sign);
  Status expect_word(std::string_view word);
  Result<std::string_view> word(std::string_view what);  // refuses anything else, as not `what`
  Result<std::int64_t> whole(std::string_view what);     // not negative

  // The text from here to the first of `stops` outside all brackets, without white space at its
  // ends; the lexer then stands at the stop.
  std::string_view until(std::string_view stops);

  std::size_t place() const { return start_; }
  std::string describe(std::size_t place) const;  // "line 3, column 7"
  Rejection refuse(std::string_view expected) const;

 private:
  void skip_blank();
  void line_and_column(std::size_t place, std::int64_t& line, std::int64_t& column) const;

  std::string_view text_;
  std::size_t next_ = 0;   // of what was not read yet
  std::size_t start_ = 0;  // of the token
  Kind kind_ = Kind::End;
  std::string_view token_;
};

}  // namespace cambium::program
