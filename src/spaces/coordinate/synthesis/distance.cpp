#include "spaces/coordinate/synthesis/distance.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <optional>

#include "spaces/coordinate/synthesis/primitives/stride.h"

namespace cambium::spaces::coordinate::synthesis {
namespace {

// Whether some legal size with this variable can be a window, that is small and odd. Tries all
// sizes, variable by variable.
bool is_in_a_window(const Space& space, expr::SizeVar wanted, const expr::Size& size, int var,
                    int variables, int powers) {
  const Limits& limits = space.limits;
  if (size.powers()[wanted] > 0) {
    bool fits = true;
    for (const expr::Binding& binding : space.problem.bindings) {
      const std::int64_t value = space.sizes.value(size, binding);
      fits = fits && value > 0 && value <= limits.window && (!limits.odd_windows || value % 2 == 1);
    }
    if (fits) return true;
  }
  const std::vector<expr::SizeVar> vars = space.problem.sizes.vars();
  if (variables == limits.size_variables) return false;
  for (auto v = static_cast<std::size_t>(var); v < vars.size(); ++v) {
    const int most = limits.size_powers - powers;
    for (int power = vars[v].is_primary() ? 1 : -most; power <= most; ++power) {
      if (power == 0) continue;
      const Result<expr::Size> next = expr::product(size, expr::Size::var(vars[v], power));
      if (is_in_a_window(space, wanted, *next, static_cast<int>(v) + 1, variables + 1,
                         powers + std::abs(power))) {
        return true;
      }
    }
  }
  return false;
}

bool has_primary_below(const Space& space, SizeId size) {
  const expr::Powers& powers = space.sizes[size].size.powers();
  for (std::uint8_t v = 0; v < expr::kMaxPrimary; ++v) {
    if (powers[expr::SizeVar{v}] < 0) return true;
  }
  return false;
}

}  // namespace

Distances::Distances(Space& space, std::size_t most_known)
    : space_(space), most_known_(most_known) {
  for (const expr::SizeVar v : space.problem.sizes.vars()) {
    if (!v.is_primary()) continue;
    fits_window_[v.index] = is_in_a_window(space, v, expr::Size(), 0, 0, 0);
  }
  // Under an UNFOLD it could be, if its window is no reduction: that takes a piece of an output,
  // for which there is no MERGE left, or a whole one.
  bool is_output_a_window = false;
  for (const CoordId c : space.outputs) {
    is_output_a_window |= space.sizes[space.coordinates.size(c)].greatest <= space.limits.window;
  }
  are_reductions_whole_ = space.rules.has("merge-of-reduce") &&
                          space.rules.has("unfold-of-reductions") && space.limits.merges <= 1 &&
                          !is_output_a_window;
}

// Forms groups one after another: the first axis without a group, further axes that join it, and
// the coordinates that make them.
struct Distances::Search {
  // A partial decision: what is left, and the cost so far.
  struct Partial {
    std::uint32_t axes, coords;  // without a group
    int splits = 0, merges = 0, eliminated = 0, strides = 0;
  };

  Distances& distances;
  Space& space;
  const Multiset& sizes;
  int strides;  // all of them are used
  Reshapes best;

  // No better result is possible from here, because costs only rise.
  bool is_hopeless(const Partial& p) const {
    if (p.merges > space.limits.merges || p.splits > space.limits.splits) return true;
    if (p.strides > strides) return true;
    const int cost = p.splits + p.merges;
    const auto m = static_cast<std::size_t>(p.merges);
    return cost >= best.exact[m] && cost >= best.eliminating[m] &&
           cost + p.eliminated >= best.one_by_one[m];
  }

  void finish(const Partial& p) {
    if (p.strides < strides) return;
    const int all = p.eliminated + std::popcount(p.coords);
    const int cost = p.splits + p.merges;
    const auto lower = [&](Costs& costs, int value) {
      for (auto m = static_cast<std::size_t>(p.merges); m < costs.size(); ++m) {
        costs[m] = std::min(costs[m], static_cast<std::uint8_t>(value));
      }
    };
    lower(all == 0 ? best.exact : best.eliminating, cost);
    lower(best.one_by_one, cost + all);
  }

  void assign(const Partial& p) {
    if (is_hopeless(p)) return;
    if (p.axes == 0) return finish(p);
    const std::uint32_t first = p.axes & -p.axes, others = p.axes & ~first;
    for (std::uint32_t joined = 0;; joined = (joined - others) & others) {
      SizeId wanted = kSizeOne;
      for (std::uint32_t rest = first | joined; rest != 0; rest &= rest - 1) {
        const auto axis = static_cast<std::size_t>(std::countr_zero(rest));
        wanted = space.sizes.product(wanted, space.input[axis]);
      }
      Partial next = p;
      next.axes = others & ~joined;
      next.merges += std::popcount(joined);  // |I| - 1
      if (!is_hopeless(next)) fill(next, {wanted, kSizeOne, 0, joined != 0});
      if (joined == others) break;
    }
  }

  // A group in the making: the sizes of its axes and of its members, the number of members, and
  // whether a single member could not be cut as needed.
  struct Group {
    SizeId wanted, held;
    int members = 0;
    bool is_joined = false;  // of several axes
    bool is_whole = false;   // its last member may not be merged
    std::size_t from = 0;    // members beyond those that bring variables come in order
  };

  // A primary variable that the axes have more of than the members.
  std::optional<expr::SizeVar> lacking(const Group& group) const {
    for (std::uint8_t v = 0; v < expr::kMaxPrimary; ++v) {
      const expr::SizeVar var{v};
      if (space.sizes[group.held].size.powers()[var] <
          space.sizes[group.wanted].size.powers()[var]) {
        return var;
      }
    }
    return std::nullopt;
  }

  void close_by_strides(const Partial& p, SizeId ratio) {
    const Missing missing = distances.missing(ratio);
    Partial closed = p;
    closed.strides += missing.exact;
    assign(closed);
    closed.strides = p.strides + missing.more;
    ++closed.merges;
    ++closed.eliminated;
    assign(closed);
  }

  void fill(const Partial& p, const Group& group) {
    if (group.wanted == kNoSize || group.held == kNoSize) return;
    const SizeId ratio = space.sizes.quotient(group.held, group.wanted);
    const bool is_cut = group.is_joined || ratio != kSizeOne;
    if (group.members > 0 && space.sizes.whole(ratio) &&
        !(group.members == 1 && group.is_whole && is_cut)) {
      Partial closed = p;
      if (ratio != kSizeOne) {
        ++closed.merges;
        ++closed.eliminated;
      }
      return assign(closed);  // with more members this group only costs more
    }
    if (group.members > 0 && p.strides < strides && ratio != kNoSize) close_by_strides(p, ratio);
    Partial next = p;
    next.splits += group.members > 0 ? 1 : 0;  // |O| - 1
    if (is_hopeless(next)) return;
    // A variable that the members lack must come from one of the rest.
    const std::optional<expr::SizeVar> lacked = lacking(group);
    std::uint32_t last = kNoSize;
    for (std::size_t i = lacked ? 0 : group.from; i < sizes.size(); ++i) {
      if ((p.coords >> i & 1) == 0 || sizes[i] == last) continue;  // equal ones are alike
      const auto size = static_cast<SizeId>(sizes[i] & 0xffff);
      if (lacked && space.sizes[size].size.powers()[*lacked] == 0) continue;
      last = sizes[i];
      next.coords = p.coords & ~(1U << i);
      Group larger = group;
      larger.held = space.sizes.product(group.held, size);
      ++larger.members;
      larger.is_whole = (sizes[i] & kWhole) != 0;
      if (!lacked) larger.from = i + 1;
      fill(next, larger);
    }
  }
};

Distances::Missing Distances::missing(SizeId ratio) {
  if (missing_.size() <= ratio) missing_.resize(ratio + std::size_t{64});
  Missing& known = missing_[ratio];
  if (known.exact != 0) return known;
  known = {kFar, kFar};
  if (has_primary_below(space_, ratio)) return known;
  const expr::Size& size = space_.sizes[ratio].size;
  known.more = 2;
  for (const SizeId step : space_.sizes.parameters()) {
    if (!is_step(space_, step)) continue;
    const Result<expr::Size> product = expr::product(size, space_.sizes[step].size);
    if (!product.ok()) continue;
    if (*product == expr::Size()) known.exact = 1;
    const auto& bindings = space_.problem.bindings;
    if (std::all_of(bindings.begin(), bindings.end(),
                    [&](const auto& at) { return space_.sizes.value(*product, at) > 0; })) {
      known.more = 1;
    }
  }
  const bool is_whole = space_.sizes.whole(space_.sizes.quotient(kSizeOne, ratio));
  if (known.exact == kFar && is_whole) known.exact = 2;
  return known;
}

Reshapes Distances::compute(const Multiset& sizes, int strides) {
  SizeId here = kSizeOne, there = kSizeOne;  // all elements
  for (const std::uint32_t s : sizes) {
    here = space_.sizes.product(here, static_cast<SizeId>(s & 0xffff));
  }
  for (const SizeId s : space_.input) there = space_.sizes.product(there, s);
  const SizeId ratio = space_.sizes.quotient(here, there);
  if (strides == 0 && !space_.sizes.whole(ratio)) return {};
  // Something is eliminated exactly if there is a surplus, or if a STRIDE waits for its window.
  // Skips results that are not needed.
  constexpr Costs kNotAsked{};
  const bool is_more = ratio != kSizeOne || strides > 0, is_weighted = space_.limits.weights > 0;
  Search search{*this, space_, sizes, strides, {}};
  if (is_more) search.best.exact = kNotAsked;
  if (!is_more) search.best.eliminating = kNotAsked;
  if (is_weighted) search.best.one_by_one = kNotAsked;
  Search::Partial all{};
  all.axes = (1U << space_.input.size()) - 1;
  all.coords = (1U << sizes.size()) - 1;
  search.assign(all);
  if (is_more) search.best.exact = kAllFar;
  if (!is_more) search.best.eliminating = kAllFar;
  if (is_weighted) search.best.one_by_one = kAllFar;
  return search.best;
}

std::uint32_t Distances::sized(const Coord& coord) const {
  const bool is_whole = are_reductions_whole_ && coord.kind == CoordinateKind::Reduce;
  return coord.size | (is_whole ? kWhole : 0);
}

Distances::Sized Distances::sized(const State& state) const {
  Sized out;
  for (const CoordId c : state.data) {
    const Coord& coord = space_.coordinates[c];
    out.sizes.push_back(sized(coord));
    out.strided += coord.kind == CoordinateKind::Stride;
  }
  out.counts = state.counts;
  out.occurrences = state.occurrences.primary;
  return out;
}

int Distances::least(const State& state, const Step& step) {
  Sized after = sized(state);
  const auto use_up = [&](CoordId c) {
    const Coord& coord = space_.coordinates[c];
    const std::uint32_t size = sized(coord);
    std::size_t place = 0;
    while (after.sizes[place] != size) ++place;
    after.sizes.erase(place);
    after.strided -= coord.kind == CoordinateKind::Stride;
    return coord.size;
  };
  const SizeId first = use_up(step.first);
  ++after.counts[step.kind];
  switch (step.kind) {
    case PrimitiveKind::Split:
      after.sizes.push_back(space_.sizes.product(first, use_up(step.second)));
      break;
    case PrimitiveKind::Merge:
      after.sizes.push_back(space_.sizes.quotient(first, step.size));
      after.sizes.push_back(step.size);
      break;
    case PrimitiveKind::Unfold:
      use_up(step.second);
      after.sizes.push_back(first);
      break;
    case PrimitiveKind::Stride:
      after.sizes.push_back(space_.sizes.product(first, step.size));
      after.occurrences += space_.sizes[step.size].occurrences.primary;
      ++after.strided;
      break;
    case PrimitiveKind::Shift: after.sizes.push_back(first); break;
    case PrimitiveKind::Expand: break;
    case PrimitiveKind::Reduce:
    case PrimitiveKind::Share:
    case PrimitiveKind::Contraction:
      CAMBIUM_CHECK(false, "only views have a distance before they are applied");
  }
  return least(after);
}

bool Distances::may_eliminate(const Sized& sized) const {
  return space_.limits.weights > 0 || sized.counts.unfolds < space_.limits.unfolds ||
         sized.counts.expands < space_.limits.expands;
}

void Distances::forget() {
  known_.clear();
  pool_.clear();
  table_ = Interned();
}

Reshapes Distances::reshapes(const Multiset& sizes, int strides) {
  if (known_.size() == most_known_) forget();
  std::uint64_t hash = sizes.size() + (static_cast<std::uint64_t>(strides) << 8);
  for (const std::uint32_t s : sizes) hash = mix(hash, s);
  const auto added = static_cast<std::uint32_t>(known_.size());
  const std::uint32_t place = table_.find_or_add(hash, added, [&](std::uint32_t other) {
    const Known& k = known_[other];
    return k.count == sizes.size() && k.strides == strides &&
           std::equal(sizes.begin(), sizes.end(), pool_.data() + k.offset);
  });
  if (place != added) return known_[place].reshapes;
  known_.push_back({static_cast<std::uint32_t>(pool_.size()),
                    static_cast<std::uint8_t>(sizes.size()), static_cast<std::uint8_t>(strides),
                    compute(sizes, strides)});
  pool_.insert(pool_.end(), sizes.begin(), sizes.end());
  return known_.back().reshapes;
}

// Only weights can eliminate a variable that no window can hold and no EXPAND can take, and weights
// may read a variable only so often.
bool Distances::is_beyond_occurrences(const Sized& sized) const {
  if (sized.counts.expands < space_.limits.expands) return false;
  const bool is_window_left = sized.counts.unfolds < space_.limits.unfolds;
  for (std::uint8_t v = 0; v < expr::kMaxPrimary; ++v) {
    if (is_window_left && fits_window_[v]) continue;
    const auto power = [&](std::uint32_t size) {
      return space_.sizes[static_cast<SizeId>(size & 0xffff)].size.powers()[expr::SizeVar{v}];
    };
    int eliminated = 0;
    for (const std::uint32_t size : sized.sizes) eliminated += power(size);
    for (const SizeId size : space_.input) eliminated -= power(size);
    const auto used = static_cast<int>(sized.occurrences >> (8 * v) & 0xff);
    if (eliminated > space_.limits.occurrences[v] - used) return true;
  }
  return false;
}

int Distances::least(Sized sized) {
  if (is_beyond_occurrences(sized)) return kFar;
  sort_few(sized.sizes);
  // Every STRIDE waits for an UNFOLD of its own.
  const int strides = std::min(space_.limits.strides - sized.counts.strides,
                               space_.limits.unfolds - sized.counts.unfolds - sized.strided);
  if (sized.strided > 0 && sized.counts.unfolds + sized.strided > space_.limits.unfolds)
    return kFar;
  int found = least(sized, 0);
  for (int n = 1; n <= strides && 2 * n < found; ++n) found = std::min(found, least(sized, n));
  return found;
}

int Distances::least(const Sized& sized, int strides) {
  const Reshapes known = reshapes(sized.sizes, strides);
  const int weight = space_.limits.weight_free ? 0 : 1;
  const int unfolds = sized.strided + strides;
  const int merges = space_.limits.merges - sized.counts.merges;
  const int splits = space_.limits.splits - sized.counts.splits;
  int least = kFar;
  for (int m = 0; m <= merges; ++m) {
    const auto at = static_cast<std::size_t>(m);
    const auto consider = [&](int reshapes, int others) {
      if (reshapes != kFar && reshapes - m <= splits) least = std::min(least, reshapes + others);
    };
    if (unfolds == 0) consider(known.exact[at], weight);
    if (!may_eliminate(sized)) continue;
    if (space_.limits.weights > 0) {
      consider(known.eliminating[at], std::max(weight + unfolds, 1) + strides);
    } else if (known.one_by_one[at] != kFar && known.eliminating[at] != kFar) {
      // These are the reshapes of `eliminating` or more; each further one eliminates.
      if (known.eliminating[at] - m <= splits) {
        least = std::min(
            least, std::max<int>(known.one_by_one[at], known.eliminating[at] + unfolds) + strides);
      }
    }
  }
  return least;
}

std::size_t Distances::bytes() const {
  return known_.capacity() * sizeof(Known) + pool_.capacity() * sizeof(std::uint32_t) +
         table_.bytes();
}

}  // namespace cambium::spaces::coordinate::synthesis
