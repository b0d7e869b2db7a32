#include "model/infer.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/core.h>

#include "model/infer_rules.h"

namespace cambium::model {

Result<std::vector<TensorType>> infer(const Op& op, std::span<const TensorType> inputs) {
  const Arity arity = arity_of(op);
  const auto count = static_cast<std::int64_t>(inputs.size());
  if (count < arity.fewest_inputs || (arity.most_inputs >= 0 && count > arity.most_inputs)) {
    return Rejection(Reason::WrongInputCount, count, arity.fewest_inputs, arity.most_inputs);
  }
  CAMBIUM_TRY(std::vector<TensorType> outputs,
              std::visit([&](const auto& one) { return infer_rules::rule(one, inputs); }, op));
  for (const TensorType& type : outputs) CAMBIUM_REQUIRE(check_type(type));
  return outputs;
}

Result<Ints> broadcast(const Ints& a, const Ints& b) {
  const Ints& longer = a.size() >= b.size() ? a : b;
  const Ints& shorter = a.size() >= b.size() ? b : a;
  Ints out = longer;
  for (std::size_t i = 0; i < shorter.size(); ++i) {
    std::int64_t& dim = out[out.size() - 1 - i];
    const std::int64_t other = shorter[shorter.size() - 1 - i];
    if (dim == other || other == 1) continue;
    if (dim != 1) {
      return infer_rules::bad_shape(
          "inputs", fmt::format("{} and {} do not broadcast", infer_rules::text_of(a),
                                infer_rules::text_of(b)));
    }
    dim = other;
  }
  return out;
}

namespace infer_rules {

Inferred rule(const Input& op, Types) {
  return std::vector<TensorType>{op.type};
}

Inferred rule(const Weight& op, Types) {
  return std::vector<TensorType>{op.value.type()};
}

Result<std::int64_t> narrowed(Wide size) {
  if (size > std::numeric_limits<std::int64_t>::max() ||
      size < std::numeric_limits<std::int64_t>::min()) {
    return Rejection(Reason::SizeOverflow);
  }
  return static_cast<std::int64_t>(size);
}

Rejection bad_type(std::string_view what, std::string why) {
  return {Reason::WrongType, std::string(what), std::move(why)};
}

Rejection bad_shape(std::string_view what, std::string why) {
  return {Reason::ShapeMismatch, std::string(what), std::move(why)};
}

Rejection bad_attribute(std::string_view what, std::string why) {
  return {Reason::BadAttribute, std::string(what), std::move(why)};
}

std::string text_of(const Ints& values) {
  std::string out = "[";
  for (std::size_t i = 0; i < values.size(); ++i) {
    out += fmt::format("{}{}", i == 0 ? "" : ", ", values[i]);
  }
  return out + "]";
}

Status require_floating(std::string_view what, const TensorType& type) {
  if (is_floating(type.dtype)) return Ok{};
  return bad_type(what, fmt::format("is {}, must be floating", name_of(type.dtype)));
}

Status require_number(std::string_view what, const TensorType& type) {
  if (type.dtype != DType::Bool) return Ok{};
  return bad_type(what, "is bool, must be a number");
}

Status require_same_dtype(Types inputs) {
  for (std::size_t i = 1; i < inputs.size(); ++i) {
    if (inputs[i].dtype == inputs[0].dtype) continue;
    return bad_type(fmt::format("input {}", i),
                    fmt::format("is {} where input 0 is {}", name_of(inputs[i].dtype),
                                name_of(inputs[0].dtype)));
  }
  return Ok{};
}

Status require_rank(std::string_view what, const TensorType& type, std::int64_t lowest,
                    std::int64_t highest) {
  if (type.rank() >= lowest && type.rank() <= highest) return Ok{};
  return bad_shape(
      what, lowest == highest
                ? fmt::format("is {}, must have rank {}", type.text(), lowest)
                : fmt::format("is {}, must have rank {} to {}", type.text(), lowest, highest));
}

Status require_dims(std::string_view what, const TensorType& type, const Ints& dims) {
  if (type.dims == dims) return Ok{};
  return bad_shape(what, fmt::format("is {}, must be {}", type.text(), text_of(dims)));
}

Status require_axis(std::int64_t axis, std::int64_t rank) {
  if (axis >= 0 && axis < rank) return Ok{};
  return bad_attribute("axis", fmt::format("{} is not an axis of rank {}", axis, rank));
}

Status require_each(std::string_view attribute, const Ints& values, std::int64_t count,
                    std::int64_t lowest) {
  if (static_cast<std::int64_t>(values.size()) != count) {
    return bad_attribute(attribute,
                         fmt::format("has {} entries, must have {}", values.size(), count));
  }
  for (const std::int64_t value : values) {
    if (value < lowest) {
      return bad_attribute(attribute, fmt::format("{} is less than {}", value, lowest));
    }
    if (value > kMaxTensorBytes) {
      return bad_attribute(attribute, fmt::format("{} is larger than any tensor", value));
    }
  }
  return Ok{};
}

bool broadcasts_to(const Ints& from, const Ints& to) {
  if (from.size() > to.size()) return false;
  const std::size_t shift = to.size() - from.size();
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from[i] != 1 && from[i] != to[shift + i]) return false;
  }
  return true;
}

}  // namespace infer_rules

}  // namespace cambium::model
