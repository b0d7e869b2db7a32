// Operators that move elements as PyTorch code.
#include <algorithm>
#include <numeric>

#include "base/text.h"
#include "model/pytorch/node_text.h"
#include "model/reference/execute.h"

namespace cambium::model::pytorch {

namespace {

// The elements of one axis at these places.
std::string taken(const std::string& x, std::size_t axis, const Ints& places) {
  std::string index = "[";
  for (std::size_t i = 0; i < axis; ++i) index += ":, ";
  const bool run = std::adjacent_find(places.begin(), places.end(),
                                      [](auto a, auto b) { return b != a + 1; }) == places.end();
  if (run && !places.empty()) {
    return x + index + std::to_string(places.front()) + ":" + std::to_string(places.back() + 1) +
           "]";
  }
  return x + index + list(places) + "]";
}

// Where the elements of a padded axis come from; none where they do not come from the axis.
Ints padded_places(PadMode mode, std::int64_t extent, std::int64_t begin, std::int64_t end) {
  Ints places;
  for (std::int64_t i = -begin; i < extent + end; ++i) {
    std::int64_t at = i;
    if (mode == PadMode::Edge || extent == 1) {
      at = std::clamp<std::int64_t>(i, 0, extent - 1);
    } else {
      const std::int64_t period = 2 * (extent - 1);
      at = ((i % period) + period) % period;
      at = std::min(at, period - at);
    }
    places.push_back(at);
  }
  return places;
}

}  // namespace

Text emit(const Concat& op, NodeText& t) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < t.count(); ++i) parts.push_back(t.in(i));
  return "torch.cat([" + join(parts, ", ") + "], dim=" + std::to_string(op.axis) + ")";
}

Text emit(const Split& op, NodeText& t) {
  return "torch.split(" + t.in(0) + ", " + list(op.sizes) + ", dim=" + std::to_string(op.axis) +
         ")";
}

Text emit(const Slice& op, NodeText& t) {
  const Ints& dims = t.type(0).dims;
  Ints flipped;
  std::vector<std::string> parts;
  std::size_t needed = 0;  // axes behind the last that is cut need no mention
  for (std::size_t i = 0; i < dims.size(); ++i) {
    std::int64_t start = op.starts[i], step = op.steps[i];
    if (op.starts[i] == 0 && op.extents[i] == dims[i] && step == 1) {
      parts.emplace_back(":");
      continue;
    }
    if (step < 0) {
      flipped.push_back(static_cast<std::int64_t>(i));
      start = dims[i] - 1 - start;
      step = -step;
    }
    const std::int64_t end = op.extents[i] == 0 ? start : start + (op.extents[i] - 1) * step + 1;
    parts.push_back(std::to_string(start) + ":" + std::to_string(end) +
                    (step == 1 ? "" : ":" + std::to_string(step)));
    needed = i + 1;
  }
  parts.resize(needed);
  const std::string x = t.in(0) + (flipped.empty() ? "" : ".flip(" + list(flipped) + ")");
  return parts.empty() ? x : x + "[" + join(parts, ", ") + "]";
}

Text emit(const Gather& op, NodeText& t) {
  std::string index;
  for (std::int64_t i = 0; i < op.axis; ++i) index += ":, ";
  const std::string places = t.type(1).dtype == DType::I64 ? t.in(1) : t.in(1) + ".long()";
  return t.in(0) + "[" + index + places + "]";
}

Text emit(const Reshape& op, NodeText& t) {
  return t.in(0) + ".reshape(" +
         (op.dims.empty() ? "()" : arguments(t.dims_for_any_batch(op.dims))) + ")";
}

Text emit(const Transpose& op, NodeText& t) {
  return op.perm.empty() ? t.in(0) : t.in(0) + ".permute(" + arguments(op.perm) + ")";
}

Text emit(const Expand& op, NodeText& t) {
  return op.dims.empty() ? t.in(0)
                         : t.in(0) + ".expand(" + arguments(t.dims_for_any_batch(op.dims)) + ")";
}

Text emit(const Tile& op, NodeText& t) {
  return op.repeats.empty() ? t.in(0) : t.in(0) + ".repeat(" + arguments(op.repeats) + ")";
}

Text emit(const Pad& op, NodeText& t) {
  const Ints& dims = t.type(0).dims;
  if (op.mode == PadMode::Constant) {
    const DType dtype = t.type(0).dtype;
    const bool zero = op.value == 0;
    if (dtype == DType::Bool && !zero) return pad_call(t.in(0), op.pads, "True");
    const std::string value =
        is_integer(dtype) ? std::to_string(static_cast<std::int64_t>(op.value)) : number(op.value);
    return pad_call(t.in(0), op.pads, zero ? "" : value);
  }
  std::string x = t.in(0);
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    const std::int64_t begin = op.pads[axis], end = op.pads[axis + dims.size()];
    if (begin == 0 && end == 0) continue;
    x = taken(x, axis, padded_places(op.mode, dims[axis], begin, end));
  }
  return x;
}

Text emit(const Resize& op, NodeText& t) {
  std::string x = t.in(0);
  for (std::size_t axis = 0; axis < op.sizes.size(); ++axis) {
    // What the operator does to places along one axis says where elements come from.
    Ints places(static_cast<std::size_t>(t.type(0).dims[axis]));
    std::iota(places.begin(), places.end(), 0);
    const Tensor before = Tensor::of<std::int64_t>({std::ssize(places)}, places);
    const Resize along{{op.sizes[axis]}, {op.scales[axis]}, op.coordinates, op.rounding};
    CAMBIUM_TRY(const std::vector<Tensor> after, execute(along, {&before, 1}));
    const Ints from = after[0].to_ints();
    if (from != places) x = taken(x, axis, from);
  }
  return x;
}

Text emit(const DepthToSpace& op, NodeText& t) {
  const std::int64_t b = op.block;
  if (op.column_row_depth) {
    return "F.pixel_shuffle(" + t.in(0) + ", " + std::to_string(b) + ")";
  }
  const Ints &in = t.type(0).dims, &out = t.out().dims;
  return t.in(0) + ".reshape(" +
         arguments(t.dims_for_any_batch({in[0], b, b, out[1], in[2], in[3]})) +
         ").permute(0, 3, 4, 1, 5, 2).reshape(" + arguments(t.dims_for_any_batch(out)) + ")";
}

Text emit(const SpaceToDepth& op, NodeText& t) {
  const std::int64_t b = op.block;
  const Ints &in = t.type(0).dims, &out = t.out().dims;
  return t.in(0) + ".reshape(" +
         arguments(t.dims_for_any_batch({in[0], in[1], out[2], b, out[3], b})) +
         ").permute(0, 3, 5, 1, 2, 4).reshape(" + arguments(t.dims_for_any_batch(out)) + ")";
}

}  // namespace cambium::model::pytorch
