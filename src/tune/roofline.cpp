#include <algorithm>

#include "program/walk.h"
#include "tune/draft_model.h"
#include "tune/traffic.h"

namespace cambium::tune {
namespace {

using program::Body;
using program::Buffer;
using program::Scalar;
using program::ScalarKind;
using program::Site;

// Whether a body fills its buffer with zeros where a condition does not hold, point by point.
bool pads(const Body& body) {
  const Scalar s = body.value;
  if (body.combine != program::Combine::Assign || s->kind != ScalarKind::Select ||
      s->operands[0]->kind != ScalarKind::Index || s->operands[2]->kind != ScalarKind::Const ||
      !is_floating(s->type) || s->operands[2]->number() != 0 ||
      body.indices.size() != body.iterators.size()) {
    return false;
  }
  for (std::size_t d = 0; d < body.indices.size(); ++d) {
    if (body.indices[d] != body.iterators[d].axis) return false;
  }
  return true;
}

// The share of the points of a reduction at which none of the factors that it loads is padding.
double share_that_counts(const Site& site, std::span<const Site> sites) {
  std::vector<LoopPart> loops;
  for (const program::Loop* loop : site.loops) {
    const bool runs = loop->extent() > 1 && loops.size() < kMostLoops;
    if (runs) loops.push_back({loop->axis, loop->extent(), 1});
  }
  ReachReader reader(loops);
  reader.bind(*site.block);
  double share = 1;
  program::for_each_scalar(site.block->body->value, [&](Scalar s) {
    if (s->kind != ScalarKind::Load || s->buffer->role != program::Role::Local) return;
    for (const Site& other : sites) {
      const Body& body = *other.block->body;
      if (body.target != s->buffer || !pads(body)) continue;
      std::vector<Reach> at;
      for (program::Expr index : s->indices) at.push_back(reader.of_indices(index));
      ReachReader inside(loops);
      inside.bind(body, std::move(at));
      share *= inside.share_of(body.value->operands[0]->indices[0]);
    }
  });
  return share;
}

}  // namespace

double roofline_seconds(program::Context&, const program::Program& lowered, const Machine& machine,
                        int threads) {
  const Analysis analysis = analyse(lowered, machine);
  const std::vector<Site> sites = program::sites_of(lowered);
  const Ceilings c = usual_ceilings(machine);
  double operations = 0, bytes = 0;
  for (std::size_t i = 0; i < sites.size(); ++i) {
    const BlockInfo& block = analysis.blocks[i];
    if (block.at_load) continue;
    // What only moves or selects may be fused away.
    const Arithmetic& a = block.arithmetic;
    const double each = (block.is_reduction ? 1 : 0) + a.divisions + a.mathematics;
    const double share = block.is_reduction ? share_that_counts(sites[i], sites) : 1;
    operations += block.iterations(0, block.loops.size()) * block.useful * share * each;
  }
  for (const Buffer* parameter : lowered.parameters) {
    bytes += static_cast<double>(parameter->elements() * size_of(parameter->dtype));
  }
  const auto room = capacities(machine);
  const double workers = std::max(1, threads);
  const double gbs = bytes <= room[0]   ? c.l1_gbs * workers
                     : bytes <= room[1] ? c.l2_gbs * workers
                     : bytes <= room[2] ? c.l3_gbs * workers
                                        : std::min(c.dram_gbs * workers, c.all_dram_gbs);
  return std::max(operations * 2 / (c.fma_gflops * workers), bytes / gbs) * 1e-9;
}

}  // namespace cambium::tune
