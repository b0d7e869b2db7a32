#include "schedule/rules/split_contraction.h"

#include <algorithm>

#include "schedule/rules/contraction.h"
#include "schedule/rules/factor_reduction.h"
#include "schedule/rules/parallel_work.h"
#include "schedule/rules/sites.h"

namespace cambium::schedule {

using program::Body;
using program::Loop;
using program::Site;

namespace {

constexpr std::int64_t kShortest = 32;  // terms of a part: with fewer, adding up costs too much
constexpr std::int64_t kTilesPerThread = 32;  // with more, threads have enough to share

// What the question depends on.
struct Shape {
  std::string loop;         // the longest of the reduction
  std::int64_t extent = 1;  // of that loop
  std::int64_t beside = 1;  // terms for each of its iterations
  std::int64_t results = 1;

  std::int64_t terms() const { return extent * beside; }
};

Shape shape_of(const Site& site, const Contraction& c) {
  const Body& body = *site.block->body;
  Shape shape;
  std::int64_t terms = 1;
  for (std::size_t i : c.reduce) {
    terms *= body.iterators[i].extent();
    const auto loops = loops_feeding(site, i);
    if (loops.size() != 1 || loops[0]->extent() <= shape.extent) continue;
    shape.loop = std::string(loops[0]->name());
    shape.extent = loops[0]->extent();
  }
  shape.beside = terms / shape.extent;
  for (const program::Iterator& it : body.iterators) {
    if (it.kind == program::IteratorKind::Spatial) shape.results *= it.extent();
  }
  return shape;
}

// The lengths of a part, in iterations of the loop.
struct Lengths {
  Ints numbers;
  std::size_t preferred = 0;
};

// Blocks: whatever divides. Preferred: the longest whose panel of two vectors takes half of the
// first cache.
Lengths block_lengths(const Shape& shape, const Machine& machine) {
  Lengths lengths;
  for (std::int64_t n = 1; 2 * n <= shape.extent; ++n) {
    if (shape.extent % n != 0 || n * shape.beside < kShortest) continue;
    const bool is_near = 4 * n * shape.beside * machine.vector_bytes <= machine.l1_bytes;
    if (is_near) lengths.preferred = lengths.numbers.size();
    lengths.numbers.push_back(n);
  }
  return lengths;
}

// Side by side: one to eight parts for every thread, the fewest preferred.
Lengths part_lengths(const Shape& shape, int threads) {
  Lengths lengths;
  for (std::int64_t parts = threads; parts <= 8 * threads; ++parts) {
    const std::int64_t n = shape.extent / parts;
    if (shape.extent % parts != 0 || n * shape.beside < kShortest) continue;
    lengths.numbers.push_back(n);
  }
  return lengths;
}

// A panel of two vectors, all terms long, takes more than half of the first cache.
bool may_pay_in_blocks(const Shape& shape, const Machine& machine) {
  return 4 * shape.terms() * machine.vector_bytes > machine.l1_bytes;
}

bool may_pay_side_by_side(const Shape& shape, const Draft& draft) {
  constexpr std::int64_t kAccumulators = 28;
  const std::int64_t tile = kAccumulators * draft.machine().lanes();
  return draft.threads() > 1 && shape.results <= kTilesPerThread * draft.threads() * tile &&
         shape.results * shape.terms() >= kParallelWork;
}

}  // namespace

Result<SplitReduction> split_reduction(Draft& draft, const std::string& block) {
  const Site site = site_of(draft, block);
  const auto c = contraction_of(*site.block->body);
  if (!c) return SplitReduction{};
  const Shape shape = shape_of(site, *c);
  if (shape.loop.empty()) return SplitReduction{};
  Names ways{"whole"};
  Ints weights{6};
  std::vector<Sums> meant{Sums::Whole};
  std::vector<Lengths> lengths(1);
  const auto offer = [&](const char* way, Sums sums, Lengths some) {
    if (some.numbers.empty()) return;
    ways.emplace_back(way);
    weights.push_back(1);
    meant.push_back(sums);
    lengths.push_back(std::move(some));
  };
  if (may_pay_in_blocks(shape, draft.machine())) {
    offer("in blocks", Sums::InBlocks, block_lengths(shape, draft.machine()));
  }
  if (may_pay_side_by_side(shape, draft)) {
    offer("side by side", Sums::SideBySide, part_lengths(shape, draft.threads()));
  }
  if (ways.size() == 1) return SplitReduction{};
  const std::size_t way = draft.branch("reduction", ways, 0, weights);
  if (way == 0) return SplitReduction{};
  const std::int64_t length =
      draft.choose_number("terms", lengths[way].numbers, lengths[way].preferred);
  CAMBIUM_TRY(const Names made, sum_apart(draft, block, shape.loop, shape.extent / length));
  return SplitReduction{meant[way], made.front(), made.back()};
}

}  // namespace cambium::schedule
