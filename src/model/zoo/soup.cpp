#include "model/zoo/soup.h"

#include <utility>

namespace cambium::model::zoo {

Value Soup::weight(Ints dims) {
  TensorType type{DType::F32, std::move(dims)};
  if (weights_ == Weights::Inputs) return builder_.input("w", std::move(type));
  return builder_.weight("w", Tensor::lazy(std::move(type), {Fill::Law::Normal, 1, ++seed_}));
}

Value Soup::pad(Value x, std::size_t axis, std::int64_t before, std::int64_t after, double fill) {
  if (before == 0 && after == 0) return x;
  const std::size_t rank = dims(x).size();
  Pad op{PadMode::Constant, Ints(2 * rank, 0), fill};
  op.pads[axis] = before;
  op.pads[axis + rank] = after;
  return builder_.add(op, {x});
}

Value Soup::slice(Value x, std::size_t axis, std::int64_t start, std::int64_t extent,
                  std::int64_t step) {
  Slice op{Ints(dims(x).size(), 0), dims(x), Ints(dims(x).size(), 1)};
  op.starts[axis] = start;
  op.extents[axis] = extent;
  op.steps[axis] = step;
  return builder_.add(op, {x});
}

Value Soup::indices(Ints of, const std::vector<std::int64_t>& values) {
  return builder_.weight("indices", Tensor::of<std::int64_t>(std::move(of), values));
}

Value Soup::unfold(Value x, const SoupWindow& w, Unfolding how, double fill) {
  x = pad(x, w.axis, w.before, w.after, fill);
  const std::int64_t places = (dims(x)[w.axis] - w.dilation * (w.kernel - 1) - 1) / w.stride + 1;
  if (how == Unfolding::Gather) {
    std::vector<std::int64_t> at;
    for (std::int64_t k = 0; k < w.kernel; ++k) {
      for (std::int64_t i = 0; i < places; ++i) at.push_back(k * w.dilation + i * w.stride);
    }
    return builder_.add(Gather{static_cast<std::int64_t>(w.axis)},
                        {x, indices({w.kernel, places}, at)});
  }
  std::vector<Value> pieces;
  for (std::int64_t k = 0; k < w.kernel; ++k) {
    const Value piece = slice(x, w.axis, k * w.dilation, places, w.stride);
    Ints with_kernel = dims(piece);
    with_kernel.insert(with_kernel.begin() + static_cast<std::ptrdiff_t>(w.axis), 1);
    pieces.push_back(reshape(piece, with_kernel));
  }
  return concat(w.axis, pieces);
}

Value Soup::columns(Value x, std::int64_t kernel, std::int64_t stride, std::int64_t dilation,
                    Unfolding how) {
  const std::int64_t around = dilation * (kernel - 1) / 2;
  x = unfold(x, {2, kernel, stride, dilation, around, around}, how);
  return unfold(x, {4, kernel, stride, dilation, around, around}, how);
}

Value Soup::roll(Value x, std::size_t axis, std::int64_t by) {
  std::vector<std::int64_t> at;
  const std::int64_t extent = dims(x)[axis];
  for (std::int64_t j = 0; j < extent; ++j) at.push_back((j + by) % extent);
  return builder_.add(Gather{static_cast<std::int64_t>(axis)}, {x, indices({extent}, at)});
}

Model Soup::done(Value y) {
  builder_.output("y", y);
  return std::move(builder_).finish().value();
}

}  // namespace cambium::model::zoo
