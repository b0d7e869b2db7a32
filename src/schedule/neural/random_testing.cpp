#include "schedule/neural/random_testing.h"

#include <algorithm>
#include <set>

#include "base/random.h"
#include "program/walk.h"

namespace cambium::schedule {
namespace {

class Proposer {
 public:
  Proposer(Context& cx, std::uint64_t seed)
      : rng_(seed),
        run_{
            Schedule(cx, conv_program(cx, random_conv(seed))), ConvTable(random_conv(seed)), 0, {}},
        fresh_(1, true) {}

  RandomNeural run() {
    const std::int64_t steps = rng_.between(1, 12);
    for (std::int64_t i = 0; i < steps; ++i) step();
    if (!rng_.chance(0.3) || !separate()) finish();
    return std::move(run_);
  }

 private:
  using Move = void (Proposer::*)(TablePart&);

  void step() {
    static constexpr Move kMoves[] = {
        &Proposer::reorder,    &Proposer::split,      &Proposer::split,      &Proposer::partition,
        &Proposer::bottleneck, &Proposer::bottleneck, &Proposer::bottleneck, &Proposer::group,
        &Proposer::group,      &Proposer::depthwise,  &Proposer::slabs,      &Proposer::fuse_pixels,
        &Proposer::channels};
    std::vector<TablePart>& parts = run_.table.parts();
    const std::size_t part = static_cast<std::size_t>(rng_.below(parts.size()));
    (this->*kMoves[rng_.below(std::size(kMoves))])(parts[part]);
  }

  Names apply(const Step& step) {
    if (!run_.error.empty()) return Names(16, "?");
    Result<Names> made = run_.schedule.apply(step);
    if (made.ok()) return *made;
    run_.error = to_text(step) + ": " + made.rejection().message();
    return Names(16, "?");
  }
  Names apply_neural(const Step& step) {
    ++run_.neural;
    return apply(step);
  }
  bool failed() const { return !run_.error.empty(); }

  Names loops_of(const TablePart& part) const {
    Names names;
    for (const program::Site& site : program::sites_of(run_.schedule.program())) {
      if (site.block->name != part.block) continue;
      for (const program::Loop* loop : site.loops) names.emplace_back(loop->name());
    }
    return names;
  }

  // These loops first, the others behind them in any order.
  void put_first(const TablePart& part, const Names& first) {
    Names rest;
    for (const std::string& name : loops_of(part)) {
      if (std::find(first.begin(), first.end(), name) == first.end()) rest.push_back(name);
    }
    rng_.shuffle(std::span(rest));
    Names order = first;
    order.insert(order.end(), rest.begin(), rest.end());
    apply(Reorder{order});
  }

  // A loop that counts that and is longer than 1; "" if there is none.
  std::string some_loop(const TablePart& part, Counts counts) {
    Names names;
    for (const TableLoop& loop : part.loops) {
      if (loop.counts == counts && loop.extent > 1 && slab_loops_.count(loop.name) == 0 &&
          loop.name.find(' ') == std::string::npos) {
        names.push_back(loop.name);
      }
    }
    return names.empty() ? "" : names[rng_.below(names.size())];
  }
  std::int64_t some_divisor(std::int64_t number, std::int64_t least) {
    Ints all;
    for (std::int64_t d = least; d <= number; ++d) {
      if (number % d == 0) all.push_back(d);
    }
    return all.empty() ? 0 : all[rng_.below(all.size())];
  }

  void reorder(TablePart& part) { put_first(part, {}); }

  void split(TablePart& part) {
    static constexpr Counts kSplit[] = {Counts::Out, Counts::In, Counts::Row, Counts::Column};
    const std::string loop = some_loop(part, kSplit[rng_.below(4)]);
    if (loop.empty()) return;
    const std::int64_t inner = some_divisor(part.loop(loop).extent, 1);
    const Names made = apply(Split{loop, {0, inner}, Tail::Exact});
    if (failed()) return;
    if (groups_.count(loop) > 0) groups_.insert({made[0], made[1]});
    run_.table.split(part, loop, made, inner);
  }

  // The last part only, as long as it is as it was.
  void partition(TablePart&) {
    TablePart& part = run_.table.parts().back();
    const Names outs = part.names_of(Counts::Out);
    if (!fresh_.back() || outs.size() != 1 || part.loop(outs[0]).extent < 2) return;
    put_first(part, outs);
    const Names before = loops_of(part);
    const std::int64_t cut = rng_.between(1, part.loop(outs[0]).extent - 1);
    apply(Partition{outs[0], {cut}});
    if (failed()) return;
    const std::vector<program::Site> sites = program::sites_of(run_.schedule.program());
    const auto first = std::find_if(sites.begin(), sites.end(), [&](const program::Site& site) {
      return site.block->name == part.block;
    });
    TablePart next;
    next.block = (first + 1)->block->name;
    const Names after = loops_of(next);
    run_.table.partition(outs[0], cut, next.block, before, after);
    fresh_.push_back(true);
  }

  void touched(const TablePart& part) {
    const std::vector<TablePart>& parts = run_.table.parts();
    fresh_[static_cast<std::size_t>(&part - parts.data())] = false;
  }

  void bottleneck(TablePart& part) {
    static constexpr Counts kCounts[] = {Counts::Out,    Counts::Out,      Counts::In,
                                         Counts::In,     Counts::Row,      Counts::Column,
                                         Counts::TapRow, Counts::TapColumn};
    const Counts counts = kCounts[rng_.below(std::size(kCounts))];
    const bool writes = counts == Counts::Out || counts == Counts::Row || counts == Counts::Column;
    if (writes && (run_.table.parts().size() > 1 || part.slab_channels > 0)) return;
    const std::string loop = some_loop(part, counts);
    if (loop.empty()) return;
    const std::int64_t factor = some_divisor(part.loop(loop).extent, 2);
    const bool accept = run_.table.spec().tail != ConvTail::SecondConv;
    put_first(part, {loop});
    apply_neural(Bottleneck{loop, factor, accept});
    if (failed()) return;
    run_.table.bottleneck(part, loop, factor);
    rows_coarse_ = rows_coarse_ || counts == Counts::Row;
    touched(part);
  }

  std::string some_out(const TablePart& part) {
    const std::string loop = some_loop(part, Counts::Out);
    return groups_.count(loop) > 0 ? "" : loop;
  }

  void group(TablePart& part) {
    const std::string outer = some_out(part), inner = some_loop(part, Counts::In);
    if (outer.empty() || inner.empty()) return;
    const std::int64_t factor = some_divisor(part.loop(outer).extent, 2);
    const std::int64_t ins = part.loop(inner).extent;
    const std::int64_t skip = rng_.chance(0.5) ? rng_.between(0, ins - 1) : 0;
    if ((ins - skip) % factor != 0) return;
    put_first(part, {outer, inner});
    const Names made = apply_neural(Group{outer, inner, factor, skip});
    if (failed()) return;
    run_.table.group(part, outer, inner, factor, skip, made[0]);
    groups_.insert(made[0]);
    touched(part);
  }

  void depthwise(TablePart& part) {
    const std::string outer = some_out(part), inner = some_loop(part, Counts::In);
    if (outer.empty() || inner.empty()) return;
    if (part.loop(outer).extent != part.loop(inner).extent) return;
    put_first(part, {outer, inner});
    const Names made = apply_neural(Depthwise{outer, inner});
    if (failed()) return;
    run_.table.depthwise(part, outer, inner, made[0]);
    groups_.insert(made[0]);
    touched(part);
  }

  // The loop over the largest pieces of the rows; "" unless it has several.
  std::string top_rows(TablePart& part) {
    const TableLoop* top = nullptr;
    for (const TableLoop& loop : part.loops) {
      if (loop.counts != Counts::Row || loop.extent == 1) continue;
      if (top == nullptr || loop.place > top->place) top = &loop;
    }
    return top == nullptr ? "" : top->name;
  }

  void slabs(TablePart& part) {
    const ConvSpec& spec = run_.table.spec();
    const std::string rows = top_rows(part);
    if (rows.empty() || rows_coarse_ || part.slab_height > 0 || part.slab_channels > 0) return;
    if (spec.out_h() * spec.stride != spec.h) return;
    put_first(part, {rows});
    apply_neural(GroupSlabs{rows});
    if (failed()) return;
    run_.table.group_slabs(part, rows);
    slab_loops_.insert(rows);
    touched(part);
  }

  void channels(TablePart& part) {
    const std::string rows = top_rows(part);
    const Names outs = part.names_of(Counts::Out);
    if (rows.empty() || outs.size() != 1 || part.slab_height > 0 || part.slab_channels > 0) return;
    if (part.loop(outs[0]).extent % part.loop(rows).extent != 0) return;
    put_first(part, {rows, outs[0]});
    apply_neural(GroupChannels{rows, outs[0]});
    if (failed()) return;
    run_.table.group_channels(part, rows, outs[0]);
    slab_loops_.insert(rows);
    touched(part);
  }

  // Rows and columns become one loop, which neural steps then leave alone.
  void fuse_pixels(TablePart& part) {
    const std::string row = some_loop(part, Counts::Row), column = some_loop(part, Counts::Column);
    if (row.empty() || column.empty() || part.slab_height > 0 || part.slab_channels > 0) return;
    if (run_.table.parts().size() > 1) return;
    put_first(part, {row, column});
    apply(Fuse{{row, column}});
    is_fused_ = true;
    part.loops.erase(std::remove_if(part.loops.begin(), part.loops.end(),
                                    [](const TableLoop& loop) {
                                      return loop.counts == Counts::Row ||
                                             loop.counts == Counts::Column;
                                    }),
                     part.loops.end());
    touched(part);
  }

  // The whole convolution as two sums; nothing comes behind it. False where that is not possible.
  bool separate() {
    TablePart& part = run_.table.parts().front();
    if (run_.table.parts().size() > 1 || !groups_.empty() || !slab_loops_.empty()) return false;
    if (is_fused_ || failed()) return false;
    const auto names = [&](Counts counts, std::int64_t* count) {
      Names all;
      for (const TableLoop& loop : part.loops) {
        if (loop.counts != counts || loop.extent == 1) continue;
        all.push_back(loop.name);
        *count *= loop.extent;
      }
      return all;
    };
    std::int64_t ins = 1, rows = 1, columns = 1;
    const Names in = names(Counts::In, &ins), row = names(Counts::TapRow, &rows);
    const Names column = names(Counts::TapColumn, &columns);
    // Along an image of one pixel, taps cannot be told from input channels.
    std::int64_t heights = 1, widths = 1;
    names(Counts::Row, &heights);
    names(Counts::Column, &widths);
    if (heights == 1 || widths == 1) return false;
    ConvTable::Separation how;
    how.has_rows = rng_.chance(0.5);
    how.has_columns = rng_.chance(0.5);
    how.keeps_ins = ins > 1 && rng_.chance(0.5);
    how.mixes = !how.keeps_ins && rng_.chance(0.5);
    const std::int64_t first =
        (how.keeps_ins ? 1 : ins) * (how.has_rows ? rows : 1) * (how.has_columns ? columns : 1);
    if (first == 1 || (first == ins * rows * columns && !how.mixes)) return false;
    Separate step{{}, how.mixes};
    const auto add = [&](const Names& loops, bool is_first) {
      if (is_first) step.first.insert(step.first.end(), loops.begin(), loops.end());
    };
    add(in, !how.keeps_ins);
    add(row, how.has_rows);
    add(column, how.has_columns);
    apply_neural(step);
    if (!failed()) run_.table.separate(how);
    return true;
  }

  // What a schedule would do next, to show that neural steps leave ordinary programs behind.
  void finish() {
    for (const TablePart& part : run_.table.parts()) {
      const Names loops = loops_of(part);
      const auto is_spatial = [&](const std::string& name) {
        return std::none_of(part.loops.begin(), part.loops.end(), [&](const TableLoop& loop) {
          return loop.name == name && (loop.counts == Counts::In || loop.counts == Counts::TapRow ||
                                       loop.counts == Counts::TapColumn);
        });
      };
      const std::size_t i = static_cast<std::size_t>(rng_.below(loops.size()));
      if (i + 1 < loops.size() && rng_.chance(0.5) &&
          is_spatial(loops[i]) == is_spatial(loops[i + 1])) {
        apply(Fuse{{loops[i], loops[i + 1]}});
      } else if (rng_.chance(0.5)) {
        apply(Unroll{loops[i]});
      } else if (is_spatial(loops[i])) {
        apply(Parallel{loops[i]});
      }
    }
  }

  Rng rng_;
  RandomNeural run_;
  std::vector<bool> fresh_;  // of each part: no neural step has changed it
  std::set<std::string> groups_, slab_loops_;
  bool rows_coarse_ = false, is_fused_ = false;
};

}  // namespace

ConvSpec random_conv(std::uint64_t seed) {
  Rng rng = Rng(seed).split("conv");
  ConvSpec spec;
  spec.n = rng.between(1, 2);
  spec.ci = 2 * rng.between(1, 4);
  spec.co = 2 * rng.between(1, 4);
  spec.h = 2 * rng.between(2, 3);
  spec.w = 2 * rng.between(2, 3);
  spec.k = rng.between(1, 4);
  spec.stride = rng.between(1, 2);
  spec.pad = rng.chance(0.7) ? (spec.k - 1) / 2 : 0;
  spec.channels_last = rng.chance(0.4);
  spec.tail = static_cast<ConvTail>(rng.below(3));
  return spec;
}

RandomNeural random_neural(Context& cx, std::uint64_t seed) {
  return Proposer(cx, seed).run();
}

}  // namespace cambium::schedule
