#include "tune/features.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "tune/access_features.h"
#include "tune/feature_columns.h"

namespace cambium::tune {
namespace {

using program::LoopKind;

constexpr double kLeastShare = 0.01;

class RowWriter {
 public:
  RowWriter(const Analysis& analysis, const DraftEstimate& estimate, const Machine& machine,
            int threads)
      : a_(analysis),
        e_(estimate),
        machine_(machine),
        ceilings_(usual_ceilings(machine)),
        threads_(threads) {}

  void write(std::size_t number, Columns to) {
    b_ = &a_.blocks[number];
    row_ = &e_.rows[number];
    instances_ = b_->iterations(0, b_->loops.size());
    arithmetic(to);
    loop_kind(to, "vectorize.", LoopKind::Vectorized);
    loop_kind(to, "unroll.", LoopKind::Unrolled);
    loop_kind(to, "parallel.", LoopKind::Parallel);
    write_access_features(a_, number, to);
    memory(to);
    registers(to);
    caches(to);
    guards(to);
    draft(to);
    surroundings(to);
  }

 private:
  void arithmetic(Columns& to) {
    const Arithmetic& a = b_->arithmetic;
    to.within("count.");
    to("multiply_adds", slog(a.multiply_adds * instances_));
    to("additions", slog(a.additions * instances_));
    to("multiplications", slog(a.multiplications * instances_));
    to("divisions", slog(a.divisions * instances_));
    to("comparisons", slog(a.comparisons * instances_));
    to("mathematics", slog(a.mathematics * instances_));
    to("whole", slog(a.whole * instances_));
    to("truth", slog(a.truth * instances_));
    to("selects", slog(a.selects * instances_));
    to("other", slog(a.other * instances_));
    to("instances", slog(instances_));
    to("is_reduction", b_->is_reduction ? 1 : 0);
  }

  // Number, product and innermost extent of the loops of a kind, and where the innermost stands
  // among the spatial or the reducing loops.
  void loop_kind(Columns& to, const char* group, LoopKind kind) {
    double count = 0, product = 1, length = 0;
    std::size_t last = 0;
    for (std::size_t i = 0; i < b_->loops.size(); ++i) {
      if (b_->loops[i].kind != kind) continue;
      count += 1;
      length = static_cast<double>(b_->loops[i].extent);
      product *= length;
      last = i;
    }
    int place = 0;  // none
    if (count > 0) {
      const bool reduces = b_->loops[last].reduces;
      std::size_t before = 0, after = 0;
      for (std::size_t i = 0; i < b_->loops.size(); ++i) {
        if (b_->loops[i].reduces == reduces && i != last) (i < last ? before : after) += 1;
      }
      place = (reduces ? 4 : 1) + (after == 0 ? 0 : before == 0 ? 2 : 1);
    }
    to.within(group);
    to("number", slog(count));
    to("product", slog(product));
    to("length", slog(length));
    static constexpr const char* kPlaces[] = {"none",          "inner_spatial", "middle_spatial",
                                              "outer_spatial", "inner_reduce",  "middle_reduce",
                                              "outer_reduce"};
    for (int p = 0; p < 7; ++p) to(kPlaces[p], place == p ? 1 : 0);
  }

  void memory(Columns& to) {
    const program::Buffer* target = b_->accesses.empty() ? nullptr : b_->accesses[0].buffer;
    const double bytes =
        target == nullptr ? 0 : static_cast<double>(target->elements() * size_of(target->dtype));
    const bool is_local = target != nullptr && target->role == program::Role::Local;
    to.within("memory.");
    to("allocated", is_local ? slog(bytes) : 0);
    to("allocated_times_outer", is_local ? slog(bytes * row_->cost.outer) : 0);
    to("outer", slog(row_->cost.outer));
    to("loops", static_cast<double>(b_->loops.size()));
    to("own_loops", static_cast<double>(b_->loops.size() - std::min(b_->own, b_->loops.size())));
    // What was made of constants when they were loaded, read in the order in which it lies.
    double stream = 0, streamed = 0, crowding = 1;
    for (const AccessInfo& x : b_->accesses) {
      if (!x.in_registers) crowding = std::max(crowding, x.crowded[b_->inner] / x.bytes[b_->inner]);
      if (x.in_registers || x.writes || !is_constant(x)) continue;
      stream += x.bytes[0];
      const std::size_t level = b_->inner == 0 ? 0 : b_->inner - 1;
      streamed += x.bytes[level] * b_->iterations(0, level);
    }
    to("constant_bytes", slog(stream));
    to("constant_bytes_streamed", slog(streamed));
    to("crowding", std::log2(crowding));
    to("large_strides", slog(large_strides()));
  }

  bool is_constant(const AccessInfo& x) const {
    if (x.buffer->role == program::Role::Constant) return true;
    return std::any_of(a_.blocks.begin(), a_.blocks.end(), [&](const BlockInfo& other) {
      return other.at_load && other.accesses[0].buffer == x.buffer;
    });
  }

  // Loops that move an access by a multiple of 4 KiB, by their iterations.
  double large_strides() const {
    double most = 0;
    for (const AccessInfo& x : b_->accesses) {
      if (x.in_registers) continue;
      double product = 1;
      for (std::size_t i = 0; i < b_->loops.size(); ++i) {
        if (x.stride[i] != 0 && x.stride[i] % 4096 == 0) {
          product *= static_cast<double>(b_->loops[i].extent);
        }
      }
      most = std::max(most, product);
    }
    return most;
  }

  void registers(Columns& to) {
    const BlockCost& c = row_->cost;
    to.within("registers.");
    to("accumulators", c.accumulators);
    to("used", c.registers / machine_.vector_registers);
    to("spills", c.spills);
    to("loads_per_operation", ratio(c.loads, c.operations));
    to("broadcasts_per_operation", ratio(c.broadcasts, c.operations));
    to("stores_per_operation", ratio(c.stores, c.operations));
    to("gathered_per_operation", ratio(c.gathered, c.operations));
    to("chain_per_operation", ratio(c.chain, c.operations));
    to("chain_in_memory", c.chain_in_memory ? 1 : 0);
    to("copies", slog(c.copies));
    to("chunks", slog(c.chunks));
    to("lanes", ratio(c.lanes, static_cast<double>(machine_.lanes(b_->element_bytes))));
    to("code_bytes", slog(c.code_bytes));
    to("address_divisions", slog(c.divisions));
    to("loop_steps", slog(c.steps));
    to("loop_entries", slog(c.entries));
    to("slots", b_->arithmetic.slots);
  }

  // Footprints of the loops that run, from the innermost, and of the outermost.
  void caches(Columns& to) {
    const double l1 = static_cast<double>(machine_.l1_bytes);
    const double l2 = static_cast<double>(machine_.l2_bytes);
    const auto whole = [&](std::size_t from_inner) {
      if (b_->inner == 0) return 0.0;
      const std::size_t i = b_->inner - 1 - std::min(from_inner, b_->inner - 1);
      return a_.loops[b_->loops[i].number].whole_bytes;
    };
    to.within("footprint.");
    to("inner_to_l1", fit(whole(0), l1));
    to("second_to_l1", fit(whole(1), l1));
    to("second_to_l2", fit(whole(1), l2));
    to("third_to_l1", fit(whole(2), l1));
    to("third_to_l2", fit(whole(2), l2));
    to("outer_to_l2", fit(whole(b_->loops.size()), l2));
    to("program_to_l2", fit(a_.bytes, l2));
    to("program_to_l3", fit(a_.bytes, static_cast<double>(machine_.l3_bytes)));
    to.within("traffic.");
    to("l1", slog(b_->traffic[0]));
    to("l2", slog(b_->traffic[1]));
    to("l3", slog(b_->traffic[2]));
    to("l1_per_operation", ratio(b_->traffic[0], row_->cost.operations));
    to("l2_per_operation", ratio(b_->traffic[1], row_->cost.operations));
  }

  void guards(Columns& to) {
    to.within("guard.");
    to("any", b_->is_guarded ? 1 : 0);
    to("in_lanes", b_->guards_lanes ? 1 : 0);
    to("useful", b_->useful);
  }

  void draft(Columns& to) {
    const double seconds = row_->seconds;
    to.within("draft.");
    to("arithmetic", ratio(row_->arithmetic, seconds));
    to("loads", ratio(row_->loads, seconds));
    to("latency", ratio(row_->latency, seconds));
    to("fetch", ratio(row_->fetch, seconds));
    to("l2", ratio(row_->l2, seconds));
    to("l3", ratio(row_->l3, seconds));
    to("dram", ratio(row_->dram, seconds));
    to("overhead", ratio(row_->overhead, seconds));
    to("log_seconds", std::log2(seconds + 1e-9));
    to("share", ratio(seconds, e_.seconds));
    to("log_program_seconds", std::log2(e_.seconds + 1e-9));
  }

  void surroundings(Columns& to) {
    double pieces = 1;
    for (const BlockLoop& loop : b_->loops) {
      if (loop.kind != LoopKind::Parallel) continue;
      pieces = static_cast<double>(loop.extent);
      break;
    }
    to.within("machine.");
    to("threads", threads_);
    to("balance", pieces / (std::ceil(pieces / threads_) * threads_));
    to("loads_per_fma",
       ceilings_.loads_per_ns * 2 * static_cast<double>(machine_.lanes()) / ceilings_.fma_gflops);
    to("l2_bytes_per_flop", ceilings_.l2_gbs / ceilings_.fma_gflops);
    to("l3_bytes_per_flop", ceilings_.l3_gbs / ceilings_.fma_gflops);
    to("dram_bytes_per_flop", ceilings_.dram_gbs / ceilings_.fma_gflops);
    to("l1_bytes", std::log2(static_cast<double>(machine_.l1_bytes)));
    to("l2_bytes", std::log2(static_cast<double>(machine_.l2_bytes)));
    to("registers", machine_.vector_registers);
    to("vector_bytes", machine_.vector_bytes);
  }

  const Analysis& a_;
  const DraftEstimate& e_;
  const Machine& machine_;
  Ceilings ceilings_;
  int threads_;
  const BlockInfo* b_ = nullptr;
  const DraftRow* row_ = nullptr;
  double instances_ = 1;
};

}  // namespace

std::span<const float> Features::row(std::size_t i) const {
  const std::size_t columns = values.size() / std::max<std::size_t>(rows, 1);
  return std::span(values).subspan(i * columns, columns);
}

const std::vector<std::string>& feature_names() {
  static const std::vector<std::string> kNames = [] {
    Analysis analysis;
    analysis.blocks.emplace_back();
    DraftEstimate estimate;
    estimate.rows.emplace_back();
    std::vector<std::string> names;
    const Machine machine;
    RowWriter(analysis, estimate, machine, 1).write(0, Columns(nullptr, &names));
    return names;
  }();
  return kNames;
}

Features features_of(const Analysis& analysis, const DraftEstimate& estimate,
                     const Machine& machine, int threads) {
  Features features;
  RowWriter writer(analysis, estimate, machine, threads);
  double most = 0;
  for (const DraftRow& row : estimate.rows) most = std::max(most, row.seconds);
  const double least = std::min(most, kLeastShare * estimate.seconds);
  features.values.reserve(4 * feature_names().size());
  for (std::size_t i = 0; i < analysis.blocks.size(); ++i) {
    if (analysis.blocks[i].at_load || estimate.rows[i].seconds < least) continue;
    writer.write(i, Columns(&features.values, nullptr));
    features.rows += 1;
  }
  CAMBIUM_CHECK(features.values.size() == features.rows * feature_names().size(),
                "every row has every column");
  return features;
}

Features features_of(program::Context&, const program::Program& program, const Machine& machine,
                     int threads) {
  const Analysis analysis = analyse(program, machine);
  return features_of(analysis, draft_estimate(analysis, machine, threads), machine, threads);
}

}  // namespace cambium::tune
