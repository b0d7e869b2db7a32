// The tokens of the text form of models: words such as conv, 3.1 or 1e-05, strings and signs.
// Used by text_parse.cpp and text_values.cpp only.
#pragma once

#include <string>
#include <string_view>

#include "base/scanner.h"

namespace cambium::model {

class TextCursor : public Scanner {
 public:
  explicit TextCursor(std::string_view text);

  // A string in quotes, unescaped.
  Result<std::string> text();
  // Adds the line of that place to a refusal.
  Rejection located(Rejection rejection, std::size_t place) const;
  Status located(Status status, std::size_t place) const;
};

}  // namespace cambium::model
