// Conv: the padded input in NAME.pad, the sum over taps and channels, then the bias. ConvTranspose:
// by phases. With stride s, the output at s*a + ph sees only the taps k for which (ph + pad - k) is
// a multiple of s, so its taps are r, r + s, r + 2s ... and no zero is ever multiplied:
//   y[s*a + ph] = sum over t of x[a + (ph + pad)/s - t] * w[(ph + pad)%s + s*t]
#include <algorithm>

#include "lower/emit.h"

namespace cambium::lower {
namespace {

using program::reduce;
using program::spatial;

// Which iterators channels have: one each without groups, one in common when each channel has a
// filter of its own, otherwise the group and the place in it.
struct Channels {
  std::int64_t groups, ins, outs;  // ins and outs per group
  bool apart;                      // groups = channels = filters

  Channels(std::int64_t groups_, std::int64_t channels, std::int64_t filters)
      : groups(groups_),
        ins(channels / groups_),
        outs(filters / groups_),
        apart(groups_ > 1 && groups_ == channels && groups_ == filters) {}

  std::vector<Range> iterators() const {
    if (apart) return {spatial("c", groups)};
    if (groups == 1) return {spatial("oc", outs)};
    return {spatial("g", groups), spatial("oc", outs)};
  }
  std::size_t count() const { return groups == 1 || apart ? 1 : 2; }
  bool sums() const { return groups == 1 || ins > 1; }

  // The parts of what the iterators and the reduce iterator `ic`, if there is one, say.
  Ix in(At its, const Ix* ic) const {
    if (groups == 1) return *ic;
    return ic == nullptr ? its[0] : its[0] * ins + *ic;
  }
  Ix out(At its) const { return count() == 1 ? its[0] : its[0] * outs + its[1]; }
  Ix out_in_group(const Site& site, At its) const {
    return apart ? site.index(0) : its[count() - 1];
  }
  Ix in_in_group(const Site& site, const Ix* ic) const {
    return ic == nullptr ? site.index(0) : *ic;
  }
};

// Adds the bias to what was summed, or only rounds it, or does nothing.
void finish(Site& site, const Place& acc) {
  const Place& out = site.out[0];
  if (acc.mem.buffer == out.mem.buffer) return;
  site.compute(out, [&](At at) {
    if (site.in.size() < 3) return acc.at(at);
    return acc.at(at) + site.in[2].at(at.subspan(1, 1));
  });
}

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

  void emit() { dilated_ ? emit_by_condition() : emit_by_phases(); }

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

  void emit_by_phases() {
    const Place& out = site_.out[0];
    std::vector<Phases> phases;
    Dims begins{0, 0}, sizes{x_.dim(0), x_.dim(1)}, whole{out.dim(0), out.dim(1)};
    Iterators iterators{{spatial("n", out.dim(0))}, channels_.iterators()};
    std::vector<Range> reduced;
    bool is_whole = true;
    for (std::size_t i = 0; i < rank_; ++i) {
      const Axis& axis = axes_[i];
      phases.emplace_back(without_dilation(axis));
      const std::string name = spatial_name(i, rank_);
      iterators.push_back({spatial("o" + name, phases[i].steps)});
      if (axis.stride > 1) iterators.back().push_back(spatial("p" + name, axis.stride));
      reduced.push_back(reduce("k" + name, axis.dilation > 1 ? axis.kernel : phases[i].taps));
      begins.push_back(phases[i].before);
      sizes.push_back(phases[i].size);
      whole.push_back(phases[i].steps * axis.stride);
      is_whole = is_whole && whole.back() == axis.out;
    }
    if (channels_.sums()) reduced.push_back(reduce("ic", channels_.ins));
    const Place x = is_inside(begins, sizes) ? x_ : padded(site_, x_, begins, sizes, 0);
    const bool has_bias = site_.in.size() > 2;
    const Place acc = is_whole ? site_.accumulator(out, has_bias)
                               : site_.local("acc", whole, out.value_dtype(), out.order);
    site_.reduce(acc, Combine::Sum, iterators, reduced,
                 [&](At its, At taps) { return term(x, phases, its, taps); });
    finish(site_, acc);
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
    finish(site_, acc);
  }

  Site& site_;
  const Place& x_;
  Channels channels_;
  std::size_t rank_;
  std::vector<Axis> axes_;
  bool dilated_ = false;
};

}  // namespace

Status emit(const model::Conv& op, Site& site) {
  const Place& x = site.in[0];
  const Place& w = site.in[1];
  const Place& out = site.out[0];
  const std::size_t rank = x.dims.size() - 2;
  const Channels channels(op.groups, x.dim(1), out.dim(1));
  Dims begins{0, 0}, sizes{x.dim(0), x.dim(1)};
  Iterators iterators{{spatial("n", out.dim(0))}, channels.iterators()};
  std::vector<Range> reduced;
  for (std::size_t i = 0; i < rank; ++i) {
    begins.push_back(op.pads[i]);
    sizes.push_back(x.dim(i + 2) + op.pads[i] + op.pads[i + rank]);
    iterators.push_back({spatial("o" + spatial_name(i, rank), out.dim(i + 2))});
    reduced.push_back(reduce("k" + spatial_name(i, rank), w.dim(i + 2)));
  }
  if (channels.sums()) reduced.push_back(reduce("ic", channels.ins));
  const Place from = padded(site, x, begins, sizes, 0);
  const Place acc = site.accumulator(out, site.in.size() > 2);
  site.reduce(acc, Combine::Sum, iterators, reduced, [&](At its, At taps) {
    const At channel_its = its.subspan(1, channels.count());
    const Ix* ic = channels.sums() ? &taps[rank] : nullptr;
    std::vector<Ix> source{its[0], channels.in(channel_its, ic)};
    std::vector<Ix> weight{channels.out(channel_its), channels.in_in_group(site, ic)};
    for (std::size_t i = 0; i < rank; ++i) {
      const Ix o = its[1 + channels.count() + i];
      source.push_back(o * op.strides[i] + taps[i] * op.dilations[i]);
      weight.push_back(taps[i]);
    }
    return from.at(source) * w.at(weight);
  });
  finish(site, acc);
  return Ok{};
}

Status emit(const model::ConvTranspose& op, Site& site) {
  Transposed(op, site).emit();
  return Ok{};
}

}  // namespace cambium::lower
