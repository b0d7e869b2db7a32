// Pool: the input with the neutral element around it in NAME.pad, then the maximum or the sum over
// the window. The place of a maximum is found in a second pass. A window with a NaN in it has some
// element of the window or the NaN as its maximum, depending on the order of the loops.
#include <algorithm>
#include <limits>
#include <numeric>

#include "lower/emit.h"

namespace cambium::lower {
namespace {

using P2 = program::BinaryFn;
using program::reduce;

std::int64_t ceil_div(std::int64_t a, std::int64_t b) {  // b > 0
  return a >= 0 ? (a + b - 1) / b : -(-a / b);
}
Ix ceil_div(Ix a, std::int64_t b) {
  return (a + (b - 1)) / b;
}

class Pooling {
 public:
  Pooling(const model::Pool& op, Site& site)
      : op_(op), site_(site), x_(site.in[0]), dims_(site.out[0].dims), rank_(op.kernel.size()) {
    Dims sizes = x_.dims;
    Dims begins(x_.dims.size());
    bool is_inside = true;
    for (std::size_t i = 0; i < rank_; ++i) {
      begins[i + 2] = op.pads[i];
      const std::int64_t reach =
          (dims_[i + 2] - 1) * op.strides[i] + (op.kernel[i] - 1) * op.dilations[i] + 1;
      sizes[i + 2] = std::max(reach, x_.dims[i + 2] + op.pads[i]);
      is_inside = is_inside && op.pads[i] == 0 && reach <= x_.dims[i + 2];
      taps_.push_back(reduce("k" + spatial_name(i, rank_), op.kernel[i]));
    }
    source_ = is_inside ? x_ : padded(site, x_, begins, sizes, fill());
  }

  void emit_maximum() {
    const bool has_indices = site_.out.size() > 1 && site_.out[1].is_used();
    const Place best = site_.out[0].is_used()
                           ? site_.out[0]
                           : site_.local("max", dims_, x_.dtype(), site_.out[0].order);
    site_.reduce(best, Combine::Maximum, plain_iterators(dims_), taps_,
                 [&](At its, At taps) { return source_.at(tap(its, taps)); });
    if (has_indices) emit_indices(best);
  }

  void emit_average() {
    const Place& out = site_.out[0];
    const Place sum = site_.local("sum", dims_, x_.value_dtype(), out.order);
    site_.reduce(sum, Combine::Sum, plain_iterators(dims_), taps_,
                 [&](At its, At taps) { return source_.at(tap(its, taps)); });
    site_.compute(out, [&](At at) {
      std::int64_t fixed = 1;
      Val divisor = site_.whole(1, DType::I64);
      bool varies = false;
      for (std::size_t i = 0; i < rank_; ++i) {
        std::int64_t count = 0;
        if (is_constant(i, count)) {
          fixed *= count;
          continue;
        }
        const Val here = value(counted(i, at[i + 2]));
        divisor = varies ? divisor * here : here;
        varies = true;
      }
      const Val total = sum.at(at);
      if (!varies) return total / number_like(total, static_cast<double>(fixed));
      // A window that sees nothing has the sum 0 and divides it by 1.
      const Val all =
          apply(P2::Max, divisor * static_cast<double>(fixed), site_.whole(1, DType::I64));
      return total / cast(total.s->type, all);
    });
  }

 private:
  double fill() const {
    if (op_.fn == model::PoolFn::Average) return 0;
    return visit_dtype(x_.dtype(), [](auto zero) {
      using Limits = std::numeric_limits<decltype(zero)>;
      if constexpr (Limits::is_integer) {
        return static_cast<double>(Limits::lowest());
      } else {
        return -std::numeric_limits<double>::infinity();
      }
    });
  }

  // The index in the padded input that an output sees through a tap.
  std::vector<Ix> tap(At its, At taps) const {
    std::vector<Ix> at{its[0], its[1]};
    for (std::size_t i = 0; i < rank_; ++i) {
      at.push_back(its[i + 2] * op_.strides[i] + taps[i] * op_.dilations[i]);
    }
    return at;
  }

  // The ends between which a tap counts for the average, from the first element of the input.
  std::int64_t low(std::size_t i) const { return op_.count_include_pad ? -op_.pads[i] : 0; }
  std::int64_t high(std::size_t i) const {
    return x_.dim(i + 2) + (op_.count_include_pad ? op_.pads[i + rank_] : 0);
  }

  // How many taps of axis i count, as a number for each output and as an expression.
  std::int64_t counted(std::size_t i, std::int64_t o) const {
    const std::int64_t start = o * op_.strides[i] - op_.pads[i], step = op_.dilations[i];
    const std::int64_t first = std::max<std::int64_t>(0, ceil_div(low(i) - start, step));
    const std::int64_t end = std::min(op_.kernel[i], ceil_div(high(i) - start, step));
    return std::max<std::int64_t>(0, end - first);
  }
  Ix counted(std::size_t i, Ix o) const {
    const Ix start = o * op_.strides[i] - op_.pads[i];
    const std::int64_t step = op_.dilations[i];
    const Ix first = greatest(site_.index(0), ceil_div(site_.index(low(i)) - start, step));
    const Ix end = least(site_.index(op_.kernel[i]), ceil_div(site_.index(high(i)) - start, step));
    return greatest(site_.index(0), end - first);
  }
  bool is_constant(std::size_t i, std::int64_t& count) const {
    count = counted(i, std::int64_t{0});
    for (std::int64_t o = 1; o < dims_[i + 2]; ++o) {
      if (counted(i, o) != count) return false;
    }
    return count > 0;
  }

  // The first place, in row-major order, where the maximum stands.
  void emit_indices(const Place& best) {
    const Place& out = site_.out[1];
    const std::int64_t plane =
        std::accumulate(x_.dims.begin() + 2, x_.dims.end(), std::int64_t{1}, std::multiplies<>());
    const Place place = site_.local("place", dims_, DType::I64, out.order);
    site_.reduce(place, Combine::Minimum, plain_iterators(dims_), taps_, [&](At its, At taps) {
      const std::vector<Ix> at = tap(its, taps);
      Ix offset = site_.index(0);
      Ix inside = site_.index(0) == 0;
      bool conditional = false;
      for (std::size_t i = 0; i < rank_; ++i) {
        const Ix here = at[i + 2] - op_.pads[i];
        offset = i == 0 ? here : offset * x_.dim(i + 2) + here;
        if (here.e->range.lo >= 0 && here.e->range.hi < x_.dim(i + 2)) continue;
        const Ix in_range = within(here, 0, x_.dim(i + 2));
        inside = conditional ? inside && in_range : in_range;
        conditional = true;
      }
      const Val none = site_.whole(plane, DType::I64);
      const Val found = select(apply(P2::Equal, source_.at(at), best.at(its)), value(offset), none);
      return conditional ? select(inside, found, none) : found;
    });
    site_.compute(out, [&](At at) {
      const Val offset = place.at(at);
      const Val before = value((at[0] * x_.dim(1) + at[1]) * plane);
      const Val where = op_.column_major_indices ? column_major(offset, plane) : offset;
      return select(apply(P2::Equal, offset, site_.whole(plane, DType::I64)),
                    site_.whole(-1, DType::I64), before + where);
    });
  }

  Val column_major(Val offset, std::int64_t plane) const {
    Val sum = site_.whole(0, DType::I64);
    std::int64_t total = plane;
    for (std::size_t i = rank_ + 2; i-- > 2;) {
      const Val size = site_.whole(x_.dim(i), DType::I64);
      total /= x_.dim(i);
      sum = sum + apply(P2::Mod, offset, size) * static_cast<double>(total);
      offset = offset / size;
    }
    return sum;
  }

  const model::Pool& op_;
  Site& site_;
  const Place& x_;
  const Dims& dims_;
  std::size_t rank_;
  Place source_;
  std::vector<Range> taps_;
};

}  // namespace

Status emit(const model::Pool& op, Site& site) {
  Pooling pooling(op, site);
  if (op.fn == model::PoolFn::Max) {
    pooling.emit_maximum();
  } else {
    pooling.emit_average();
  }
  return Ok{};
}

}  // namespace cambium::lower
