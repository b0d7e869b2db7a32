// Element types of tensors, in one list: enum, names, sizes and the ONNX mapping come from it.
// F16 and BF16 are storage types: arithmetic happens in float or double and is rounded to nearest
// even.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

// clang-format off
// X(enumerator, name in text, C++ type)
#define CAMBIUM_FOR_EACH_DTYPE(X)      \
  X(F32,  "f32",  float)               \
  X(F64,  "f64",  double)              \
  X(F16,  "f16",  ::cambium::F16)  \
  X(BF16, "bf16", ::cambium::BF16) \
  X(I8,   "i8",   std::int8_t)         \
  X(I16,  "i16",  std::int16_t)        \
  X(I32,  "i32",  std::int32_t)        \
  X(I64,  "i64",  std::int64_t)        \
  X(U8,   "u8",   std::uint8_t)        \
  X(U16,  "u16",  std::uint16_t)       \
  X(U32,  "u32",  std::uint32_t)       \
  X(U64,  "u64",  std::uint64_t)       \
  X(Bool, "bool", bool)
// clang-format on

namespace cambium {

struct F16 {
  std::uint16_t bits = 0;
  F16() = default;
  explicit F16(double value);
  explicit operator double() const;
};

struct BF16 {
  std::uint16_t bits = 0;
  BF16() = default;
  explicit BF16(double value);
  explicit operator double() const;
};

enum class DType : std::uint8_t {
#define CAMBIUM_X(enumerator, name, type) enumerator,
  CAMBIUM_FOR_EACH_DTYPE(CAMBIUM_X)
#undef CAMBIUM_X
};

std::string_view name_of(DType dtype);
std::optional<DType> dtype_named(std::string_view name);
std::int64_t size_of(DType dtype);  // bytes of one element
bool is_floating(DType dtype);
bool is_integer(DType dtype);  // signed or unsigned; not bool

template <class T>
struct DTypeOf;
#define CAMBIUM_X(enumerator, name, type)             \
  template <>                                         \
  struct DTypeOf<type> {                              \
    static constexpr DType value = DType::enumerator; \
  };
CAMBIUM_FOR_EACH_DTYPE(CAMBIUM_X)
#undef CAMBIUM_X

template <class T>
inline constexpr DType dtype_of = DTypeOf<T>::value;

// Calls f with a default-constructed element of the C++ type of `dtype`:
// visit_dtype(t, [&](auto zero) { using T = decltype(zero); ... }).
template <class F>
decltype(auto) visit_dtype(DType dtype, F&& f) {
  switch (dtype) {
#define CAMBIUM_X(enumerator, name, type) \
  case DType::enumerator: return f(type{});
    CAMBIUM_FOR_EACH_DTYPE(CAMBIUM_X)
#undef CAMBIUM_X
  }
  return f(float{});
}

}  // namespace cambium
