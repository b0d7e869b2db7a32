// Walks over the text form: words, strings and signs, with the place of each for refusals.
// Used by text_parse.cpp only.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace cambium::model {

class TextCursor {
 public:
  explicit TextCursor(std::string_view text) : text_(text) { skip_blank(); }

  bool at_end() const { return next_ == text_.size(); }
  bool at(char sign) const { return !at_end() && text_[next_] == sign; }
  bool take(char sign);      // takes the sign if it comes next
  Status expect(char sign);  // takes the sign or refuses

  // Letters, digits and any of _ . + -; empty if none stands here. Points into the text.
  std::string_view word();
  // The word, or a refusal.
  Status expect_word(std::string_view wanted);
  // A string in quotes, unescaped.
  Result<std::string> string();
  // The characters between the quotes as they stand, for text without escapes (base64).
  Result<std::string_view> raw_string();

  std::size_t place() const { return next_; }
  std::size_t place_of(std::string_view piece) const {  // of a piece that was handed out
    return static_cast<std::size_t>(piece.data() - text_.data());
  }
  // A refusal with its line, which is counted then only: a text has as many places as lines.
  Rejection located(Rejection rejection, std::size_t place) const;
  Status located(Status status, std::size_t place) const;
  Rejection refuse(std::string expected) const { return refuse_at(next_, std::move(expected)); }
  Rejection refuse_at(std::size_t place, std::string expected) const;

 private:
  void skip_blank();

  std::string_view text_;
  std::size_t next_ = 0;  // of the next token; never of white space or a comment
};

}  // namespace cambium::model
