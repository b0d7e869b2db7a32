// Numbers, lists, types and weights of the text form, for text_parse.cpp.
#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/result.h"
#include "model/tensor.h"
#include "model/text_cursor.h"

namespace cambium::model {

// Parses the whole word as a number of type T, or returns nothing.
template <class T>
std::optional<T> number_of(std::string_view word) {
  if constexpr (std::is_same_v<T, bool>) {
    if (word == "true") return true;
    if (word == "false") return false;
    return std::nullopt;
  } else if constexpr (std::is_same_v<T, F16> || std::is_same_v<T, BF16>) {
    const auto value = number_of<double>(word);
    return value ? std::optional<T>(T(*value)) : std::nullopt;
  } else {
    T value{};
    const char* end = word.data() + word.size();
    const auto [rest, error] = std::from_chars(word.data(), end, value);
    return error == std::errc{} && rest == end ? std::optional<T>(value) : std::nullopt;
  }
}

template <class T>
inline constexpr std::string_view kNumberName = std::is_same_v<T, bool> ? "true or false"
                                                : std::is_integral_v<T> ? "a whole number"
                                                                        : "a number";

template <class T>
Result<T> read_number(TextCursor& cursor) {
  const std::size_t place = cursor.place();
  const auto value = number_of<T>(cursor.word());
  if (!value) return cursor.refuse_at(place, std::string(kNumberName<T>));
  return *value;
}

// Calls `item` for each element of `open a, b, ... close`.
template <class F>
Status read_list(TextCursor& cursor, std::string_view open, std::string_view close, F&& item) {
  CAMBIUM_REQUIRE(cursor.expect(open));
  if (cursor.take(close)) return Ok{};
  do {
    CAMBIUM_REQUIRE(item());
  } while (cursor.take(","));
  if (!cursor.take(close)) return cursor.refuse("',' or '" + std::string(close) + "'");
  return Ok{};
}

Result<TensorType> read_type(TextCursor& cursor);

// The value of a weight: a rule, base64 or numbers. Its type comes after it.
struct Literal {
  std::size_t place = 0;
  std::optional<Fill> fill;
  std::optional<std::string_view> base64;
  std::vector<std::string_view> words;
};
Result<Literal> read_literal(TextCursor& cursor);
Result<Tensor> tensor_of(const TextCursor& cursor, const Literal& literal, const TensorType& type);

}  // namespace cambium::model
