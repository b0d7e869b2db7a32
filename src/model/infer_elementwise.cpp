// Types of the normalizations and of the elementwise operators.
#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "model/infer.h"
#include "model/infer_rules.h"

namespace cambium::model::infer_rules {

namespace {

Inferred same_as(const TensorType& type) {
  return std::vector<TensorType>{type};
}

Status require_finite_epsilon(double epsilon) {
  if (epsilon >= 0 && epsilon < 1e300) return Ok{};
  return bad_attribute("epsilon", fmt::format("{} is not a small positive number", epsilon));
}

bool is_signed_number(DType dtype) {
  return is_floating(dtype) || dtype == DType::I8 || dtype == DType::I16 || dtype == DType::I32 ||
         dtype == DType::I64;
}

Inferred floating_along(std::int64_t axis, const TensorType& x) {
  CAMBIUM_REQUIRE(require_floating("input", x));
  CAMBIUM_REQUIRE(require_axis(axis, x.rank()));
  return same_as(x);
}

}  // namespace

Inferred rule(const BatchNorm& op, Types inputs) {
  static constexpr const char* kNames[] = {"input", "scale", "bias", "mean", "variance"};
  CAMBIUM_REQUIRE(require_finite_epsilon(op.epsilon));
  CAMBIUM_REQUIRE(require_floating("input", inputs[0]));
  CAMBIUM_REQUIRE(require_same_dtype(inputs));
  CAMBIUM_REQUIRE(require_rank("input", inputs[0], 2, kMaxRank));
  for (std::size_t i = 1; i < 5; ++i) {
    CAMBIUM_REQUIRE(require_dims(kNames[i], inputs[i], {inputs[0].dims[1]}));
  }
  return same_as(inputs[0]);
}

Inferred rule(const LayerNorm& op, Types inputs) {
  CAMBIUM_REQUIRE(require_finite_epsilon(op.epsilon));
  CAMBIUM_REQUIRE(require_floating("input", inputs[0]));
  CAMBIUM_REQUIRE(require_same_dtype(inputs));
  CAMBIUM_REQUIRE(require_axis(op.axis, inputs[0].rank()));
  const Ints normalized(inputs[0].dims.begin() + op.axis, inputs[0].dims.end());
  for (std::size_t i = 1; i < inputs.size(); ++i) {
    if (!broadcasts_to(inputs[i].dims, normalized)) {
      return bad_shape(
          i == 1 ? "scale" : "bias",
          fmt::format("{} does not broadcast to {}", inputs[i].text(), text_of(normalized)));
    }
  }
  return same_as(inputs[0]);
}

Inferred rule(const GroupNorm& op, Types inputs) {
  CAMBIUM_REQUIRE(require_finite_epsilon(op.epsilon));
  CAMBIUM_REQUIRE(require_floating("input", inputs[0]));
  CAMBIUM_REQUIRE(require_same_dtype(inputs));
  CAMBIUM_REQUIRE(require_rank("input", inputs[0], 2, kMaxRank));
  const std::int64_t channels = inputs[0].dims[1];
  if (op.groups < 1 || channels % op.groups != 0) {
    return bad_attribute("groups",
                         fmt::format("{} does not divide {} channels", op.groups, channels));
  }
  CAMBIUM_REQUIRE(require_dims("scale", inputs[1], {channels}));
  CAMBIUM_REQUIRE(require_dims("bias", inputs[2], {channels}));
  return same_as(inputs[0]);
}

Inferred rule(const Unary& op, Types inputs) {
  const TensorType& x = inputs[0];
  switch (op.fn) {
    case UnaryFn::Not:
      if (x.dtype != DType::Bool) {
        return bad_type("input", fmt::format("is {}, must be bool", name_of(x.dtype)));
      }
      return same_as(x);
    case UnaryFn::IsNan:
      CAMBIUM_REQUIRE(require_floating("input", x));
      return std::vector<TensorType>{{DType::Bool, x.dims}};
    case UnaryFn::Abs:
    case UnaryFn::Sign: CAMBIUM_REQUIRE(require_number("input", x)); return same_as(x);
    case UnaryFn::Relu:
    case UnaryFn::Neg:
      if (!is_signed_number(x.dtype)) {
        return bad_type("input", fmt::format("is {}, must have a sign", name_of(x.dtype)));
      }
      return same_as(x);
    default: CAMBIUM_REQUIRE(require_floating("input", x)); return same_as(x);
  }
}

Inferred rule(const Activation& op, Types inputs) {
  if (op.fn == ActivationFn::Clip) {
    CAMBIUM_REQUIRE(require_number("input", inputs[0]));
  } else {
    CAMBIUM_REQUIRE(require_floating("input", inputs[0]));
  }
  return same_as(inputs[0]);
}

Inferred rule(const Binary& op, Types inputs) {
  // A power keeps the type of its base; the exponent may be of any other number type.
  if (op.fn != BinaryFn::Pow) CAMBIUM_REQUIRE(require_same_dtype(inputs));
  for (std::size_t i = 0; i < 2; ++i) {
    const std::string what = fmt::format("input {}", i);
    if (is_logical(op.fn)) {
      if (inputs[i].dtype != DType::Bool) {
        return bad_type(what, fmt::format("is {}, must be bool", name_of(inputs[i].dtype)));
      }
    } else if (op.fn != BinaryFn::Equal) {
      CAMBIUM_REQUIRE(require_number(what, inputs[i]));
    }
  }
  CAMBIUM_TRY(Ints dims, broadcast(inputs[0].dims, inputs[1].dims));
  const bool gives_bool = is_comparison(op.fn) || is_logical(op.fn);
  return std::vector<TensorType>{{gives_bool ? DType::Bool : inputs[0].dtype, std::move(dims)}};
}

Inferred rule(const Where&, Types inputs) {
  if (inputs[0].dtype != DType::Bool) {
    return bad_type("condition", fmt::format("is {}, must be bool", name_of(inputs[0].dtype)));
  }
  CAMBIUM_REQUIRE(require_same_dtype(inputs.subspan(1)));
  CAMBIUM_TRY(const Ints values, broadcast(inputs[1].dims, inputs[2].dims));
  CAMBIUM_TRY(Ints dims, broadcast(inputs[0].dims, values));
  return std::vector<TensorType>{{inputs[1].dtype, std::move(dims)}};
}

Inferred rule(const Cast& op, Types inputs) {
  return std::vector<TensorType>{{op.to, inputs[0].dims}};
}

Inferred rule(const Softmax& op, Types inputs) {
  return floating_along(op.axis, inputs[0]);
}

Inferred rule(const LogSoftmax& op, Types inputs) {
  return floating_along(op.axis, inputs[0]);
}

}  // namespace cambium::model::infer_rules
