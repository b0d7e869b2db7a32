// Internal to infer.cpp and infer_*.cpp: one rule per operator, and shared helpers. The number of
// inputs and the validity of the result are checked once, around all rules.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/op.h"

namespace cambium::model::infer_rules {

using Types = std::span<const TensorType>;
using Inferred = Result<std::vector<TensorType>>;

#define CAMBIUM_X(op, name, fewest, most, outputs) Inferred rule(const op& op_, Types inputs);
CAMBIUM_FOR_EACH_OP(CAMBIUM_X)
#undef CAMBIUM_X

// Attributes come from files and may have any 64-bit value. Formulas compute in 128 bits, where
// sums and a single product cannot overflow, and narrow the result once.
__extension__ using Wide = __int128;
Result<std::int64_t> narrowed(Wide size);

Rejection bad_type(std::string_view what, std::string why);
Rejection bad_shape(std::string_view what, std::string why);
Rejection bad_attribute(std::string_view what, std::string why);
std::string text_of(const Ints& values);  // [1, 2, 3]

Status require_floating(std::string_view what, const TensorType& type);
Status require_number(std::string_view what, const TensorType& type);  // not bool
Status require_same_dtype(Types inputs);
Status require_rank(std::string_view what, const TensorType& type, std::int64_t lowest,
                    std::int64_t highest);
Status require_dims(std::string_view what, const TensorType& type, const Ints& dims);
Status require_axis(std::int64_t axis, std::int64_t rank);  // counted from the front
// Checks an attribute with one entry per axis: each must be at least `lowest` and at most
// kMaxTensorBytes. Code that computes with accepted attributes cannot overflow either.
Status require_each(std::string_view attribute, const Ints& values, std::int64_t count,
                    std::int64_t lowest);
// Whether `from` can be stretched to exactly `to`.
bool broadcasts_to(const Ints& from, const Ints& to);

}  // namespace cambium::model::infer_rules
