// The facts about a scheduled program that both the analytic model and the features need, computed
// once: for each block its loops, its arithmetic, its accesses with their footprint at every loop,
// and the bytes that must come into each cache. It creates no expressions, so it takes microseconds
// and does not change the context. Blocks at the root that depend only on constants run once at
// load (compile/constant_part.h) and are marked.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/machine.h"
#include "program/context.h"
#include "tune/index_reach.h"

namespace cambium::tune {

inline double as_double(
    std::int64_t n) {  // counts are multiplied, and products of extents are huge
  return static_cast<double>(n);
}

inline constexpr std::size_t kLevels = kMostLoops + 1;
using PerLevel =
    std::array<double, kLevels>;  // level l: loops l and inner run; the last: none does

// Operations of one instance of a block. A multiplication whose product is added counts as one
// multiply-add.
struct Arithmetic {
  double multiply_adds = 0, additions = 0, multiplications = 0, divisions = 0, comparisons = 0;
  double mathematics = 0, whole = 0, truth = 0, selects = 0, other = 0;
  double slots = 0;  // all operations, as the number of multiply-adds with the same throughput
  double total() const {
    return 2 * multiply_adds + additions + multiplications + divisions + comparisons + mathematics +
           whole + truth + selects + other;
  }
};

struct AccessInfo {
  const program::Buffer* buffer = nullptr;
  std::size_t buffer_number = 0;  // in Analysis::buffers
  bool reads = false, writes = false;
  bool in_registers = false;
  bool is_gather = false;                         // its indices are computed
  std::uint32_t moves = 0;                        // bit i: loop i moves it
  double divisions = 0;                           // divisions in its address
  std::uint32_t divided = 0;                      // bit i: loop i occurs in such a division
  std::array<std::int64_t, kMostLoops> stride{};  // bytes by which a loop moves it, if linear
  bool lanes_linear = true;                       // the vectorized loop moves it by `stride`
  PerLevel elements, bytes;                       // distinct elements; bytes in whole cache lines
  PerLevel run;                                   // length of contiguous runs in bytes
  PerLevel crowded;  // `bytes` over the share of the first cache that they can use
};

struct BlockLoop {
  std::int64_t extent = 1;
  program::LoopKind kind = program::LoopKind::Serial;
  bool reduces = false;
  std::size_t number = 0;  // in Analysis::loops
};

struct BlockInfo {
  std::string_view name;
  std::size_t statement = 0;         // number of its statement at the root
  bool at_load = false;              // runs once before the first call, so it does not count
  std::vector<BlockLoop> loops;      // loops that run more than once, outermost first
  std::size_t inner = 0;             // loops from here on are unrolled or vectorized
  std::size_t own = 0;               // loops before this one are shared with the block before
  std::ptrdiff_t vector = -1;        // the vectorized loop; -1: none
  std::vector<AccessInfo> accesses;  // the target first; equal accesses once
  Arithmetic arithmetic;
  bool is_reduction = false;
  bool is_guarded = false;    // it has a predicate
  bool guards_lanes = false;  // its predicate differs between lanes
  double useful = 1;          // share of the iterations that compute something
  std::int64_t element_bytes = 4;
  std::array<double, 3> traffic{};  // bytes brought into L1, L2 and L3

  double iterations(std::size_t from, std::size_t to) const;  // product of extents
};

struct LoopNode {
  std::int64_t extent = 1;
  std::ptrdiff_t parent = -1;
  double whole_bytes = 0;    // touched by all iterations
  double crowded_bytes = 0;  // the same over the share of the first cache that they can use
  double body_bytes = 0;     // touched by one iteration
};

struct Analysis {
  std::vector<BlockInfo> blocks;
  std::vector<LoopNode> loops;
  std::vector<const program::Buffer*> buffers;
  std::size_t statements = 0;  // number at the root
  double bytes = 0;            // touched by the whole program
};

Analysis analyse(const program::Program& program, const Machine& machine);

}  // namespace cambium::tune
