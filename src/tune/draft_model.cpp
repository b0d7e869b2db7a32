#include "tune/draft_model.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "tune/traffic.h"

namespace cambium::tune {
namespace {

using program::LoopKind;

constexpr double kLatency = 4;           // cycles of a multiply-add
constexpr double kMemoryLatency = 9;     // of one whose accumulator goes through memory
constexpr double kStoreCost = 2;         // in loads
constexpr double kGatherCost = 1.5;      // in loads, per element: load and insert
constexpr double kDivisionCycles = 0.5;  // these three run beside the vectors, for the most part
constexpr double kStepCycles = 0.2;
constexpr double kEntryCycles = 1.5;
constexpr double kLaunchSeconds = 4e-6;
constexpr double kCodeCache = 32 << 10;  // bytes of code that are fetched without waiting
constexpr double kFetchBytes = 12;       // a cycle beyond that
constexpr double kCoreNorm = 8, kCacheNorm = 2.5;

// Rates of one core, per second.
struct Rates {
  double cycles, multiply_adds, loads, narrow;
  double l2, l3, dram;  // bytes
};

// A rate of vectors that no single port reaches at known clocks means two ports.
Rates rates_of(const Machine& machine, int threads) {
  const Ceilings c = usual_ceilings(machine);
  Rates r{};
  r.multiply_adds = c.fma_gflops * 1e9 / (2 * static_cast<double>(machine.lanes()));
  const double ports = r.multiply_adds > 4.6e9 ? 2 : 1;
  r.cycles = r.multiply_adds / ports;
  r.narrow = ports == 1 ? 2 : 1;  // vectors of half the width pass twice as often
  r.loads = c.loads_per_ns * 1e9;
  r.l2 = c.l2_gbs * 1e9;
  r.l3 = c.l3_gbs * 1e9;
  r.dram = std::min(c.dram_gbs * 1e9, c.all_dram_gbs * 1e9 / std::max(1, threads));
  return r;
}

double norm(std::initializer_list<double> values, double p) {
  const double most = std::max(values);
  if (most <= 0) return 0;
  double sum = 0;
  for (double v : values) sum += std::pow(v / most, p);
  return most * std::pow(sum, 1 / p);
}

// The loop that threads share, and by how much they shorten it.
struct Sharing {
  std::ptrdiff_t loop = -1;
  double factor = 1;
  double launches = 0;
};

Sharing sharing_of(const BlockInfo& block, int threads) {
  if (threads <= 1 || block.at_load) return {};
  for (std::size_t i = 0; i < block.loops.size(); ++i) {
    if (block.loops[i].kind != LoopKind::Parallel) continue;
    const double pieces = static_cast<double>(block.loops[i].extent);
    const double rounds = std::ceil(pieces / threads);
    return {static_cast<std::ptrdiff_t>(block.loops[i].number), pieces / rounds,
            block.iterations(0, i)};
  }
  return {};
}

DraftRow row_of(const BlockInfo& block, const Machine& machine, const Rates& rates) {
  DraftRow row;
  row.block = block.name;
  if (block.at_load) return row;
  row.cost = cost_of(block, machine);
  const BlockCost& c = row.cost;
  const bool is_narrow =
      2 * c.lanes * static_cast<double>(block.element_bytes) <= machine.vector_bytes;
  const double width = is_narrow ? rates.narrow : 1;
  row.arithmetic = c.operations / (rates.multiply_adds * width);
  row.loads = (c.loads + kStoreCost * c.stores) / (rates.loads * width) +
              kGatherCost * c.gathered / rates.loads;
  row.latency = c.chain * (c.chain_in_memory ? kMemoryLatency : kLatency) / rates.cycles;
  if (c.code_bytes > kCodeCache) row.fetch = c.outer * c.code_bytes / kFetchBytes / rates.cycles;
  // Each line comes from one place, the farthest that it has to be fetched from.
  row.l2 = std::max(0.0, block.traffic[0] - block.traffic[1]) / rates.l2;
  row.l3 = std::max(0.0, block.traffic[1] - block.traffic[2]) / rates.l3;
  row.dram = block.traffic[2] / rates.dram;
  row.overhead =
      (kDivisionCycles * c.divisions + kStepCycles * c.steps + kEntryCycles * c.entries) /
      rates.cycles;
  return row;
}

// Sums over blocks that run beside each other.
struct Sums {
  double arithmetic = 0, loads = 0, latency = 0, fetch = 0;

  void add(const DraftRow& row) {
    arithmetic += row.arithmetic;
    loads += row.loads;
    latency += row.latency;
    fetch += row.fetch;
  }
  double core() const { return norm({arithmetic, loads, latency, fetch}, kCoreNorm); }
};

// The seconds of the blocks of one statement. Straight code runs beside the loops before it (the
// stores of a tile beside the arithmetic of the next), loops run one after another, and caches are
// filled beside all of them.
void overlap(std::span<const BlockInfo> blocks, std::span<DraftRow> rows) {
  double core = 0, memory = 0;
  for (std::size_t at = 0; at < rows.size();) {
    Sums sums;
    double alone = 0;
    const std::size_t first = at;
    do {
      sums.add(rows[at]);
      Sums one;
      one.add(rows[at]);
      rows[at].seconds = one.core();
      alone += one.core();
      memory += rows[at].l2 + rows[at].l3 + rows[at].dram;
      ++at;
    } while (at < rows.size() && blocks[at].inner <= blocks[at].own);
    if (alone <= 0) continue;
    const double together = sums.core();
    for (std::size_t i = first; i < at; ++i) rows[i].seconds *= together / alone;
    core += together;
  }
  const double waiting = norm({core, memory}, kCacheNorm) - core;
  for (DraftRow& row : rows) {
    if (memory > 0) row.seconds += waiting * (row.l2 + row.l3 + row.dram) / memory;
    row.seconds += row.overhead;
  }
}

void share(const Analysis& analysis, int threads, DraftEstimate& estimate) {
  std::ptrdiff_t started = -1;
  for (std::size_t i = 0; i < estimate.rows.size(); ++i) {
    const Sharing sharing = sharing_of(analysis.blocks[i], threads);
    double& seconds = estimate.rows[i].seconds;
    seconds /= sharing.factor;
    if (sharing.loop >= 0 && sharing.loop != started) seconds += kLaunchSeconds * sharing.launches;
    started = sharing.loop;
  }
}

}  // namespace

Ceilings usual_ceilings(const Machine& machine) {
  if (machine.ceilings) return *machine.ceilings;
  Ceilings c;
  const double ghz = 3;
  const double ports = 2;
  c.fma_gflops = ghz * ports * 2 * static_cast<double>(machine.lanes());
  c.loads_per_ns = ghz * ports;
  c.l1_gbs = c.loads_per_ns * machine.vector_bytes;
  c.l2_gbs = ghz * 32;
  c.l3_gbs = ghz * 10;
  c.dram_gbs = 12;
  c.all_fma_gflops = c.fma_gflops * machine.cores;
  c.all_dram_gbs = std::min(80.0, c.dram_gbs * machine.cores);
  return c;
}

DraftEstimate draft_estimate(const Analysis& analysis, const Machine& machine, int threads) {
  DraftEstimate estimate;
  const Rates rates = rates_of(machine, threads);
  estimate.rows.reserve(analysis.blocks.size());
  for (const BlockInfo& block : analysis.blocks) {
    estimate.rows.push_back(row_of(block, machine, rates));
  }
  for (std::size_t at = 0; at < analysis.blocks.size();) {
    std::size_t end = at + 1;
    while (end < analysis.blocks.size() &&
           analysis.blocks[end].statement == analysis.blocks[at].statement) {
      ++end;
    }
    overlap(std::span(analysis.blocks).subspan(at, end - at),
            std::span(estimate.rows).subspan(at, end - at));
    at = end;
  }
  share(analysis, threads, estimate);
  for (const DraftRow& row : estimate.rows) estimate.seconds += row.seconds;
  return estimate;
}

DraftEstimate draft_estimate(program::Context&, const program::Program& program,
                             const Machine& machine, int threads) {
  return draft_estimate(analyse(program, machine), machine, threads);
}

}  // namespace cambium::tune
