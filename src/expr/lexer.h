// The tokens of sizes, index expressions and rules: whole numbers, names and signs. Refuses
// (BadSyntax) with line and column.
#pragma once

#include <string_view>

#include "base/scanner.h"

namespace cambium::expr {

// Names are letters, digits, '_' and '.', and begin with no digit or dot; true, false, min and max
// are taken.
bool is_name(std::string_view text);

class Lexer : public Scanner {
 public:
  // Index expressions have no comments. Documents that contain them may.
  explicit Lexer(std::string_view text, bool comments = false);
};

}  // namespace cambium::expr
