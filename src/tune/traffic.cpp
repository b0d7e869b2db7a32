#include "tune/traffic.h"

#include <algorithm>
#include <cmath>

#include "tune/analysis.h"

namespace cambium::tune {
namespace {

using program::Role;

// A store brings the line in and, later, out again. Nearby caches do both at once.
constexpr std::array<double, 3> kWriteCost{1, 1.25, 1.5};

// Short runs defeat the prefetcher: from memory, lone lines come at a third of the rate.
constexpr std::array<double, 3> kShortRunCost{0, 0.3, 2};

// Lines that push each other out of the first cache are found late.
constexpr double kCrowdedCost = 3;
constexpr double kCrowd = 1.2;  // as many lines as a set has ways do fit

class Traffic {
 public:
  Traffic(Analysis& analysis, const Machine& machine)
      : a_(analysis),
        capacities_(capacities(machine)),
        buffers_(analysis.buffers.size()),
        whole_(analysis.loops.size() * buffers_),
        crowded_(analysis.loops.size() * buffers_),
        body_(analysis.loops.size() * buffers_),
        all_(buffers_) {}

  void run() {
    for (std::size_t b = 0; b < a_.blocks.size(); ++b) {
      if (!a_.blocks[b].at_load) touch(b);
    }
    for (std::size_t l = 0; l < a_.loops.size(); ++l) {
      for (std::size_t b = 0; b < buffers_; ++b) {
        a_.loops[l].whole_bytes += whole_[l * buffers_ + b];
        a_.loops[l].crowded_bytes = std::max(a_.loops[l].crowded_bytes, crowded_[l * buffers_ + b]);
        a_.loops[l].body_bytes += body_[l * buffers_ + b];
      }
    }
    for (double bytes : all_) a_.bytes += bytes;
    for (std::size_t b = 0; b < a_.blocks.size(); ++b) {
      if (a_.blocks[b].at_load) continue;
      for (std::size_t cache = 0; cache < 3; ++cache) count(b, cache);
    }
  }

 private:
  // Blocks that touch the same buffer in one loop are taken to touch the same part of it, unless
  // they do the same: then a loop was cut, and each has a part of its own.
  void touch(std::size_t number) {
    const BlockInfo& block = a_.blocks[number];
    const std::size_t cut = loops_cut(number);
    for (const AccessInfo& access : block.accesses) {
      if (access.in_registers) continue;
      const std::size_t b = access.buffer_number;
      const double most =
          static_cast<double>(access.buffer->elements() * size_of(access.buffer->dtype));
      const auto join = [&](double& sum, double bytes, bool adds) {
        sum = adds ? std::min(sum + bytes, std::max(sum, most)) : std::max(sum, bytes);
      };
      join(all_[b], access.bytes[0], cut > 0);
      for (std::size_t l = 0; l < block.loops.size(); ++l) {
        const std::size_t at = block.loops[l].number * buffers_ + b;
        join(whole_[at], access.bytes[l], l + 1 < cut);
        crowded_[at] = std::max(crowded_[at], access.crowded[l]);
        join(body_[at], access.bytes[l + 1], l + 1 < cut);
      }
    }
  }

  // One more than the number of loops shared with an earlier block that does the same; 0: none.
  std::size_t loops_cut(std::size_t number) const {
    const BlockInfo& block = a_.blocks[number];
    for (std::size_t other = number; other-- > 0;) {
      const BlockInfo& twin = a_.blocks[other];
      if (twin.accesses.size() != block.accesses.size() ||
          twin.arithmetic.slots != block.arithmetic.slots ||
          twin.is_reduction != block.is_reduction || twin.statement != block.statement) {
        continue;
      }
      return static_cast<std::size_t>(common_loop(twin, block) + 2);
    }
    return 0;
  }

  void count(std::size_t number, std::size_t cache) {
    BlockInfo& block = a_.blocks[number];
    const double room = capacities_[cache];
    // Everything is there from the call before.
    if (a_.bytes <= room && (cache > 0 || overflowing_loop(block, room, true) < 0)) return;
    const std::ptrdiff_t overflowing = overflowing_loop(block, room, cache == 0);
    const auto near = static_cast<std::size_t>(overflowing_loop(block, capacities_[0], true) + 1);
    const std::size_t level = overflowing < 0 ? 0 : static_cast<std::size_t>(overflowing);
    const double times = block.iterations(0, level);
    for (const AccessInfo& access : block.accesses) {
      if (access.in_registers || is_left_by_another(number, access, overflowing, room)) continue;
      double bytes = access.bytes[level] * times;
      if (access.writes) bytes *= kWriteCost[cache];
      if (cache == 0 && access.crowded[level] > kCrowd * room && access.bytes[level] < room) {
        bytes *= 1 + kCrowdedCost * 64 / access.run[level];
      }
      bytes *= 1 + kShortRunCost[cache] * std::pow(64 / access.run[near], 1.5);
      block.traffic[cache] += bytes;
    }
  }

  // The innermost whose footprint does not fit; -1: all do.
  std::ptrdiff_t overflowing_loop(const BlockInfo& block, double room, bool crowds) const {
    if (crowds) {
      for (const AccessInfo& access : block.accesses) {  // in the unrolled code itself
        const bool misses = !access.in_registers && access.crowded[block.inner] > kCrowd * room;
        if (misses) return static_cast<std::ptrdiff_t>(block.inner);
      }
    }
    for (std::size_t l = block.loops.size(); l-- > 0;) {
      const LoopNode& loop = a_.loops[block.loops[l].number];
      if (loop.whole_bytes > room || (crowds && loop.crowded_bytes > kCrowd * room)) {
        return static_cast<std::ptrdiff_t>(l);
      }
    }
    return -1;
  }

  // Whether an earlier block has brought the same data in and it is still there: both stand in a
  // loop one iteration of which fits, or what ran since then does.
  bool is_left_by_another(std::size_t number, const AccessInfo& access, std::ptrdiff_t overflowing,
                          double room) const {
    const BlockInfo& block = a_.blocks[number];
    double since = 0;
    for (std::size_t other = number; other-- > 0;) {
      const BlockInfo& earlier = a_.blocks[other];
      if (earlier.at_load) continue;
      const bool touches = std::any_of(
          earlier.accesses.begin(), earlier.accesses.end(), [&](const AccessInfo& theirs) {
            since += theirs.in_registers ? 0 : theirs.bytes[0];
            return theirs.buffer == access.buffer && 2 * theirs.bytes[0] >= access.bytes[0];
          });
      if (!touches) continue;
      const std::ptrdiff_t common = common_loop(earlier, block);
      if (common < 0) return overflowing < 0 && since <= room;
      return overflowing <= common &&
             a_.loops[block.loops[static_cast<std::size_t>(common)].number].body_bytes <= room;
    }
    return false;
  }

  // The position among the loops of the second; -1: none.
  static std::ptrdiff_t common_loop(const BlockInfo& x, const BlockInfo& y) {
    std::size_t n = 0;
    while (n < x.loops.size() && n < y.loops.size() && x.loops[n].number == y.loops[n].number) ++n;
    return static_cast<std::ptrdiff_t>(n) - 1;
  }

  Analysis& a_;
  std::array<double, 3> capacities_;
  std::size_t buffers_;
  std::vector<double> whole_, crowded_, body_;  // loops x buffers
  std::vector<double> all_;
};

}  // namespace

std::array<double, 3> capacities(const Machine& machine) {
  constexpr double kChiplet = 32 << 20;
  return {0.9 * static_cast<double>(machine.l1_bytes), 0.85 * static_cast<double>(machine.l2_bytes),
          0.7 * std::min(kChiplet, static_cast<double>(machine.l3_bytes))};
}

void mark_load_blocks(Analysis& analysis) {
  std::vector<char> varies(analysis.statements, 0);
  const auto reads_input = [](const AccessInfo& access) {
    return access.buffer->role == Role::Input || access.buffer->role == Role::Output;
  };
  for (const BlockInfo& block : analysis.blocks) {
    if (std::any_of(block.accesses.begin(), block.accesses.end(), reads_input)) {
      varies[block.statement] = 1;
    }
  }
  for (bool changed = true; changed;) {
    changed = false;
    std::vector<char> written(analysis.buffers.size(), 0);
    for (const BlockInfo& block : analysis.blocks) {
      if (varies[block.statement] != 0) written[block.accesses[0].buffer_number] = 1;
    }
    for (const BlockInfo& block : analysis.blocks) {
      if (varies[block.statement] != 0) continue;
      const bool touches =
          std::any_of(block.accesses.begin(), block.accesses.end(),
                      [&](const AccessInfo& a) { return written[a.buffer_number] != 0; });
      if (touches) {
        varies[block.statement] = 1;
        changed = true;
      }
    }
  }
  for (BlockInfo& block : analysis.blocks) block.at_load = varies[block.statement] == 0;
}

void add_traffic(Analysis& analysis, const Machine& machine) {
  Traffic(analysis, machine).run();
}

}  // namespace cambium::tune
