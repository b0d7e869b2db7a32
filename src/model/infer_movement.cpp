// Types of the operators that move elements and compute nothing.
#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "model/infer_rules.h"

namespace cambium::model::infer_rules {

namespace {

Inferred one(DType dtype, Ints dims) {
  return std::vector<TensorType>{{dtype, std::move(dims)}};
}

Status require_one_of(std::string_view attribute, const std::string& value,
                      std::span<const std::string_view> known) {
  if (std::find(known.begin(), known.end(), value) != known.end()) return Ok{};
  return bad_attribute(attribute, fmt::format("'{}' is not supported", value));
}

}  // namespace

Inferred rule(const Concat& op, Types inputs) {
  const TensorType& first = inputs[0];
  CAMBIUM_REQUIRE(require_same_dtype(inputs));
  CAMBIUM_REQUIRE(require_axis(op.axis, first.rank()));
  const auto axis = static_cast<std::size_t>(op.axis);
  Wide total = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    Ints dims = inputs[i].dims;
    if (dims.size() == first.dims.size()) {
      total += dims[axis];
      dims[axis] = first.dims[axis];
    }
    if (dims != first.dims) {
      return bad_shape(fmt::format("input {}", i),
                       fmt::format("{} cannot be joined to {} along axis {}", inputs[i].text(),
                                   first.text(), op.axis));
    }
  }
  Ints dims = first.dims;
  CAMBIUM_TRY(dims[axis], narrowed(total));
  return one(first.dtype, std::move(dims));
}

Inferred rule(const Split& op, Types inputs) {
  const TensorType& x = inputs[0];
  CAMBIUM_REQUIRE(require_axis(op.axis, x.rank()));
  if (op.sizes.empty()) return bad_attribute("sizes", "is empty");
  const auto axis = static_cast<std::size_t>(op.axis);
  std::vector<TensorType> out;
  Wide total = 0;
  for (const std::int64_t size : op.sizes) {
    if (size < 0) return bad_attribute("sizes", fmt::format("{} is less than 0", size));
    total += size;
    out.push_back(x);
    out.back().dims[axis] = size;
  }
  if (total != x.dims[axis]) {
    return bad_attribute("sizes", fmt::format("{} do not add up to axis {} of {}",
                                              text_of(op.sizes), op.axis, x.text()));
  }
  return out;
}

Inferred rule(const Slice& op, Types inputs) {
  const TensorType& x = inputs[0];
  constexpr std::int64_t kLowest = -kMaxTensorBytes;
  CAMBIUM_REQUIRE(require_each("starts", op.starts, x.rank(), kLowest));
  CAMBIUM_REQUIRE(require_each("extents", op.extents, x.rank(), 0));
  CAMBIUM_REQUIRE(require_each("steps", op.steps, x.rank(), kLowest));
  for (std::size_t i = 0; i < x.dims.size(); ++i) {
    if (op.steps[i] == 0) return bad_attribute("steps", "a step must not be 0");
    if (op.extents[i] == 0) continue;
    const Wide last = op.starts[i] + Wide{op.extents[i] - 1} * op.steps[i];
    if (op.starts[i] < 0 || op.starts[i] >= x.dims[i] || last < 0 || last >= x.dims[i]) {
      return bad_attribute("starts",
                           fmt::format("{} + {} steps of {} leaves axis {} of {}", op.starts[i],
                                       op.extents[i] - 1, op.steps[i], i, x.text()));
    }
  }
  return one(x.dtype, op.extents);
}

Inferred rule(const Gather& op, Types inputs) {
  const TensorType& data = inputs[0];
  const TensorType& indices = inputs[1];
  CAMBIUM_REQUIRE(require_axis(op.axis, data.rank()));
  if (indices.dtype != DType::I32 && indices.dtype != DType::I64) {
    return bad_type("indices", fmt::format("are {}, must be i32 or i64", name_of(indices.dtype)));
  }
  Ints dims(data.dims.begin(), data.dims.begin() + op.axis);
  dims.insert(dims.end(), indices.dims.begin(), indices.dims.end());
  dims.insert(dims.end(), data.dims.begin() + op.axis + 1, data.dims.end());
  return one(data.dtype, std::move(dims));
}

Inferred rule(const Reshape& op, Types inputs) {
  TensorType out{inputs[0].dtype, op.dims};
  CAMBIUM_REQUIRE(check_type(out));  // before its elements are counted
  if (out.elements() != inputs[0].elements()) {
    return bad_attribute(
        "dims", fmt::format("{} holds {} elements, {} holds {}", text_of(op.dims), out.elements(),
                            inputs[0].text(), inputs[0].elements()));
  }
  return std::vector<TensorType>{std::move(out)};
}

Inferred rule(const Transpose& op, Types inputs) {
  const TensorType& x = inputs[0];
  CAMBIUM_REQUIRE(require_each("perm", op.perm, x.rank(), 0));
  Ints dims;
  std::vector<bool> seen(op.perm.size());
  for (const std::int64_t axis : op.perm) {
    if (axis >= x.rank() || seen[static_cast<std::size_t>(axis)]) {
      return bad_attribute("perm", fmt::format("{} is not a permutation", text_of(op.perm)));
    }
    seen[static_cast<std::size_t>(axis)] = true;
    dims.push_back(x.dims[static_cast<std::size_t>(axis)]);
  }
  return one(x.dtype, std::move(dims));
}

Inferred rule(const Expand& op, Types inputs) {
  if (!broadcasts_to(inputs[0].dims, op.dims)) {
    return bad_attribute(
        "dims", fmt::format("{} does not broadcast to {}", inputs[0].text(), text_of(op.dims)));
  }
  return one(inputs[0].dtype, op.dims);
}

Inferred rule(const Tile& op, Types inputs) {
  const TensorType& x = inputs[0];
  CAMBIUM_REQUIRE(require_each("repeats", op.repeats, x.rank(), 0));
  Ints dims;
  for (std::size_t i = 0; i < x.dims.size(); ++i) {
    CAMBIUM_TRY(const std::int64_t dim, narrowed(Wide{x.dims[i]} * op.repeats[i]));
    dims.push_back(dim);
  }
  return one(x.dtype, std::move(dims));
}

Inferred rule(const Pad& op, Types inputs) {
  const TensorType& x = inputs[0];
  constexpr std::int64_t kLowest = -kMaxTensorBytes;
  CAMBIUM_REQUIRE(require_each("pads", op.pads, 2 * x.rank(), kLowest));
  Ints dims;
  for (std::size_t i = 0; i < x.dims.size(); ++i) {
    const std::int64_t begin = op.pads[i], end = op.pads[i + x.dims.size()];
    const std::int64_t most = std::max(begin, end);
    if ((op.mode == PadMode::Reflect && most > 0 && most >= x.dims[i]) ||
        (op.mode == PadMode::Edge && most > 0 && x.dims[i] == 0)) {
      return bad_attribute("pads", fmt::format("axis {} of {} is too short for {} by {}", i,
                                               x.text(), name_of(op.mode), most));
    }
    const Wide size = Wide{x.dims[i]} + begin + end;
    if (size < 0) {
      return bad_attribute(
          "pads", fmt::format("{} and {} crop more than axis {} of {}", begin, end, i, x.text()));
    }
    CAMBIUM_TRY(const std::int64_t dim, narrowed(size));
    dims.push_back(dim);
  }
  return one(x.dtype, std::move(dims));
}

Inferred rule(const Resize& op, Types inputs) {
  static constexpr std::array<std::string_view, 5> kCoordinates = {
      "half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric", "half_pixel_symmetric"};
  static constexpr std::array<std::string_view, 4> kRoundings = {
      "round_prefer_floor", "round_prefer_ceil", "floor", "ceil"};
  const TensorType& x = inputs[0];
  CAMBIUM_REQUIRE(require_each("sizes", op.sizes, x.rank(), 0));
  CAMBIUM_REQUIRE(require_one_of("coordinates", op.coordinates, kCoordinates));
  CAMBIUM_REQUIRE(require_one_of("rounding", op.rounding, kRoundings));
  if (op.scales.size() != x.dims.size()) {
    return bad_attribute(
        "scales", fmt::format("has {} entries, must have {}", op.scales.size(), x.dims.size()));
  }
  for (std::size_t i = 0; i < x.dims.size(); ++i) {
    if (!(op.scales[i] > 0) || !std::isfinite(op.scales[i])) {
      return bad_attribute("scales", fmt::format("{} is not a positive number", op.scales[i]));
    }
    if (x.dims[i] == 0 && op.sizes[i] != 0) {
      return bad_attribute("sizes", fmt::format("axis {} of {} is empty", i, x.text()));
    }
  }
  return one(x.dtype, op.sizes);
}

Inferred rule(const DepthToSpace& op, Types inputs) {
  const TensorType& x = inputs[0];
  CAMBIUM_REQUIRE(require_rank("input", x, 4, 4));
  const Wide square = Wide{op.block} * op.block;
  if (op.block < 1 || x.dims[1] % square != 0) {
    return bad_attribute("block", fmt::format("the square of {} does not divide the channels of {}",
                                              op.block, x.text()));
  }
  Ints dims = {x.dims[0], static_cast<std::int64_t>(x.dims[1] / square)};
  for (const std::size_t i : {2u, 3u}) {
    CAMBIUM_TRY(const std::int64_t dim, narrowed(Wide{x.dims[i]} * op.block));
    dims.push_back(dim);
  }
  return one(x.dtype, std::move(dims));
}

Inferred rule(const SpaceToDepth& op, Types inputs) {
  const TensorType& x = inputs[0];
  CAMBIUM_REQUIRE(require_rank("input", x, 4, 4));
  if (op.block < 1 || x.dims[2] % op.block != 0 || x.dims[3] % op.block != 0) {
    return bad_attribute(
        "block", fmt::format("{} does not divide the spatial axes of {}", op.block, x.text()));
  }
  CAMBIUM_TRY(const std::int64_t channels, narrowed(Wide{x.dims[1]} * op.block));
  CAMBIUM_TRY(const std::int64_t depth, narrowed(Wide{channels} * op.block));
  return one(x.dtype, {x.dims[0], depth, x.dims[2] / op.block, x.dims[3] / op.block});
}

}  // namespace cambium::model::infer_rules
