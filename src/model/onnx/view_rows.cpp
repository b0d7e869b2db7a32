// Operators that only change the view of a tensor: all of them are a Reshape.
#include <algorithm>

#include <fmt/core.h>

#include "model/onnx/rows.h"

namespace cambium::model::onnx_io {

namespace {

// 0 copies the dimension of the input (unless told otherwise), one -1 takes what is left.
Result<Ints> resolved(const Ints& wanted, const TensorType& x, bool zero_is_zero) {
  Ints dims = wanted;
  std::int64_t known = 1;
  std::optional<std::size_t> open;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == 0 && !zero_is_zero) {
      if (i >= x.dims.size())
        return bad_shape("shape",
                         fmt::format("entry {} is 0, but {} has no such axis", i, x.text()));
      dims[i] = x.dims[i];
    }
    if (dims[i] == -1) {
      if (open) return bad_shape("shape", "has more than one -1");
      open = i;
      continue;
    }
    if (dims[i] < 0 || (dims[i] > 0 && known > kMaxTensorBytes / dims[i])) {
      return bad_shape("shape", fmt::format("entry {} is {}", i, dims[i]));
    }
    known *= dims[i];
  }
  if (!open) return dims;
  if (known == 0 || x.elements() % known != 0) {
    return bad_shape("shape",
                     fmt::format("{} elements are not a multiple of {}", x.elements(), known));
  }
  dims[*open] = x.elements() / known;
  return dims;
}

Status reshape(NodeContext& n) {
  bool zero_is_zero = false;
  if (n.opset() >= 14) {
    CAMBIUM_TRY(zero_is_zero, n.flag_or("allowzero", false));
  }
  CAMBIUM_TRY(const Ints wanted, n.known_ints(1, "shape"));
  CAMBIUM_TRY(Ints dims, resolved(wanted, n.type(0), zero_is_zero));
  return n.give(Reshape{std::move(dims)}, {n.in(0)});
}

Status flatten(NodeContext& n) {
  const TensorType& x = n.type(0);
  CAMBIUM_TRY(std::int64_t axis, n.int_or("axis", 1));
  if (axis < -x.rank() || axis > x.rank()) {
    return bad_attribute("axis", fmt::format("{} is not an axis of {}", axis, x.text()));
  }
  if (axis < 0) axis += x.rank();
  Ints dims = {1, 1};
  for (std::int64_t i = 0; i < x.rank(); ++i) {
    dims[i < axis ? 0 : 1] *= x.dims[static_cast<std::size_t>(i)];
  }
  return n.give(Reshape{std::move(dims)}, {n.in(0)});
}

// Axes are an attribute until opset 12, an input later.
Result<std::optional<Ints>> axes_of(NodeContext& n) {
  if (n.opset() < 13) return n.maybe_ints("axes");
  if (!n.has(1)) return std::optional<Ints>();
  CAMBIUM_TRY(Ints axes, n.known_ints(1, "axes"));
  return std::optional<Ints>(std::move(axes));
}

Status squeeze(NodeContext& n) {
  const TensorType& x = n.type(0);
  CAMBIUM_TRY(const std::optional<Ints> axes, axes_of(n));
  std::vector<bool> gone(x.dims.size());
  for (std::size_t i = 0; i < x.dims.size(); ++i) gone[i] = !axes && x.dims[i] == 1;
  for (const std::int64_t raw : axes.value_or(Ints{})) {
    CAMBIUM_TRY(const std::int64_t axis, NodeContext::axis_in(raw, x.rank()));
    if (x.dims[static_cast<std::size_t>(axis)] != 1) {
      return bad_shape("input", fmt::format("axis {} of {} is not 1", axis, x.text()));
    }
    gone[static_cast<std::size_t>(axis)] = true;
  }
  Ints dims;
  for (std::size_t i = 0; i < x.dims.size(); ++i) {
    if (!gone[i]) dims.push_back(x.dims[i]);
  }
  return n.give(Reshape{std::move(dims)}, {n.in(0)});
}

Status unsqueeze(NodeContext& n) {
  const TensorType& x = n.type(0);
  CAMBIUM_TRY(const std::optional<Ints> axes, axes_of(n));
  if (!axes) return bad_attribute("axes", "is missing");
  const std::int64_t rank = x.rank() + static_cast<std::int64_t>(axes->size());
  if (rank > kMaxRank) return Rejection(Reason::RankTooHigh, rank, kMaxRank);
  std::vector<bool> fresh(static_cast<std::size_t>(rank));
  for (const std::int64_t raw : *axes) {
    CAMBIUM_TRY(const std::int64_t axis, NodeContext::axis_in(raw, rank));
    if (fresh[static_cast<std::size_t>(axis)]) return bad_attribute("axes", "names an axis twice");
    fresh[static_cast<std::size_t>(axis)] = true;
  }
  Ints dims;
  auto next = x.dims.begin();
  for (const bool one : fresh) dims.push_back(one ? 1 : *next++);
  return n.give(Reshape{std::move(dims)}, {n.in(0)});
}

constexpr Row kViewRows[] = {
    {"Reshape", 5, kAny, 2, 2, reshape},   {"Flatten", 1, kAny, 1, 1, flatten},
    {"Squeeze", 1, 12, 1, 1, squeeze},     {"Squeeze", 13, kAny, 1, 2, squeeze},
    {"Unsqueeze", 1, 12, 1, 1, unsqueeze}, {"Unsqueeze", 13, kAny, 2, 2, unsqueeze},
};

}  // namespace

std::span<const Row> view_rows() {
  return kViewRows;
}

}  // namespace cambium::model::onnx_io
