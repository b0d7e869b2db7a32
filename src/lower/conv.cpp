// Conv: the padded input in NAME.pad, the sum over taps and channels, then the bias.
#include "lower/channels.h"

namespace cambium::lower {

using program::reduce;
using program::spatial;

void finish_sum(Site& site, const Place& acc) {
  const Place& out = site.out[0];
  if (acc.mem.buffer == out.mem.buffer) return;
  site.compute(out, [&](At at) {
    if (site.in.size() < 3) return acc.at(at);
    return acc.at(at) + site.in[2].at(at.subspan(1, 1));
  });
}

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
  finish_sum(site, acc);
  return Ok{};
}

}  // namespace cambium::lower
