#include "program/functions.h"

#include <cstddef>
#include <iterator>

namespace cambium::program {
namespace {

template <class E, std::size_t n>
std::optional<E> find_named(const std::string_view (&names)[n], std::string_view name) {
  for (std::size_t i = 0; i < n; ++i) {
    if (names[i] == name) return static_cast<E>(i);
  }
  return std::nullopt;
}

#define CAMBIUM_X(enumerator, name, ...) name,
constexpr std::string_view kUnaryNames[] = {CAMBIUM_FOR_EACH_UNARY_FN(CAMBIUM_X)};
constexpr std::string_view kBinaryNames[] = {CAMBIUM_FOR_EACH_BINARY_FN(CAMBIUM_X)};
constexpr std::string_view kCombineNames[] = {CAMBIUM_FOR_EACH_COMBINE(CAMBIUM_X)};
constexpr std::string_view kRoleNames[] = {CAMBIUM_FOR_EACH_ROLE(CAMBIUM_X)};
constexpr std::string_view kLoopKindNames[] = {CAMBIUM_FOR_EACH_LOOP_KIND(CAMBIUM_X)};
constexpr std::string_view kIteratorKindNames[] = {CAMBIUM_FOR_EACH_ITERATOR_KIND(CAMBIUM_X)};
constexpr std::string_view kHintNames[] = {CAMBIUM_FOR_EACH_HINT(CAMBIUM_X)};
#undef CAMBIUM_X

#define CAMBIUM_X(enumerator, name, sign, fn) sign,
constexpr std::string_view kCombineSigns[] = {CAMBIUM_FOR_EACH_COMBINE(CAMBIUM_X)};
#undef CAMBIUM_X

}  // namespace

// clang-format off
#define CAMBIUM_NAMES(E, names)                                                              \
  std::string_view name_of(E e) { return names[static_cast<std::size_t>(e)]; }               \
  template <> std::optional<E> enumerator_named<E>(std::string_view name) { return find_named<E>(names, name); }
CAMBIUM_NAMES(UnaryFn, kUnaryNames)
CAMBIUM_NAMES(BinaryFn, kBinaryNames)
CAMBIUM_NAMES(Combine, kCombineNames)
CAMBIUM_NAMES(Role, kRoleNames)
CAMBIUM_NAMES(LoopKind, kLoopKindNames)
CAMBIUM_NAMES(IteratorKind, kIteratorKindNames)
CAMBIUM_NAMES(Hint, kHintNames)
#undef CAMBIUM_NAMES
// clang-format on

Operands operands_of(UnaryFn fn) {
#define CAMBIUM_X(enumerator, name, operands) Operands::operands,
  static constexpr Operands kOperands[] = {CAMBIUM_FOR_EACH_UNARY_FN(CAMBIUM_X)};
#undef CAMBIUM_X
  return kOperands[static_cast<std::size_t>(fn)];
}

Operands operands_of(BinaryFn fn) {
#define CAMBIUM_X(enumerator, name, operands, sign, level) Operands::operands,
  static constexpr Operands kOperands[] = {CAMBIUM_FOR_EACH_BINARY_FN(CAMBIUM_X)};
#undef CAMBIUM_X
  return kOperands[static_cast<std::size_t>(fn)];
}

std::string_view sign_of(BinaryFn fn) {
#define CAMBIUM_X(enumerator, name, operands, sign, level) sign,
  static constexpr std::string_view kSigns[] = {CAMBIUM_FOR_EACH_BINARY_FN(CAMBIUM_X)};
#undef CAMBIUM_X
  return kSigns[static_cast<std::size_t>(fn)];
}

int level_of(BinaryFn fn) {
#define CAMBIUM_X(enumerator, name, operands, sign, level) level,
  static constexpr int kLevels[] = {CAMBIUM_FOR_EACH_BINARY_FN(CAMBIUM_X)};
#undef CAMBIUM_X
  return kLevels[static_cast<std::size_t>(fn)];
}

std::string_view sign_of(Combine combine) {
  return kCombineSigns[static_cast<std::size_t>(combine)];
}

BinaryFn function_of(Combine combine) {
#define CAMBIUM_X(enumerator, name, sign, fn) BinaryFn::fn,
  static constexpr BinaryFn kFunctions[] = {CAMBIUM_FOR_EACH_COMBINE(CAMBIUM_X)};
#undef CAMBIUM_X
  return kFunctions[static_cast<std::size_t>(combine)];
}

bool takes_number(Hint hint) {
#define CAMBIUM_X(enumerator, name, number) number,
  static constexpr bool kNumbers[] = {CAMBIUM_FOR_EACH_HINT(CAMBIUM_X)};
#undef CAMBIUM_X
  return kNumbers[static_cast<std::size_t>(hint)];
}

std::optional<Combine> combine_written(std::string_view sign) {
  return find_named<Combine>(kCombineSigns, sign);
}

bool accepts(Operands operands, DType type) {
  switch (operands) {
    case Operands::Number: return type != DType::Bool;
    case Operands::Floating: return is_floating(type);
    case Operands::Truth: return type == DType::Bool;
    case Operands::Any: return true;
  }
  return false;
}

}  // namespace cambium::program
