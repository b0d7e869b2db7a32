// ConvTranspose by phases. With stride s, the output at s*a + ph sees only the taps k for which (ph
// + pad - k) is a multiple of s, so its taps are r, r + s, r + 2s ... and no zero is ever
// multiplied:
//   y[s*a + ph] = sum over t of x[a + (ph + pad)/s - t] * w[(ph + pad)%s + s*t]
// Where few channels come out, lanes over them would be mostly empty. There every element of x is
// multiplied with every tap first, a convolution 1x1 with taps and channels as what comes out, and
// phases sum up taps.
#include <algorithm>
#include <numeric>

#include "lower/channels.h"

namespace cambium::lower {
namespace {

using program::reduce;
using program::spatial;

struct Axis {
  std::int64_t stride, dilation, pad, kernel, in, out;
};

// One axis of a transposed convolution by phases.
struct Phases {
  std::int64_t steps, taps;  // values of a and of t
  std::int64_t before;       // zeros that are put before the input
  std::int64_t size;         // of the input with zeros around it
  bool is_uneven;            // some phases have one tap less

  explicit Phases(const Axis& axis)
      : steps((axis.out + axis.stride - 1) / axis.stride),
        taps((axis.kernel + axis.stride - 1) / axis.stride),
        before(std::max<std::int64_t>(0, taps - 1 - axis.pad / axis.stride)),
        size(steps + (axis.stride - 1 + axis.pad) / axis.stride + before),
        is_uneven(axis.kernel % axis.stride != 0) {}
};

class Transposed {
 public:
  Transposed(const model::ConvTranspose& op, Site& site)
      : site_(site),
        x_(site.in[0]),
        channels_(op.groups, site.in[0].dim(1), site.out[0].dim(1)),
        rank_(site.in[0].dims.size() - 2) {
    for (std::size_t i = 0; i < rank_; ++i) {
      axes_.push_back({op.strides[i], op.dilations[i], op.pads[i], site.in[1].dim(i + 2),
                       x_.dim(i + 2), site.out[0].dim(i + 2)});
      dilated_ = dilated_ || (op.dilations[i] > 1 && op.strides[i] > 1);
    }
  }

  void emit() {
    if (dilated_) return emit_by_condition();
    std::vector<Phases> phases;
    for (const Axis& axis : axes_) phases.emplace_back(without_dilation(axis));
    has_few_channels(phases) ? emit_by_taps(phases) : emit_by_phases(phases);
  }

 private:
  std::vector<Ix> weight_at(At channel_its, const Ix* ic, const std::vector<Ix>& taps) const {
    std::vector<Ix> at{channels_.in(channel_its, ic), channels_.out_in_group(site_, channel_its)};
    at.insert(at.end(), taps.begin(), taps.end());
    return at;
  }

  // Without a stride the dilated taps are all in one phase.
  static Axis without_dilation(Axis axis) {
    if (axis.dilation > 1) axis.kernel = (axis.kernel - 1) * axis.dilation + 1;
    return axis;
  }

  // Where phases go: a result with whole steps, of which the output may be the beginning.
  Place whole_result(const std::vector<Phases>& phases) {
    const Place& out = site_.out[0];
    Dims whole{out.dim(0), out.dim(1)};
    for (std::size_t i = 0; i < rank_; ++i) whole.push_back(phases[i].steps * axes_[i].stride);
    return whole == out.dims ? site_.accumulator(out, site_.in.size() > 2)
                             : site_.local("acc", whole, out.value_dtype(), out.order);
  }

  // The spatial iterators of the result: steps, and phases where there is more than one.
  Iterators steps_and_phases(const std::vector<Phases>& phases) const {
    Iterators iterators{{spatial("n", x_.dim(0))}, channels_.iterators()};
    for (std::size_t i = 0; i < rank_; ++i) {
      const std::string name = spatial_name(i, rank_);
      iterators.push_back({spatial("o" + name, phases[i].steps)});
      if (axes_[i].stride > 1) iterators.back().push_back(spatial("p" + name, axes_[i].stride));
    }
    return iterators;
  }

  Place with_zeros_around(const std::vector<Phases>& phases) {
    Dims begins{0, 0}, sizes{x_.dim(0), x_.dim(1)};
    for (const Phases& each : phases) {
      begins.push_back(each.before);
      sizes.push_back(each.size);
    }
    return is_inside(begins, sizes) ? x_ : padded(site_, x_, begins, sizes, 0);
  }

  void emit_by_phases(const std::vector<Phases>& phases) {
    std::vector<Range> reduced;
    for (std::size_t i = 0; i < rank_; ++i) {
      const bool is_dilated = axes_[i].dilation > 1;
      reduced.push_back(
          reduce("k" + spatial_name(i, rank_), is_dilated ? axes_[i].kernel : phases[i].taps));
    }
    if (channels_.sums()) reduced.push_back(reduce("ic", channels_.ins));
    const Place x = with_zeros_around(phases);
    const Place acc = whole_result(phases);
    site_.reduce(acc, Combine::Sum, steps_and_phases(phases), reduced,
                 [&](At its, At taps) { return term(x, phases, its, taps); });
    finish_sum(site_, acc);
  }

  bool has_few_channels(const std::vector<Phases>& phases) const {
    constexpr std::int64_t kFew = 8;
    if (channels_.groups > 1 || channels_.outs > kFew || channels_.ins < kFew) return false;
    for (std::size_t i = 0; i < rank_; ++i) {
      if (axes_[i].stride == 1 || phases[i].is_uneven) return false;
    }
    return true;
  }

  // The digits of a number, the last axis fastest.
  static std::vector<Ix> digits(Ix number, const Dims& sizes) {
    std::int64_t stride =
        std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
    std::vector<Ix> found;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      stride /= sizes[i];
      const Ix above = stride > 1 ? number / stride : number;
      found.push_back(i == 0 ? above : above % sizes[i]);
    }
    return found;
  }
  static Ix joined(At digits, const Dims& sizes) {
    Ix number = digits[0];
    for (std::size_t i = 1; i < sizes.size(); ++i) number = number * sizes[i] + digits[i];
    return number;
  }

  void emit_by_taps(const std::vector<Phases>& phases) {
    const DType dtype = site_.out[0].value_dtype();
    const std::int64_t batch = x_.dim(0), outs = channels_.outs, ins = channels_.ins;
    Dims kernel, taken{batch, outs}, parts{batch, outs};
    for (const Axis& axis : axes_) {
      kernel.push_back(axis.kernel);
      taken.push_back(axis.in);
      taken[1] *= axis.kernel;
      parts.push_back(axis.stride);
    }
    for (const Phases& each : phases) parts.push_back(each.steps);

    const Place matrix = site_.local("matrix", {ins, taken[1]}, dtype);
    site_.compute(matrix, [&](At at) {
      std::vector<Ix> from{at[0], at[1] % outs};
      for (const Ix& digit : digits(at[1] / outs, kernel)) from.push_back(digit);
      return site_.in[1].at(from);
    });
    const Place products = site_.local("products", taken, dtype, x_.order);
    site_.reduce(products, Combine::Sum, plain_iterators(taken), {reduce("ic", ins)},
                 [&](At its, At sums) {
                   std::vector<Ix> from(its.begin(), its.end());
                   from[1] = sums[0];
                   return x_.at(from) * matrix.at({sums[0], its[1]});
                 });
    const bool is_last = x_.memory_order().back() == 1;  // then products have taps side by side
    const Place phased =
        site_.local("phases", parts, dtype,
                    is_last ? channels_last(static_cast<std::int64_t>(parts.size())) : Order{});
    sum_taps(phased, products, phases, kernel);
    const Place acc = whole_result(phases);
    site_.compute(acc, steps_and_phases(phases), [&](At its, At) {
      std::vector<Ix> from{its[0], its[1]};
      for (std::size_t i = 0; i < rank_; ++i) from.push_back(its[3 + 2 * i]);
      for (std::size_t i = 0; i < rank_; ++i) from.push_back(its[2 + 2 * i]);
      return phased.at(from);
    });
    finish_sum(site_, acc);
  }

  // phased[n, oc, phases, steps]: the products of the taps that meet there.
  void sum_taps(const Place& phased, const Place& products, const std::vector<Phases>& phases,
                const Dims& kernel) {
    std::vector<Range> reduced;
    for (std::size_t i = 0; i < rank_; ++i) {
      reduced.push_back(reduce("k" + spatial_name(i, rank_), phases[i].taps));
    }
    site_.reduce(phased, Combine::Sum, plain_iterators(phased.dims), reduced, [&](At its, At taps) {
      std::vector<Ix> from{its[0], its[1]}, tap;
      Ix exists = site_.index(0) == 0;
      for (std::size_t i = 0; i < rank_; ++i) {
        const Axis& axis = axes_[i];
        const Ix phase = its[2 + i] + axis.pad % axis.stride;
        from.push_back(its[2 + rank_ + i] + phase / axis.stride + axis.pad / axis.stride - taps[i]);
        tap.push_back(phase % axis.stride + taps[i] * axis.stride);
        const Ix here = within(from.back(), 0, axis.in);
        exists = i == 0 ? here : exists && here;
      }
      from[1] = joined(tap, kernel) * channels_.outs + its[1];
      const Val product = products.at(from);
      return select(exists, product, number_like(product, 0));
    });
  }

  // Nothing before the input, and no more of it than there is.
  bool is_inside(const Dims& begins, const Dims& sizes) const {
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      if (begins[i] > 0 || sizes[i] > x_.dims[i]) return false;
    }
    return true;
  }

  Val term(const Place& x, const std::vector<Phases>& phases, At its, At taps) const {
    const At channel_its = its.subspan(1, channels_.count());
    At rest = its.subspan(1 + channels_.count());
    const Ix* ic = channels_.sums() ? &taps[rank_] : nullptr;
    std::vector<Ix> from{its[0], channels_.in(channel_its, ic)}, kernel, conditions;
    for (std::size_t i = 0; i < rank_; ++i) {
      const Axis& axis = axes_[i];
      Ix source = rest[0] + (axis.pad / axis.stride + phases[i].before);
      Ix tap = taps[i];
      if (axis.stride > 1) {
        const std::int64_t shift = axis.pad % axis.stride;
        const Ix phase = rest[1] + shift;
        if (shift > 0) source = source + phase / axis.stride;
        tap = (shift > 0 ? phase % axis.stride : phase) + taps[i] * axis.stride;
        if (phases[i].is_uneven) conditions.push_back(tap < axis.kernel);
      }
      from.push_back(source - taps[i] * (axis.stride > 1 ? 1 : axis.dilation));
      kernel.push_back(tap);
      rest = rest.subspan(axis.stride > 1 ? 2 : 1);
    }
    const Val product = x.at(from) * site_.in[1].at(weight_at(channel_its, ic, kernel));
    if (conditions.empty()) return product;
    Ix exists = conditions[0];
    for (std::size_t i = 1; i < conditions.size(); ++i) exists = exists && conditions[i];
    return select(exists, product, number_like(product, 0));
  }

  // Strides and dilations that mix: every tap is looked at, and counts where it meets an element.
  void emit_by_condition() {
    const Place& out = site_.out[0];
    Iterators iterators{{spatial("n", out.dim(0))}, channels_.iterators()};
    std::vector<Range> reduced;
    for (std::size_t i = 0; i < rank_; ++i) {
      iterators.push_back({spatial("o" + spatial_name(i, rank_), axes_[i].out)});
      reduced.push_back(reduce("k" + spatial_name(i, rank_), axes_[i].kernel));
    }
    if (channels_.sums()) reduced.push_back(reduce("ic", channels_.ins));
    const Place acc = site_.accumulator(out, site_.in.size() > 2);
    site_.reduce(acc, Combine::Sum, iterators, reduced, [&](At its, At taps) {
      const At channel_its = its.subspan(1, channels_.count());
      const Ix* ic = channels_.sums() ? &taps[rank_] : nullptr;
      std::vector<Ix> from{its[0], channels_.in(channel_its, ic)};
      Ix meets = site_.index(0) == 0;
      for (std::size_t i = 0; i < rank_; ++i) {
        const Axis& axis = axes_[i];
        const Ix reached = its[1 + channels_.count() + i] + axis.pad - taps[i] * axis.dilation;
        const Ix source = reached / axis.stride;
        const Ix here = within(source, 0, axis.in) && reached % axis.stride == 0;
        meets = i == 0 ? here : meets && here;
        from.push_back(source);
      }
      const std::vector<Ix> kernel(taps.begin(), taps.begin() + static_cast<std::ptrdiff_t>(rank_));
      const Val product = x_.at(from) * site_.in[1].at(weight_at(channel_its, ic, kernel));
      return select(meets, product, number_like(product, 0));
    });
    finish_sum(site_, acc);
  }

  Site& site_;
  const Place& x_;
  Channels channels_;
  std::size_t rank_;
  std::vector<Axis> axes_;
  bool dilated_ = false;
};

}  // namespace

Status emit(const model::ConvTranspose& op, Site& site) {
  Transposed(op, site).emit();
  return Ok{};
}

}  // namespace cambium::lower
