#include "program/scalar.h"

#include <limits>

namespace cambium::program {
namespace {

std::string_view describe(Operands operands) {
  switch (operands) {
    case Operands::Number: return "a number";
    case Operands::Floating: return "a floating number";
    case Operands::Truth: return "a bool";
    case Operands::Any: return "anything";
  }
  return "";
}

Rejection refuse(std::string_view where, std::string_view wanted, DType found) {
  return Rejection(Reason::OperandType, std::string(where),
                   std::string(wanted) + ", found " + std::string(name_of(found)));
}

}  // namespace

Result<DType> type_of(UnaryFn fn, DType operand) {
  if (!accepts(operands_of(fn), operand)) {
    return refuse(name_of(fn), describe(operands_of(fn)), operand);
  }
  return fn == UnaryFn::IsNan ? DType::Bool : operand;
}

Result<DType> type_of(BinaryFn fn, DType left, DType right) {
  if (!accepts(operands_of(fn), left)) {
    return refuse(name_of(fn), describe(operands_of(fn)), left);
  }
  if (left != right) return refuse(name_of(fn), name_of(left), right);
  return gives_truth(fn) ? DType::Bool : left;
}

Result<DType> type_of_select(DType condition, DType first, DType second) {
  if (condition != DType::Bool) return refuse("select", "a bool", condition);
  if (first != second) return refuse("select", name_of(first), second);
  return first;
}

bool fits(std::int64_t number, DType type) {
  return visit_dtype(type, [number](auto zero) {
    using T = decltype(zero);
    if constexpr (std::numeric_limits<T>::is_integer) {
      // u64 holds the larger half as negative numbers of the same bits.
      if constexpr (sizeof(T) == 8)
        return true;
      else
        return number >= static_cast<std::int64_t>(std::numeric_limits<T>::min()) &&
               number <= static_cast<std::int64_t>(std::numeric_limits<T>::max());
    } else {
      return true;
    }
  });
}

}  // namespace cambium::program
