// How many random schedules have a good register tile: whole vectors, and enough accumulators to
// hide the latency of a multiply-add but no more than there are registers. Perfect tiles rarely
// have one, and none where an extent is prime; a space around the register tile has it by making.
#include <cstdio>

#include <gtest/gtest.h>

#include "base/check.h"
#include "kernels/workload.h"
#include "schedule/rules/sites.h"
#include "schedule/rules/space.h"
#include "small_operators.h"

namespace cambium {
namespace {

using program::Site;

constexpr int kDraws = 400;

const bench::Workload& workload(const std::string& name) {
  static const std::vector<bench::Workload> table = bench::operator_table();
  for (const bench::Workload& w : table) {
    if (w.name == name) return w;
  }
  CAMBIUM_CHECK(false, "there is such a workload");
}

// The reduction with the most work.
Site main_block(const program::Program& program) {
  Site most{};
  for (const Site& site : program::sites_of(program)) {
    if (!schedule::is_reduction(*site.block->body)) continue;
    if (most.block == nullptr || schedule::work_of(site) > schedule::work_of(most)) most = site;
  }
  return most;
}

// What runs between two steps of the reduction: the spatial loops within its innermost loop.
bool has_good_tile(const program::Program& program, const Machine& machine) {
  const Site site = main_block(program);
  std::int64_t rows = 1, lanes = 1;
  for (auto loop = site.loops.rbegin(); loop != site.loops.rend(); ++loop) {
    if ((*loop)->extent() == 1) continue;
    if (program::feeds_of(**loop, *site.block).reduce) break;
    ((*loop)->how == program::LoopKind::Vectorized ? lanes : rows) *= (*loop)->extent();
  }
  const std::int64_t accumulators = rows * lanes / machine.lanes();
  return lanes % machine.lanes() == 0 && accumulators >= 8 &&
         accumulators <= machine.vector_registers - 4;
}

bool is_in_registers(const program::Program& program) {
  for (const program::Annotation& a : main_block(program).block->body->target->annotations) {
    if (a.key == "space" && a.text == "register") return true;
  }
  return false;
}

struct Shares {
  double good = 0;    // of all draws, in percent
  double usable = 0;  // good, and kept in registers
};

Shares shares_of(const std::string& name, const schedule::Space& space) {
  const bench::Workload& w = workload(name);
  const Machine machine = machine_named("avx512").value();
  int good = 0, usable = 0;
  for (int draw = 1; draw <= kDraws; ++draw) {
    program::Context cx;
    const program::Program program = lowered(cx, w.model, w.layouts);
    const schedule::DraftOptions options{.seed = static_cast<std::uint64_t>(draw)};
    const auto drawn = schedule::generate(cx, program, machine, space, options);
    if (!drawn.ok() || !has_good_tile(drawn->program(), machine)) continue;
    ++good;
    usable += is_in_registers(drawn->program()) ? 1 : 0;
  }
  return {100.0 * good / kDraws, 100.0 * usable / kDraws};
}

TEST(RegisterTiles, AreRareAmongPerfectTilesAndUsualAroundMicroKernels) {
  std::printf("| operator | stock: good tile | in registers | whole: good tile | in registers |\n");
  for (const char* name : {"GMM-3", "C2D-2", "DIL-0"}) {
    const Shares stock = shares_of(name, schedule::stock_space());
    const Shares whole = shares_of(name, schedule::whole_space());
    std::printf("| %s | %.1f %% | %.1f %% | %.1f %% | %.1f %% |\n", name, stock.good, stock.usable,
                whole.good, whole.usable);
    EXPECT_LT(stock.good, 20) << name;
    EXPECT_GT(whole.usable, 80) << name;
  }
}

TEST(RegisterTiles, DoNotExistForPrimeExtentsWithPerfectTiles) {
  EXPECT_EQ(shares_of("DIL-0", schedule::stock_space()).usable, 0);
}

}  // namespace
}  // namespace cambium
