#include "tune/block_cost.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace cambium::tune {
namespace {

using program::LoopKind;

constexpr double kInstructionBytes = 7;  // with a vector prefix and a short offset
constexpr double kOverlap = 8;           // chains that run beside each other across iterations

class Costing {
 public:
  Costing(const BlockInfo& block, const Machine& machine) : b_(block), machine_(machine) {}

  BlockCost run() {
    shape();
    registers();
    for (const AccessInfo& access : b_.accesses) {
      if (!access.in_registers) add_access(access);
    }
    c_.loads += c_.outer * (2 * tile_spills_ * reduce_copies_ + window_spills_);
    chain();
    const double instructions = c_.copies * c_.chunks * (b_.arithmetic.slots + 0.2);
    c_.code_bytes =
        kInstructionBytes *
        (instructions + (c_.loads + c_.broadcasts + c_.stores + 2 * c_.gathered) / c_.outer);
    for (std::size_t i = b_.own; i < b_.inner; ++i) {
      if (b_.loops[i].kind == LoopKind::Unrolled) continue;
      c_.entries += b_.iterations(0, i);
      c_.steps += b_.iterations(0, i + 1);
    }
    return c_;
  }

 private:
  bool moves_with(const AccessInfo& access, std::size_t loop) const {
    return (access.moves >> loop & 1U) != 0;
  }
  bool moves_with_lanes(const AccessInfo& access) const {
    return b_.vector >= 0 && moves_with(access, static_cast<std::size_t>(b_.vector));
  }
  bool is_contiguous(const AccessInfo& access) const {
    return access.lanes_linear &&
           access.stride[static_cast<std::size_t>(b_.vector)] == size_of(access.buffer->dtype);
  }

  void shape() {
    c_.outer = std::max(1.0, b_.iterations(0, b_.inner) * b_.useful);
    const double full = as_double(std::max<std::int64_t>(1, machine_.lanes(b_.element_bytes)));
    for (std::size_t i = b_.inner; i < b_.loops.size(); ++i) {
      const double extent = as_double(b_.loops[i].extent);
      if (b_.loops[i].kind == LoopKind::Unrolled) c_.copies *= extent;
      if (b_.loops[i].kind == LoopKind::Unrolled && b_.loops[i].reduces) reduce_copies_ *= extent;
    }
    if (b_.vector >= 0) {
      const double extent = as_double(b_.loops[static_cast<std::size_t>(b_.vector)].extent);
      c_.chunks = std::ceil(extent / full);
      c_.lanes = extent / c_.chunks;
      if (static_cast<std::size_t>(b_.vector) < b_.inner) c_.outer /= extent;
    }
    c_.operations = c_.outer * c_.copies * c_.chunks * b_.arithmetic.slots;
  }

  // Vectors that one pass over the unrolled loops touches.
  double vectors(const AccessInfo& access) const {
    const double elements = access.elements[b_.inner];
    return moves_with_lanes(access) ? std::max(1.0, elements / c_.lanes) : elements;
  }

  // Of the operands, those of the narrower side are kept over a step of the reduction; elements
  // that several copies share (a window that slides) are loaded once and kept until the last.
  void registers() {
    if (b_.is_reduction) c_.accumulators = vectors(b_.accesses[0]);
    double operands = 0, windows = 0, uses = 0;
    for (std::size_t i = 1; i < b_.accesses.size(); ++i) {
      const AccessInfo& access = b_.accesses[i];
      if (const double live = window(access); live > 0) {
        windows += live;
        uses += copies_of(access, b_.inner) * (moves_with_lanes(access) ? 1.7 : 5.0);
        continue;
      }
      double steps = 1;
      for (std::size_t l = b_.inner; l < b_.loops.size(); ++l) {
        const bool is_step = b_.loops[l].kind == LoopKind::Unrolled && b_.loops[l].reduces;
        if (is_step && moves_with(access, l)) steps *= as_double(b_.loops[l].extent);
      }
      const double kept = std::max(1.0, vectors(access) / steps);
      operands = operands == 0 ? kept : std::min(operands, kept);
    }
    const double tile = c_.accumulators + operands + 1;
    const double room = as_double(machine_.vector_registers);
    c_.registers = tile + windows;
    c_.spills = std::max(0.0, c_.registers - room);
    tile_spills_ = std::max(0.0, tile - room);
    if (windows > 0) {
      // In loads: a store, and loads that wait for it. Those of whole vectors replace other loads.
      window_spills_ = uses * std::min(1.0, (c_.spills - tile_spills_) / windows);
    }
  }

  // Unrolled copies that have an element of their own, if none were shared.
  double copies_of(const AccessInfo& access, std::size_t from) const {
    double copies = 1;
    for (std::size_t l = from; l < b_.loops.size(); ++l) {
      const bool counts = b_.loops[l].kind == LoopKind::Unrolled && moves_with(access, l);
      if (counts) copies *= as_double(b_.loops[l].extent);
    }
    return copies;
  }

  // Vectors alive at once of an access whose unrolled copies share elements; 0: they do not.
  double window(const AccessInfo& access) const {
    if (access.in_registers) return 0;
    for (std::size_t u = b_.inner; u < b_.loops.size(); ++u) {
      if (b_.loops[u].kind != LoopKind::Unrolled || access.stride[u] == 0) continue;
      const double each = access.elements[u + 1];
      if (access.elements[u] > 0.99 * each * as_double(b_.loops[u].extent)) continue;
      double until = 1;  // iterations until an element is wanted again
      for (std::size_t v = u + 1; v < b_.loops.size(); ++v) {
        const bool shares = b_.loops[v].kind == LoopKind::Unrolled && access.stride[v] != 0 &&
                            access.stride[v] % access.stride[u] == 0;
        if (shares)
          until = std::max(until, as_double(std::abs(access.stride[v] / access.stride[u])));
      }
      const double lanes = moves_with_lanes(access) ? c_.lanes : 1;
      return std::min(access.elements[b_.inner], until * each) / lanes;
    }
    return 0;
  }

  void add_access(const AccessInfo& access) {
    const double count = vectors(access);
    std::size_t at = b_.inner;  // loops from here to `inner` do not move it: hoisted out of them
    while (at > 0 && !moves_with(access, at - 1)) --at;
    const double free = as_double(machine_.vector_registers) - c_.registers;
    const bool is_hoisted = access.writes || count <= std::max(2.0, free);
    double times = c_.outer;
    if (is_hoisted) times = std::min(times, b_.iterations(0, at));
    const bool one_by_one = moves_with_lanes(access) && !is_contiguous(access);
    if (one_by_one) {
      c_.gathered += times * access.elements[b_.inner];
    } else {
      if (access.reads) (moves_with_lanes(access) ? c_.loads : c_.broadcasts) += times * count;
      if (access.writes) c_.stores += times * count;
    }
    if (access.divisions > 0) c_.divisions += access.divisions * evaluations(access);
  }

  // Of the divisions of an address: as often as something in them moves.
  double evaluations(const AccessInfo& access) const {
    const auto is_in = [&](std::size_t loop) { return (access.divided >> loop & 1U) != 0; };
    std::size_t at = b_.inner;
    while (at > 0 && !is_in(at - 1)) --at;
    double count = b_.iterations(0, at);
    for (std::size_t i = b_.inner; i < b_.loops.size(); ++i) {
      if (is_in(i) && b_.loops[i].kind == LoopKind::Unrolled)
        count *= as_double(b_.loops[i].extent);
    }
    return count;
  }

  void chain() {
    if (!b_.is_reduction) return;
    const AccessInfo& target = b_.accesses[0];
    const double length = c_.copies * c_.chunks / std::max(1.0, c_.accumulators);
    double overlap = 1;
    for (std::size_t i = b_.inner; i-- > 0 && !b_.loops[i].reduces;) {
      overlap *= as_double(b_.loops[i].extent);
    }
    c_.chain = c_.outer * length / std::min(overlap, kOverlap);
    c_.chain_in_memory = !target.in_registers && overlap > 1;
  }

  const BlockInfo& b_;
  const Machine& machine_;
  BlockCost c_;
  double reduce_copies_ = 1;
  double tile_spills_ = 0, window_spills_ = 0;  // loads in each iteration
};

}  // namespace

BlockCost cost_of(const BlockInfo& block, const Machine& machine) {
  return Costing(block, machine).run();
}

}  // namespace cambium::tune
