// Splits the text of sizes, index expressions and rules into numbers, names and signs, and refuses
// (BadSyntax) with line and column. Used by the three parsers of this folder.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace cambium::expr {

// Names are letters, digits, '_' and '.', and begin with no digit or dot; true, false, min and max
// are taken.
bool is_name(std::string_view text);

class Lexer {
 public:
  enum class Kind : std::uint8_t { End, Number, Name, Sign, Bad };

  explicit Lexer(std::string_view text) : text_(text) { advance(); }

  Kind kind() const { return kind_; }
  std::string_view token() const { return token_; }
  std::int64_t number() const { return number_; }
  bool at_end() const { return kind_ == Kind::End; }
  bool at(std::string_view sign) const { return kind_ == Kind::Sign && token_ == sign; }

  void advance();
  // Takes the sign if it comes next.
  bool take(std::string_view sign);
  // Takes the sign or refuses.
  Status expect(std::string_view sign);
  // What stands here instead of `expected`.
  Rejection refuse(std::string_view expected) const;

 private:
  std::string_view text_;
  std::size_t next_ = 0;   // of what was not read yet
  std::size_t start_ = 0;  // of the token
  Kind kind_ = Kind::End;
  std::string_view token_;
  std::int64_t number_ = 0;
};

}  // namespace cambium::expr
