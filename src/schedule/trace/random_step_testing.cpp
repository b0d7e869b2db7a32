#include "schedule/trace/random_step_testing.h"

#include <algorithm>
#include <numeric>

#include "program/analysis.h"
#include "program/walk.h"

namespace cambium::schedule {
namespace {

using program::Block;
using program::Buffer;
using program::Loop;
using program::Site;
using program::Stmt;

class Proposer {
 public:
  Proposer(const Program& program, Rng& rng)
      : program_(program), rng_(rng), sites_(program::sites_of(program)) {
    program::for_each_stmt(program, [&](Stmt s, const std::vector<const Loop*>&) {
      if (const Loop* loop = program::as_loop(s)) loops_.push_back(loop);
    });
  }

  Step step(std::size_t kind) {
    std::size_t i = 0;
    Step made;
    for_each_step<Preserving>([&](auto s) {
      if (i++ == kind) made = make(std::move(s));
    });
    return made;
  }

 private:
  template <class T>
  const T& one_of(const std::vector<T>& all) {
    return all[static_cast<std::size_t>(rng_.below(all.size()))];
  }
  std::string slip(std::string_view name) {  // now and then a name that is not there
    return rng_.chance(0.02) ? "nothing" : std::string(name);
  }
  const Loop* any_loop() { return loops_.empty() ? nullptr : one_of(loops_); }
  std::string loop_name() {
    const Loop* loop = any_loop();
    return loop == nullptr ? "none" : slip(loop->name());
  }
  const Site& any_site() { return one_of(sites_); }
  std::string block_name() { return slip(any_site().block->name); }
  std::string loop_around(const Site& site) {
    return site.loops.empty() ? loop_name() : slip(one_of(site.loops)->name());
  }
  const Buffer* any_local() {
    if (program_.locals.empty()) return nullptr;
    return program_.locals[static_cast<std::size_t>(rng_.below(program_.locals.size()))];
  }
  // Loops that stand directly inside each other, from a random one on.
  std::vector<const Loop*> chain() {
    std::vector<const Loop*> found;
    for (const Loop* l = any_loop(); l != nullptr; l = program::as_loop(l->body))
      found.push_back(l);
    return found;
  }
  Tail tail() { return static_cast<Tail>(rng_.below(3)); }
  static std::int64_t extent_of(const Program& program, const std::string& loop) {
    const Loop* found = program::find_loop(program, loop);
    return found == nullptr ? 4 : found->extent();
  }

  Step make(Split s) {
    s.loop = loop_name();
    const std::int64_t extent = extent_of(program_, s.loop);
    const std::size_t count = static_cast<std::size_t>(rng_.between(1, 3));
    for (std::size_t i = 0; i < count; ++i)
      s.factors.push_back(rng_.between(1, std::min(extent + 1, std::int64_t{6})));
    if (rng_.chance(0.9)) s.factors[static_cast<std::size_t>(rng_.below(count))] = 0;
    s.tail = tail();
    return s;
  }
  Step make(Fuse s) {
    const std::vector<const Loop*> nested = chain();
    const std::size_t most = std::min<std::size_t>(nested.size(), 3);
    const std::size_t count = most == 0 ? 0 : static_cast<std::size_t>(rng_.below(most)) + 1;
    for (std::size_t i = 0; i < count; ++i) s.loops.push_back(slip(nested[i]->name()));
    if (rng_.chance(0.1)) s.loops.push_back(loop_name());
    return s;
  }
  Step make(Reorder s) {
    for (const Loop* loop : chain()) {
      if (rng_.chance(0.7)) s.loops.push_back(slip(loop->name()));
    }
    rng_.shuffle(std::span(s.loops));
    return s;
  }
  Step make(Tile s) {
    for (const Loop* loop : chain()) {
      if (s.loops.size() < 2) s.loops.push_back(slip(loop->name()));
    }
    for (std::size_t i = 0; i < s.loops.size(); ++i) s.sizes.push_back(rng_.between(1, 4));
    s.tail = rng_.chance(0.8) ? Tail::Guard : tail();
    return s;
  }
  Step make(Unroll s) { return s.loop = loop_name(), s; }
  Step make(Vectorize s) {
    s.loop = rng_.chance(0.3) || any_site().loops.empty() ? loop_name() : innermost();
    return s;
  }
  std::string innermost() {
    const Site& site = any_site();
    return site.loops.empty() ? loop_name() : std::string(site.loops.back()->name());
  }
  Step make(Parallel s) { return s.loop = loop_name(), s; }
  Step make(Partition s) {
    s.loop = loop_name();
    const std::int64_t extent = extent_of(program_, s.loop);
    for (std::uint64_t i = rng_.below(2) + 1; i > 0; --i)
      s.points.push_back(rng_.between(0, extent));
    std::sort(s.points.begin(), s.points.end());
    return s;
  }
  Step make(Annotate s) {
    s.part = static_cast<Part>(rng_.below(3));
    const Buffer* local = any_local();
    s.name = s.part == Part::Loop    ? loop_name()
             : s.part == Part::Block ? block_name()
             : local == nullptr      ? "none"
                                     : std::string(local->name);
    const bool text = s.part != Part::Loop && rng_.chance(0.5);
    s.key = s.part == Part::Loop    ? "unroll"
            : s.part == Part::Block ? (text ? "kernel" : "prefetch")
            : text                  ? "space"
                                    : "align";
    if (text) s.text = "register";
    if (!text || rng_.chance(0.1)) s.number = std::int64_t{1} << rng_.below(5);
    return s;
  }
  Step make(Prefetch s) {
    s.block = block_name();
    s.distance = rng_.between(0, 4);
    return s;
  }
  Step make(DecomposeReduction s) {
    const Site& site = any_site();
    s.block = slip(site.block->name);
    s.loop = loop_around(site);
    return s;
  }
  // A block and a loop around one that uses what it makes, or makes what it uses.
  void place(std::string& block, std::string& loop, bool reverse) {
    const Buffer* local = any_local();
    if (local == nullptr) {
      block = block_name();
      loop = loop_name();
      return;
    }
    const auto writers = program::writers_of(sites_, local);
    const auto readers = program::readers_of(sites_, local);
    const auto& from = reverse ? readers : writers;
    const auto& to = reverse ? writers : readers;
    block = from.empty() ? block_name() : slip(sites_[one_of(from)].block->name);
    loop = to.empty() ? loop_name() : loop_around(sites_[one_of(to)]);
  }
  Step make(ComputeAt s) {
    place(s.block, s.loop, false);
    return s;
  }
  Step make(ReverseComputeAt s) {
    place(s.block, s.loop, true);
    return s;
  }
  Step make(Inline s) { return s.block = block_name(), s; }
  Step make(ReverseInline s) { return s.block = block_name(), s; }
  Step make(CacheRead s) {
    const Block& block = *any_site().block;
    s.block = slip(block.name);
    const auto& buffers = block.body->buffers;
    s.buffer = slip(buffers[static_cast<std::size_t>(rng_.below(buffers.size()))]->name);
    return s;
  }
  Step make(CacheWrite s) { return s.block = block_name(), s; }
  Step make(RFactor s) {
    const Site& site = any_site();
    s.loop = loop_around(site);
    s.position = rng_.between(-1, static_cast<std::int64_t>(site.block->body->indices.size()) + 1);
    return s;
  }
  Step make(SetLayout s) {
    const Buffer* local = any_local();
    s.buffer = local == nullptr ? "none" : slip(local->name);
    const std::size_t rank = local == nullptr ? 1 : local->dims.size();
    for (std::size_t d = 0; d < rank; ++d) {
      const std::string name = "d" + std::to_string(d);
      const std::string by = std::to_string(rng_.between(1, 4));
      switch (rng_.below(5)) {
        case 0:
          s.dims.push_back(name + " / " + by);
          s.dims.push_back(name + " % " + by);
          break;
        case 1:
          if (d > 0 && local != nullptr) {  // merged with the dimension before
            s.dims.push_back(std::to_string(local->dims[d]) + "*d" + std::to_string(d - 1) + " + " +
                             name);
            break;
          }
          [[fallthrough]];
        default: s.dims.push_back(name);
      }
    }
    rng_.shuffle(std::span(s.dims));
    if (rng_.chance(0.05)) s.dims.push_back("d0 +");
    return s;
  }
  Step make(MergeIterators s) {
    const Block& block = *any_site().block;
    s.block = slip(block.name);
    const auto& all = block.body->iterators;
    const std::size_t first = static_cast<std::size_t>(rng_.below(all.size() + 1));
    for (std::size_t i = first; i < all.size() && s.iterators.size() < 2; ++i) {
      s.iterators.emplace_back(expr::name_of(all[i].axis));
    }
    if (rng_.chance(0.1)) std::reverse(s.iterators.begin(), s.iterators.end());
    return s;
  }
  Step make(PadToMultiple s) {
    const Block& block = *any_site().block;
    s.block = slip(block.name);
    const auto& all = block.body->iterators;
    s.iterator =
        all.empty()
            ? "none"
            : slip(expr::name_of(all[static_cast<std::size_t>(rng_.below(all.size()))].axis));
    s.multiple = rng_.between(0, 5);
    return s;
  }
  Step make(DecomposePadding s) { return s.block = block_name(), s; }
  Step make(LiftSelect s) { return s.block = block_name(), s; }
  Step make(CanonicalNames s) { return s; }
  Step make(Normalize s) { return s.block = block_name(), s; }
  Step make(ComposeReduction s) { return s.block = block_name(), s; }
  Step make(SplitLocal s) {
    const Buffer* local = any_local();
    s.buffer = local == nullptr ? "none" : slip(local->name);
    const std::size_t rank = local == nullptr ? 1 : local->dims.size();
    s.dimension = rng_.between(0, static_cast<std::int64_t>(rank) - (rng_.chance(0.05) ? 0 : 1));
    const auto d = static_cast<std::size_t>(s.dimension);
    const std::int64_t extent = local == nullptr || d >= rank ? 4 : local->dims[d];
    s.points.push_back(rng_.between(rng_.chance(0.05) ? 0 : 1, extent));
    if (rng_.chance(0.2)) s.points.push_back(rng_.between(1, extent));
    return s;
  }
  Step make(CachePadded s) { return s.block = block_name(), s; }
  Step make(ShareLocal s) {
    const Buffer* gone = any_local();
    const Buffer* kept = any_local();
    s.buffer = gone == nullptr ? "none" : slip(gone->name);
    s.by = kept == nullptr ? "none" : slip(kept->name);
    return s;
  }
  // Mostly a reduction with the three loops of a tile below, and as large as they are.
  Step make(Tensorize s) {
    std::vector<const Loop*> nested = chain();
    for (int tries = 8; tries > 0 && nested.size() != 4; --tries) nested = chain();
    s.loop = nested.empty() ? "none" : slip(nested[0]->name());
    const std::int64_t rows = nested.size() > 1 && rng_.chance(0.9) ? nested[1]->extent() : 2;
    const std::int64_t vectors = nested.size() > 2 && rng_.chance(0.9) ? nested[2]->extent() : 2;
    s.kernel = std::to_string(rows) + "x" + std::to_string(vectors);
    s.registers = rng_.chance(0.8) ? 32 : 2;
    return s;
  }
  // Tiles of 4 round, and what comes out is compared bit by bit.
  Step make(Winograd s) {
    s.block = block_name();
    s.tile = rng_.chance(0.9) ? 2 : 3;
    return s;
  }

  const Program& program_;
  Rng& rng_;
  std::vector<Site> sites_;
  std::vector<const Loop*> loops_;
};

}  // namespace

Step random_step(const Program& program, Rng& rng) {
  return Proposer(program, rng).step(rng.below(std::variant_size_v<Preserving>));
}

}  // namespace cambium::schedule
