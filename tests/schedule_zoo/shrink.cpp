#include "shrink.h"

#include <algorithm>
#include <cstddef>

#include "model/infer.h"

namespace cambium {
namespace {

using model::Ints;
using model::TensorType;

// Equal sizes stay equal and 1 stays 1, so whatever broadcast or matched before still does. Odd
// sizes stay odd, because tails are where schedules go wrong.
std::int64_t fewer(std::int64_t size, std::int64_t most) {
  return size <= most ? size : most - (size + most) % 2;
}

constexpr std::int64_t kChannels = 6, kAny = 8;

class Shrinker {
 public:
  explicit Shrinker(std::span<const TensorType> inputs) : in_(inputs.begin(), inputs.end()) {}

  std::vector<TensorType> inputs() && { return std::move(in_); }

  // Rows, columns, channels, tokens: all sizes alike.
  template <class Other>
  void operator()(Other&) {
    for (TensorType& type : in_) all(type.dims);
  }
  void operator()(model::Conv& op) {
    Ints& x = in_[0].dims;
    Ints& w = in_[1].dims;
    const std::int64_t groups = op.groups;
    const std::int64_t in_group = fewer(w[1], groups == 1 ? kChannels : 2);
    const std::int64_t out_group = fewer(w[0] / groups, groups == 1 ? kChannels : 2);
    op.groups = fewer(groups, kChannels);
    w[0] = op.groups * out_group;
    w[1] = in_group;
    x[1] = op.groups * in_group;
    pixels(x, Ints(w.begin() + 2, w.end()), op.strides, op.pads, op.dilations);
    if (in_.size() > 2) in_[2].dims[0] = w[0];
  }
  void operator()(model::Pool& op) {
    Ints& x = in_[0].dims;
    x[1] = fewer(x[1], kChannels);
    pixels(x, op.kernel, op.strides, op.pads, op.dilations);
  }
  void operator()(model::Expand& op) {
    all(in_[0].dims);
    all(op.dims);
  }
  void operator()(model::Split& op) {
    Ints& x = in_[0].dims;
    all(x);
    all(op.sizes);
    const std::size_t axis = static_cast<std::size_t>(op.axis);
    x[axis] = 0;
    for (const std::int64_t size : op.sizes) x[axis] += size;
  }
  void operator()(model::Slice& op) {
    Ints& x = in_[0].dims;
    for (std::size_t d = 0; d < x.size(); ++d) {
      const std::int64_t before = x[d], after = fewer(before, kAny);
      if (op.steps[d] != 1) continue;
      op.extents[d] = std::max<std::int64_t>(op.extents[d] * after / before, 1);
      op.starts[d] = std::min(op.starts[d] * after / before, after - op.extents[d]);
      x[d] = after;
    }
  }
  // The shortest runs of dimensions with the same number of elements on both sides: of each, one
  // side is a single dimension (a split or a merge), and the other side says how large it is.
  void operator()(model::Reshape& op) {
    Ints& x = in_[0].dims;
    Ints& y = op.dims;
    std::size_t i = 0, j = 0;
    while (i < x.size() && j < y.size()) {
      std::size_t last_i = i, last_j = j;
      std::int64_t left = x[i], right = y[j];
      while (left != right) {
        if (left < right) {
          left *= x[++last_i];
        } else {
          right *= y[++last_j];
        }
      }
      if (last_j == j) {
        y[j] = run(x, i, last_i);
      } else if (last_i == i) {
        x[i] = run(y, j, last_j);
      }
      i = last_i + 1;
      j = last_j + 1;
    }
  }

 private:
  static void all(Ints& dims) {
    for (std::int64_t& size : dims) size = fewer(size, kAny);
  }
  // Shrinks dims[first..last] and gives their product.
  static std::int64_t run(Ints& dims, std::size_t first, std::size_t last) {
    std::int64_t product = 1;
    for (std::size_t i = first; i <= last; ++i) {
      dims[i] = fewer(dims[i], first == last ? kAny : 4);
      product *= dims[i];
    }
    return product;
  }
  // Three places for the window or so, and the rest that the last one leaves.
  static void pixels(Ints& x, const Ints& kernel, const Ints& strides, const Ints& pads,
                     const Ints& dilations) {
    x[0] = fewer(x[0], 2);
    const std::size_t axes = kernel.size();
    for (std::size_t a = 0; a < axes; ++a) {
      const std::int64_t window = (kernel[a] - 1) * dilations[a] + 1 - pads[a] - pads[a + axes];
      const std::int64_t rest = (x[a + 2] - window) % strides[a];
      const std::int64_t places = kernel[a] > 7 ? 1 : 2;
      x[a + 2] = std::min(x[a + 2], std::max<std::int64_t>(window, 1) + places * strides[a] +
                                        std::max<std::int64_t>(rest, 0));
    }
  }

  std::vector<TensorType> in_;
};

}  // namespace

Result<Shrunk> shrink(const model::Op& op, std::span<const TensorType> inputs) {
  Shrunk shrunk{op, {}};
  Shrinker shrinker(inputs);
  std::visit(shrinker, shrunk.op);
  shrunk.inputs = std::move(shrinker).inputs();
  CAMBIUM_REQUIRE(model::infer(shrunk.op, shrunk.inputs));
  return shrunk;
}

}  // namespace cambium
