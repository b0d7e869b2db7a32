#include "schedule/recipe/move_candidates.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "program/analysis.h"
#include "program/walk.h"
#include "schedule/neural/nest_contraction.h"

namespace cambium::schedule {
namespace {

using neural::Contraction;
using neural::LoopRole;
using neural::NestAxis;

constexpr std::array<std::int64_t, 4> kPeeled = {2, 4, 8, 16};
constexpr std::size_t kChannels = 1;  // the dimension behind the samples
constexpr std::array<std::string_view, 3> kSpaceLoops = {"d", "h", "w"};

struct ChannelLoop {
  std::string name;
  std::int64_t extent = 1;
};

// The loops of a nest that moves act on.
struct PieceLoops {
  std::vector<ChannelLoop> outs, ins, space, taps;
  bool has_groups = false;
};

PieceLoops loops_of(const Contraction& c) {
  PieceLoops loops;
  for (const NestAxis& axis : c.nest->axes) {
    if (axis.extent == 1 || axis.iterator == nullptr) continue;
    const ChannelLoop loop{std::string(axis.loop), axis.extent};
    const LoopRole role = c.role_of(axis);
    // Where one row is left of the output, the taps alone count the rows of x.
    const bool is_in = role == LoopRole::In && program::uses(c.x_at()[kChannels], axis.iterator);
    if (is_in) loops.ins.push_back(loop);
    if (role == LoopRole::Pixel) loops.space.push_back(loop);
    if (role == LoopRole::Tap || (role == LoopRole::In && !is_in)) loops.taps.push_back(loop);
    if (role != LoopRole::Out) continue;
    if (c.in_x(axis.iterator)) {
      loops.has_groups = true;
    } else {
      loops.outs.push_back(loop);
    }
  }
  // The order of loops depends on which of them a step brought outside.
  const auto by_name = [](const ChannelLoop& a, const ChannelLoop& b) { return a.name < b.name; };
  for (std::vector<ChannelLoop>* all : {&loops.outs, &loops.ins, &loops.space, &loops.taps}) {
    std::sort(all->begin(), all->end(), by_name);
  }
  return loops;
}

// That divide both.
std::vector<std::int64_t> factors_of(std::int64_t a, std::int64_t b, const MoveLimits& limits) {
  std::vector<std::int64_t> factors;
  for (std::int64_t factor = 2; factor <= limits.most_factor; ++factor) {
    if (a % factor == 0 && b % factor == 0) factors.push_back(factor);
  }
  return factors;
}

std::vector<PieceLoops> pieces_of(Context& cx, const Program& program, const Names& blocks) {
  std::vector<PieceLoops> pieces;
  neural::Draft draft(cx, program);
  for (const std::string& name : blocks) {
    const program::Block* const block = program::find_block(program, name);
    const Result<Contraction> c = contraction_of(draft, block);
    if (c.ok()) pieces.push_back(loops_of(*c));
  }
  return pieces;
}

// Writes moves that act on the loops of one nest.
class Writing {
 public:
  // `cut`: for labels, where the channels are cut before.
  Writing(const MoveLimits& limits, std::vector<Move>& moves, std::string cut = {})
      : limits_(limits), cut_(std::move(cut)), moves_(moves) {}

  void add_whole(const PieceLoops& piece) {
    if (limits_.narrows_outputs) add_narrow(piece);
    if (limits_.space) add_space(piece);
    if (limits_.slabs) add_slabs(piece);
    if (limits_.separates) add_separations(piece);
  }

  void add_channels(const PieceLoops& piece, const Trace& before, const std::string& cut,
                    std::int64_t skip) {
    for (const ChannelLoop& out : piece.outs) {
      for (const ChannelLoop& in : piece.ins) {
        add_groups(out, in, before, cut, skip);
        if (skip > 0) continue;
        if (out.extent == in.extent && out.extent > limits_.most_factor) {
          add(before, Depthwise{out.name, in.name}, cut + "depthwise", out.name);
        }
        if (limits_.interleaves) add_interleaved(out, in, before, cut);
      }
    }
    if (!cut.empty()) return;
    for (const ChannelLoop& in : piece.ins) {
      for_each_factor(in.extent, in.extent, [&](std::int64_t factor) {
        add(before, Bottleneck{in.name, factor, false}, "input bottleneck",
            fmt::format("{} {}", in.name, factor));
      });
    }
  }

 private:
  void add(Trace before, Step step, std::string kind, const std::string& rest) {
    before.push_back({std::move(step), {}});
    std::string label = kind + " " + cut_ + rest;
    moves_.push_back({std::move(before), std::move(kind), std::move(label)});
  }

  template <class F>
  void for_each_factor(std::int64_t a, std::int64_t b, const F& f) const {
    for (const std::int64_t factor : factors_of(a, b, limits_)) f(factor);
  }

  void add_groups(const ChannelLoop& out, const ChannelLoop& in, const Trace& before,
                  const std::string& cut, std::int64_t skip) {
    for_each_factor(out.extent, in.extent - skip, [&](std::int64_t factor) {
      add(before, Group{out.name, in.name, factor, skip}, cut + "group",
          fmt::format("{} {}", out.name, factor));
    });
  }

  void add_interleaved(const ChannelLoop& out, const ChannelLoop& in, const Trace& before,
                       const std::string& cut) {
    for_each_factor(out.extent, in.extent, [&](std::int64_t factor) {
      if (factor == in.extent) return;  // slices
      Trace steps = before;
      steps.push_back({Split{in.name, {0, factor}, Tail::Exact}, {}});
      add(std::move(steps), Group{out.name, in.name + ".1", factor, 0}, cut + "interleaved group",
          fmt::format("{} {}", out.name, factor));
    });
  }

  void add_narrow(const PieceLoops& piece) {
    for (const ChannelLoop& out : piece.outs) {
      for_each_factor(out.extent, out.extent, [&](std::int64_t factor) {
        add({}, Bottleneck{out.name, factor, true}, "bottleneck",
            fmt::format("{} {}", out.name, factor));
      });
    }
  }

  void add_space(const PieceLoops& piece) {
    for (const ChannelLoop& loop : piece.space) {
      if (std::find(kSpaceLoops.begin(), kSpaceLoops.end(), loop.name) == kSpaceLoops.end()) {
        continue;
      }
      for_each_factor(loop.extent, loop.extent, [&](std::int64_t factor) {
        add({}, Bottleneck{loop.name, factor, false}, "spatial bottleneck",
            fmt::format("{} {}", loop.name, factor));
      });
    }
  }

  void add_slabs(const PieceLoops& piece) {
    for (const ChannelLoop& rows : piece.space) {
      if (rows.name != "h") continue;
      for_each_factor(rows.extent, rows.extent, [&](std::int64_t factor) {
        const Trace split{{Split{rows.name, {factor, 0}, Tail::Exact}, {}}};
        add(split, GroupSlabs{rows.name + ".0"}, "slabs", fmt::format("h {}", factor));
        for (const ChannelLoop& out : piece.outs) {
          add(split, GroupChannels{rows.name + ".0", out.name}, "channel slabs",
              fmt::format("h {} {}", out.name, factor));
        }
      });
    }
  }

  // Channels apart from taps, either first; then the taps of the first axis apart from the rest.
  void add_separations(const PieceLoops& piece) {
    const auto names = [](const std::vector<ChannelLoop>& loops) {
      Names all;
      for (const ChannelLoop& loop : loops) all.push_back(loop.name);
      return all;
    };
    const auto add_one = [&](Names first, bool mixes) {
      if (first.empty()) return;
      const std::string label = fmt::format("{}{}", join(first, " "), mixes ? " mixed" : "");
      add({}, Separate{std::move(first), mixes}, "separate", label);
    };
    if (piece.taps.empty()) return;
    const Names ins = names(piece.ins), taps = names(piece.taps);
    if (!ins.empty()) {
      add_one(ins, false);
      add_one(taps, false);
    }
    if (taps.size() < 2) return;
    Names with_rows = ins;
    with_rows.push_back(taps[0]);
    add_one(with_rows, false);
    if (!ins.empty()) add_one(std::move(with_rows), true);
  }

  const MoveLimits& limits_;
  const std::string cut_;
  std::vector<Move>& moves_;
};

// How many moves Writing adds for the channels of a part that has so many outputs.
std::size_t count_in_part(const PieceLoops& piece, std::int64_t outs, std::int64_t skip,
                          const MoveLimits& limits) {
  std::size_t count = 0;
  for (const ChannelLoop& in : piece.ins) {
    count += factors_of(outs, in.extent - skip, limits).size();
    if (skip > 0) continue;
    if (outs == in.extent && outs > limits.most_factor) ++count;
    if (!limits.interleaves) continue;
    for (const std::int64_t factor : factors_of(outs, in.extent, limits)) {
      if (factor != in.extent) ++count;
    }
  }
  return count;
}

std::vector<PieceLoops> nests_now(const Schedule& schedule, const Original& original) {
  const Program& program = schedule.program();
  return pieces_of(schedule.context(), program,
                   nests_of(original.program, program, original.block));
}

}  // namespace

MoveCandidates::MoveCandidates(Schedule& schedule, const Original& original,
                               const MoveLimits& limits)
    : schedule_(schedule), original_(original), limits_(limits) {
  const std::vector<PieceLoops> pieces = nests_now(schedule, original);
  Writing writing(limits_, direct_);
  for (const PieceLoops& piece : pieces) writing.add_channels(piece, {}, "", 0);
  if (pieces.size() == 1) writing.add_whole(pieces[0]);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const PieceLoops& piece = pieces[i];
    // A cut alone changes nothing, and parts of groups are none of the catalogue's forms.
    if (piece.outs.size() != 1 || piece.has_groups) continue;
    const ChannelLoop& out = piece.outs[0];
    const auto count = [&](std::int64_t outs, std::int64_t skip) {
      return count_in_part(piece, outs, skip, limits_);
    };
    if (out.extent % 2 == 0) {
      const std::int64_t half = out.extent / 2;
      cuts_.push_back({out.name, half, i, false, 2 * count(half, 0)});
    }
    for (const std::int64_t point : kPeeled) {
      if (point >= out.extent) continue;
      cuts_.push_back({out.name, point, i, true, count(out.extent - point, point)});
    }
  }
  count_ = direct_.size();
  for (const Cut& cut : cuts_) count_ += cut.count;
}

const std::vector<Move>& MoveCandidates::moves_of(Cut& cut) {
  if (cut.moves) return *cut.moves;
  std::vector<Move>& moves = cut.moves.emplace();
  const Schedule::Mark mark = schedule_.mark();
  const Record partition{Partition{cut.loop, {cut.point}}, {}};
  if (apply_written(schedule_, partition).ok()) {
    const std::vector<PieceLoops> parts = nests_now(schedule_, original_);
    const std::string kind = cut.peels ? "peel " : "half ";
    Writing writing(limits_, moves, fmt::format("{} at {}, ", cut.loop, cut.point));
    if (cut.nest + 1 < parts.size()) {
      if (!cut.peels) writing.add_channels(parts[cut.nest], {partition}, kind, 0);
      writing.add_channels(parts[cut.nest + 1], {partition}, kind, cut.peels ? cut.point : 0);
    }
  }
  schedule_.back_to(mark);
  return moves;
}

const Move* MoveCandidates::at(std::size_t number) {
  if (number < direct_.size()) return &direct_[number];
  number -= direct_.size();
  for (Cut& cut : cuts_) {
    if (number < cut.count) {
      const std::vector<Move>& moves = moves_of(cut);
      return number < moves.size() ? &moves[number] : nullptr;
    }
    number -= cut.count;
  }
  return nullptr;
}

std::vector<Move> MoveCandidates::all() {
  std::vector<Move> moves = direct_;
  for (Cut& cut : cuts_) {
    const std::vector<Move>& more = moves_of(cut);
    moves.insert(moves.end(), more.begin(), more.end());
  }
  return moves;
}

}  // namespace cambium::schedule
