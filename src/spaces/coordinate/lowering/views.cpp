#include "spaces/coordinate/lowering/views.h"

#include <algorithm>

#include "spaces/coordinate/lowering/digits.h"

namespace cambium::spaces::coordinate {

namespace {

using model::Ints;
using model::Value;

// The most entries of a table of places, which the model holds.
constexpr std::int64_t kMostPlaces = 1 << 24;
constexpr const char* kTable = "the number of entries of a table";

auto place(std::size_t axis) {
  return static_cast<std::ptrdiff_t>(axis);
}

}  // namespace

bool Views::has(CoordinateIndex c) const {
  return std::find(axes_.begin(), axes_.end(), c) != axes_.end();
}

void Views::lower_to(const Loops& loops) {
  // Only weights have such axes, because the data consumes each coordinate once. Steps that shrink
  // the tensor come first.
  const auto growth = [this](const Entangled& group) {
    double factor = 1;
    for (const CoordinateIndex c : group.loops) factor *= static_cast<double>(extents_->of(c));
    for (const std::size_t a : group.axes) factor /= static_cast<double>(extents_->of(axes_[a]));
    return factor;
  };
  for (auto groups = entangled_axes(*op_, axes_, loops); !groups.empty();
       groups = entangled_axes(*op_, axes_, loops)) {
    read_at(*std::min_element(
                groups.begin(), groups.end(),
                [&](const Entangled& a, const Entangled& b) { return growth(a) < growth(b); }),
            loops);
  }
  for (std::size_t axis = 0; axis < axes_.size();) {
    if (loops.has(axes_[axis])) {
      ++axis;
    } else if (loops.cuts(axes_[axis])) {
      const auto [high, low] = loops.halves[place_of(axes_[axis])];
      split(axis, high, low);
    } else if (waits(axis)) {
      ++axis;
    } else {
      lower(axis, loops);
      axis = 0;  // what was lowered may have moved the axes before it
    }
  }
}

// Checked before the table is made, because it may not fit into memory.
bool Views::can_hold_table(double entries, const char* what) {
  if (entries <= static_cast<double>(kMostPlaces)) return true;
  builder_->refuse(Rejection(Reason::SizeOutOfRange, what, "",
                             static_cast<std::int64_t>(std::min(entries, 9e18)), 1, kMostPlaces));
  return false;
}

// Entangled axes, which move to the end, become their loops.
void Views::read_at(const Entangled& group, const Loops& loops) {
  std::vector<CoordinateIndex> kept, read;
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
    const bool is_read = std::find(group.axes.begin(), group.axes.end(), axis) != group.axes.end();
    (is_read ? read : kept).push_back(axes_[axis]);
  }
  std::vector<CoordinateIndex> order = kept;
  order.insert(order.end(), read.begin(), read.end());
  transpose_to(order);
  Ints dims, into;
  double points = 1;
  for (const CoordinateIndex c : kept) dims.push_back(extents_->of(c));
  for (const CoordinateIndex c : group.loops) {
    into.push_back(extents_->of(c));
    points *= static_cast<double>(into.back());
  }
  if (!can_hold_table(points, "the number of points at which axes of a weight meet")) {
    axes_ = kept;
    axes_.insert(axes_.end(), group.loops.begin(), group.loops.end());
    return;
  }
  dims.push_back(1);
  for (const CoordinateIndex c : read) dims.back() *= extents_->of(c);
  const std::int64_t outside = dims.back();
  value_ = builder_->add(model::Reshape{std::move(dims)}, {value_});
  axes_ = kept;
  axes_.push_back(kNoCoordinate);
  if (auto steps = steps_at(read, group.loops, *extents_, loops)) {
    value_ = gathered(kept.size(), model::Tensor::stepped(std::move(into), std::move(*steps)));
  } else {
    const std::vector<std::int64_t> from = places_at(read, group.loops, *extents_, loops);
    // Places outside read a zero behind the other elements.
    if (std::find(from.begin(), from.end(), outside) != from.end()) pad(kept.size(), 0, 1);
    value_ = gathered(kept.size(), model::Tensor::of(std::move(into), from));
  }
  axes_ = std::move(kept);
  axes_.insert(axes_.end(), group.loops.begin(), group.loops.end());
}

void Views::lower(std::size_t axis, const Loops& loops) {
  const Coordinate& it = op_->coordinates[place_of(axes_[axis])];
  switch (it.kind) {
    case CoordinateKind::Split: return split(axis, it.first, it.second);
    case CoordinateKind::MergeHigh:
    case CoordinateKind::MergeLow: return merge(it);
    case CoordinateKind::Shift: return shift(axis, it);
    case CoordinateKind::Unfold: return unfold(axis, it, loops);
    case CoordinateKind::Stride: {
      const std::int64_t step = extents_->parameter(axes_[axis]);
      value_ = sliced(axis, 0, extents_->of(it.first), step);
      axes_[axis] = it.first;
      return;
    }
    case CoordinateKind::Output:
    case CoordinateKind::Reduce: break;
  }
  CAMBIUM_CHECK(false, "an output or a reduction that is no loop of its stage");
}

void Views::split(std::size_t axis, CoordinateIndex first, CoordinateIndex second) {
  std::vector<CoordinateIndex> axes = axes_;
  axes[axis] = first;
  axes.insert(axes.begin() + place(axis) + 1, second);
  reshape_to(std::move(axes));
}

std::array<CoordinateIndex, 2> Views::halves_of(CoordinateIndex whole) const {
  std::array<CoordinateIndex, 2> out{kNoCoordinate, kNoCoordinate};
  for (std::size_t c = 0; c < op_->coordinates.size(); ++c) {
    const Coordinate& it = op_->coordinates[c];
    if (it.first != whole) continue;
    if (it.kind == CoordinateKind::MergeHigh) out[0] = static_cast<CoordinateIndex>(c);
    if (it.kind == CoordinateKind::MergeLow) out[1] = static_cast<CoordinateIndex>(c);
  }
  return out;
}

// Whether the axis is a half of a MERGE and another axis will become the other half.
bool Views::waits(std::size_t axis) const {
  const Coordinate& it = op_->coordinates[place_of(axes_[axis])];
  if (it.kind != CoordinateKind::MergeHigh && it.kind != CoordinateKind::MergeLow) return false;
  const auto [high, low] = halves_of(it.first);
  const CoordinateIndex other = axes_[axis] == high ? low : high;
  return !has(other) && std::any_of(axes_.begin(), axes_.end(), [this, part = other](auto c) {
    return is_made_of(*op_, c, part);
  });
}

void Views::merge(const Coordinate& it) {
  const CoordinateIndex whole = it.first;
  const auto [high, low] = halves_of(whole);
  // A tensor with only one half is the same for all values of the other.
  for (const CoordinateIndex half : {high, low}) {
    if (!has(half)) repeat(half);
  }
  std::vector<CoordinateIndex> order = axes_;
  order.erase(std::find(order.begin(), order.end(), low));
  order.insert(std::find(order.begin(), order.end(), high) + 1, low);
  transpose_to(order);
  order.erase(std::find(order.begin(), order.end(), low));
  *std::find(order.begin(), order.end(), high) = whole;
  reshape_to(std::move(order));
}

void Views::shift(std::size_t axis, const Coordinate& it) {
  const std::int64_t extent = extents_->of(it.first);
  axes_[axis] = it.first;
  if (extent == 1 || !can_hold_table(static_cast<double>(extent), kTable)) return;
  std::vector<std::int64_t> from;
  for (std::int64_t i = 0; i < extent; ++i) from.push_back((i + 1) % extent);
  value_ = gathered(axis, model::Tensor::of(Ints{extent}, from));
}

// STRIDEs below are part of the window, so the elements that they skip are never made.
void Views::unfold(std::size_t axis, const Coordinate& it, const Loops& loops) {
  const auto through_stride = [&](CoordinateIndex c, std::int64_t& step) {
    const Coordinate& operand = op_->coordinates[place_of(c)];
    if (operand.kind != CoordinateKind::Stride || loops.has(c)) return c;
    step = extents_->parameter(c);
    return operand.first;
  };
  std::int64_t stride = 1, dilation = 1;
  const std::int64_t extent = extents_->of(axes_[axis]);
  const std::int64_t centre = extents_->parameter(axes_[axis]);
  const CoordinateIndex base = through_stride(it.first, stride);
  const CoordinateIndex window = through_stride(it.second, dilation);
  const std::int64_t places = extents_->of(base), kernel = extents_->of(window);
  const std::int64_t last = stride * (places - 1) + dilation * (kernel - 1) - centre;
  pad(axis, centre, std::max<std::int64_t>(0, last + 1 - extent));
  axes_[axis] = base;
  axes_.insert(axes_.begin() + place(axis) + 1, window);
  if (kernel > kMostSlices) {
    if (!can_hold_table(static_cast<double>(places) * static_cast<double>(kernel), kTable)) return;
    std::vector<std::int64_t> from;
    for (std::int64_t i = 0; i < places; ++i) {
      for (std::int64_t k = 0; k < kernel; ++k) from.push_back(i * stride + k * dilation);
    }
    value_ = gathered(axis, model::Tensor::of(Ints{places, kernel}, from));
    return;
  }
  Ints dims;
  for (const CoordinateIndex c : axes_) dims.push_back(extents_->of(c));
  dims[axis + 1] = 1;
  std::vector<Value> pieces;
  for (std::int64_t k = 0; k < kernel; ++k) {
    const Value piece = sliced(axis, k * dilation, places, stride);
    pieces.push_back(builder_->add(model::Reshape{dims}, {piece}));
  }
  value_ = kernel == 1 ? pieces[0]
                       : builder_->add(model::Concat{static_cast<std::int64_t>(axis) + 1}, pieces);
}

void Views::pad(std::size_t axis, std::int64_t before, std::int64_t after) {
  if (before == 0 && after == 0) return;
  model::Pad op{model::PadMode::Constant, Ints(2 * axes_.size(), 0), 0};
  op.pads[axis] = before;
  op.pads[axis + axes_.size()] = after;
  value_ = builder_->add(std::move(op), {value_});
}

Value Views::sliced(std::size_t axis, std::int64_t start, std::int64_t extent, std::int64_t step) {
  const Ints& dims = builder_->type(value_).dims;
  if (!builder_->ok() || (start == 0 && step == 1 && dims[axis] == extent)) return value_;
  model::Slice op{Ints(dims.size(), 0), dims, Ints(dims.size(), 1)};
  op.starts[axis] = start;
  op.extents[axis] = extent;
  op.steps[axis] = step;
  return builder_->add(std::move(op), {value_});
}

Value Views::gathered(std::size_t axis, model::Tensor places) {
  const Value indices = builder_->weight("indices", std::move(places));
  return builder_->add(model::Gather{static_cast<std::int64_t>(axis)}, {value_, indices});
}

void Views::repeat(CoordinateIndex c) {
  axes_.push_back(c);
  Ints dims = builder_->type(value_).dims;
  dims.push_back(1);
  value_ = builder_->add(model::Reshape{dims}, {value_});
  if (extents_->of(c) == 1) return;
  dims.back() = extents_->of(c);
  value_ = builder_->add(model::Expand{std::move(dims)}, {value_});
}

void Views::reduce(model::ReduceFn fn, const std::vector<CoordinateIndex>& over) {
  Ints axes;
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
    if (std::find(over.begin(), over.end(), axes_[axis]) == over.end()) continue;
    axes.push_back(static_cast<std::int64_t>(axis));
  }
  if (axes.empty()) return;
  for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) axes_.erase(axes_.begin() + *axis);
  value_ = builder_->add(model::Reduce{fn, std::move(axes), false}, {value_});
}

void Views::transpose_to(const std::vector<CoordinateIndex>& axes) {
  if (axes == axes_) return;
  Ints perm;
  for (const CoordinateIndex c : axes) {
    perm.push_back(std::find(axes_.begin(), axes_.end(), c) - axes_.begin());
  }
  axes_ = axes;
  value_ = builder_->add(model::Transpose{std::move(perm)}, {value_});
}

void Views::resize(const std::vector<std::int64_t>& extents) {
  if (!builder_->ok()) return;
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    pad(axis, 0, std::max<std::int64_t>(0, extents[axis] - builder_->type(value_).dims[axis]));
    value_ = sliced(axis, 0, extents[axis], 1);
  }
}

void Views::reshape_to(std::vector<CoordinateIndex> axes) {
  if (axes == axes_) return;
  axes_ = std::move(axes);
  Ints dims;
  for (const CoordinateIndex c : axes_) dims.push_back(extents_->of(c));
  value_ = builder_->add(model::Reshape{std::move(dims)}, {value_});
}

}  // namespace cambium::spaces::coordinate
