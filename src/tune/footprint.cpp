#include "tune/footprint.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace cambium::tune {
namespace {

constexpr double kLine = 64;
constexpr std::int64_t kSetBytes = 4096;  // addresses so far apart share a set of the first cache

// Runs that begin at multiples of a power of two leave part of the first cache's sets unused.
double sets_share(const BlockInfo& info, const AccessInfo& access, std::size_t level) {
  std::int64_t step = 0;
  for (std::size_t i = level; i < info.loops.size(); ++i) {
    if (as_double(std::abs(access.stride[i])) >= access.run[level]) {
      step = std::gcd(step, access.stride[i]);
    }
  }
  if (step == 0) return 1;
  const std::int64_t power = std::min(step & -step, kSetBytes);
  return std::min(1.0, access.run[level] / as_double(power));
}

}  // namespace

void Footprints::begin(const BlockInfo& info, std::span<const LoopPart> parts,
                       const ReachReader& reader) {
  info_ = &info;
  parts_ = parts;
  reader_ = &reader;
  known_.clear();
}

std::size_t Footprints::number_of(program::Expr e) {
  for (std::size_t i = 0; i < known_.size(); ++i) {
    if (known_[i].e == e) return i;
  }
  Index& index = known_.emplace_back();
  index.e = e;
  index.reach = reader_->of_indices(e);
  for (std::size_t l = 0; l <= info_->loops.size(); ++l) {
    index.span[l] = index.reach.range(l, parts_) + 1;
    index.values[l] = index.reach.values(l, parts_);
  }
  return known_.size() - 1;
}

void Footprints::measure(std::span<const program::Expr> indices, AccessInfo& access) {
  if (indices.empty() && !access.buffer->dims.empty()) return measure_gather(access);
  at_.clear();
  std::int64_t unit = size_of(access.buffer->dtype);
  for (std::size_t d = indices.size(); d-- > 0;) {
    at_.push_back(number_of(indices[d]));
    const Reach& r = known_[at_.back()].reach;
    access.moves |= r.moves;
    access.divisions += static_cast<double>(r.divisions);
    access.divided |= r.divided;
    std::uint32_t linear = 0;
    for (std::uint32_t i = 0; i < r.size; ++i) {
      access.stride[r.terms[i].loop] += r.terms[i].factor * unit;
      linear |= 1U << r.terms[i].loop;
    }
    if (info_->vector >= 0 && ((r.moves & ~linear) >> info_->vector & 1U) != 0) {
      access.lanes_linear = false;
    }
    unit *= access.buffer->dims[d];
  }
  for (std::size_t l = 0; l <= info_->loops.size(); ++l) measure_level(access, l);
}

void Footprints::measure_gather(AccessInfo& access) const {
  const double all = as_double(access.buffer->elements());
  const double bytes = all * as_double(size_of(access.buffer->dtype));
  for (std::size_t l = 0; l <= info_->loops.size(); ++l) {
    access.elements[l] = std::min(all, info_->iterations(l, info_->loops.size()));
    access.bytes[l] = std::min(bytes, kLine * access.elements[l]);
    access.run[l] = kLine;
    access.crowded[l] = access.bytes[l];
  }
  access.moves = ~0U;
  access.lanes_linear = false;
}

void Footprints::measure_level(AccessInfo& access, std::size_t level) const {
  double most = 1;  // as many elements as there are iterations of the loops that move it
  for (std::size_t i = level; i < info_->loops.size(); ++i) {
    if ((access.moves >> i & 1U) != 0) most *= as_double(info_->loops[i].extent);
  }
  const double element = as_double(size_of(access.buffer->dtype));
  double elements = 1, run = element, runs = 1, unit = element;
  bool is_open = true;  // the dimensions so far are one run of memory
  for (std::size_t i = 0; i < at_.size(); ++i) {
    const double dim = as_double(access.buffer->dims[at_.size() - 1 - i]);
    const double span = std::min(known_[at_[i]].span[level], dim);
    const double values = std::min(known_[at_[i]].values[level], dim);
    elements *= values;
    if (is_open && (values >= 0.9 * span || unit * span / values < kLine)) {
      run = unit * span;
      is_open = span >= dim - 0.5;
    } else {
      runs *= values;
      is_open = false;
    }
    unit *= dim;
  }
  double lines = runs * std::max(1.0, run / kLine);
  if (elements > most) {
    lines = std::max(1.0, lines * most / elements);
    elements = most;
  }
  access.elements[level] = elements;
  access.bytes[level] = kLine * lines;
  access.run[level] = std::max(run, kLine);
  access.crowded[level] = access.bytes[level] / sets_share(*info_, access, level);
}

}  // namespace cambium::tune
