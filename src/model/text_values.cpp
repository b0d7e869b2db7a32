#include "model/text_values.h"

#include <utility>

#include <fmt/core.h>

#include "model/base64.h"
#include "model/verify.h"

namespace cambium::model {

Result<TensorType> read_type(TextCursor& cursor) {
  const std::size_t place = cursor.place();
  const auto dtype = dtype_named(cursor.word());
  if (!dtype) return cursor.refuse_at(place, "an element type");
  TensorType type{*dtype, {}};
  CAMBIUM_REQUIRE(read_list(cursor, "[", "]", [&]() -> Status {
    CAMBIUM_TRY(const std::int64_t dim, read_number<std::int64_t>(cursor));
    type.dims.push_back(dim);
    return Ok{};
  }));
  CAMBIUM_REQUIRE(cursor.located(check_type(type), place));
  return type;
}

Result<Literal> read_literal(TextCursor& cursor) {
  Literal literal{cursor.place(), {}, {}, {}};
  if (cursor.at("\"")) {
    CAMBIUM_TRY(literal.base64, cursor.string(Scanner::Strings::Long));
    return literal;
  }
  if (cursor.at("[")) {
    CAMBIUM_REQUIRE(read_list(cursor, "[", "]", [&]() -> Status {
      literal.words.push_back(cursor.word());
      if (literal.words.back().empty()) return cursor.refuse("a number");
      return Ok{};
    }));
    return literal;
  }
  Fill fill;
  const std::string_view law = cursor.word();
  if (law == "...") {
    return cursor.refuse_at(literal.place,
                            "the elements of the weight (the printer left them "
                            "out)");
  }
  if (law == "uniform" || law == "normal") {
    fill.law = law == "normal" ? Fill::Law::Normal : Fill::Law::Uniform;
  } else if (law != "constant") {
    return cursor.refuse_at(literal.place,
                            "constant(...), uniform(...), normal(...), elements in "
                            "[...] or base64 in quotes");
  }
  CAMBIUM_REQUIRE(cursor.expect("("));
  CAMBIUM_TRY(fill.scale, read_number<double>(cursor));
  if (fill.law != Fill::Law::Constant) {
    CAMBIUM_REQUIRE(cursor.expect(","));
    CAMBIUM_TRY(fill.seed, read_number<std::uint64_t>(cursor));
  }
  CAMBIUM_REQUIRE(cursor.expect(")"));
  literal.fill = fill;
  return literal;
}

Result<Tensor> tensor_of(const TextCursor& cursor, const Literal& literal, const TensorType& type) {
  if (literal.fill) {
    if (!can_fill(type.dtype, *literal.fill)) {
      return cursor.refuse_at(literal.place,
                              fmt::format("a rule that fills {}", name_of(type.dtype)));
    }
    return Tensor::lazy(type, *literal.fill);
  }
  if (literal.base64) {
    auto bytes = from_base64(*literal.base64);
    if (!bytes) return cursor.refuse_at(literal.place, "base64");
    if (std::ssize(*bytes) != type.bytes()) {
      return cursor.refuse_at(literal.place, fmt::format("base64 of {} bytes", type.bytes()));
    }
    if (!are_elements(type.dtype, *bytes)) {
      return cursor.refuse_at(literal.place, "base64 of bytes that are 0 or 1");
    }
    return Tensor(type, std::move(*bytes));
  }
  if (std::ssize(literal.words) != type.elements()) {
    return cursor.refuse_at(literal.place, fmt::format("{} elements", type.elements()));
  }
  return visit_dtype(type.dtype, [&](auto zero) -> Result<Tensor> {
    using T = decltype(zero);
    std::vector<std::byte> bytes(static_cast<std::size_t>(type.bytes()));
    T* out = reinterpret_cast<T*>(bytes.data());
    for (const std::string_view word : literal.words) {
      const auto value = number_of<T>(word);
      if (!value) {
        return cursor.refuse_at(cursor.place_of(word),
                                fmt::format("a number of type {}", name_of(type.dtype)));
      }
      *out++ = *value;
    }
    return Tensor(type, std::move(bytes));
  });
}

}  // namespace cambium::model
