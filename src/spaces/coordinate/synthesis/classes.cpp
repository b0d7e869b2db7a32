#include "spaces/coordinate/synthesis/classes.h"

#include <algorithm>

#include "spaces/coordinate/semantic.h"
#include "spaces/coordinate/span.h"
#include "spaces/coordinate/structure.h"
#include "spaces/coordinate/synthesis/finish.h"

namespace cambium::spaces::coordinate::synthesis {
namespace {

constexpr std::uint64_t kMostOperators = 10'000'000;

bool is_in_both(const SmallSpace& small, std::string_view name) {
  if (name == "sum-in-one-weight") return !small.is_told_by_spans();
  return name == "weight-in-weight";
}

template <class Keep>
RuleSet rules_that(const SmallSpace& small, Keep keep) {
  RuleSet rules;
  for (const RuleInfo& info : rule_infos()) {
    if (!is_in_both(small, info.name) && !keep(info)) rules = rules.without(info.name).value();
  }
  return rules;
}

// Whether there is an UNFOLD on which the data does not depend.
bool has_outer_unfold(const Operator& op) {
  std::vector<bool> is_read(op.coordinates.size(), false);
  for (const CoordinateIndex i : op.data) is_read[static_cast<std::size_t>(i)] = true;
  for (std::size_t i = op.coordinates.size(); i-- > 0;) {  // operands come first
    const Coordinate& c = op.coordinates[i];
    if (c.kind == CoordinateKind::Unfold && !is_read[i]) return true;
    if (!is_read[i]) continue;
    if (c.first != kNoCoordinate) is_read[static_cast<std::size_t>(c.first)] = true;
    if (c.second != kNoCoordinate) is_read[static_cast<std::size_t>(c.second)] = true;
  }
  return false;
}

template <class Meaning>
Result<Classes> classes_of(Space& space, Meaning meaning) {
  Classes classes;
  Reach reach(space);
  const bool is_done =
      enumerate(space, reach, [&](StateId id, const Finishing& finishing, const Choice& choice) {
        Operator op = finish(space, finishing.anatomy(), choice);
        if (has_outer_unfold(op)) return true;
        if (++classes.operators > kMostOperators) return false;
        const int primitives =
            space.states.counts(id).all() + static_cast<int>(choice.weights.size());
        ++classes.by_size[static_cast<std::size_t>(primitives)].operators;
        const Result<Fingerprint> fingerprint = meaning(op);
        if (!fingerprint.ok()) {
          ++classes.unknown;
          return true;
        }
        const auto [place, is_new] =
            classes.first.try_emplace(*fingerprint, Classes::Member{op, primitives});
        if (!is_new && primitives < place->second.primitives) {
          place->second = {std::move(op), primitives};
        }
        return true;
      });
  if (!is_done) {
    return Rejection(Reason::TooLarge, "the space", "",
                     static_cast<std::int64_t>(classes.operators),
                     static_cast<std::int64_t>(kMostOperators));
  }
  for (const auto& [fingerprint, member] : classes.first) {
    ++classes.by_size[static_cast<std::size_t>(member.primitives)].classes;
  }
  return classes;
}

Result<Classes> classes_under(const SmallSpace& small, const RuleSet& rules) {
  const std::string binding = small.binding;
  CAMBIUM_TRY(Problem problem, problem_of(small.input, small.output, {&binding, 1}));
  SemanticHasher hasher(problem);
  const expr::Binding sizes = problem.bindings[0];
  CAMBIUM_TRY(const auto space, Space::make(std::move(problem), small.limits(), rules));
  const auto meaning = [&](const Operator& op) {
    return small.is_told_by_spans() ? span_of(op, sizes) : hasher.fingerprint(op);
  };
  return classes_of(*space, meaning);
}

}  // namespace

std::vector<const Operator*> Classes::lost_in(const Classes& others) const {
  std::vector<const Operator*> lost;
  for (const auto& [fingerprint, member] : first) {
    if (others.first.count(fingerprint) == 0) lost.push_back(&member.op);
  }
  return lost;
}

Limits SmallSpace::limits() const {
  Limits limits;
  limits.primitives = primitives;
  limits.reductions = reductions;
  limits.merges = merges;
  limits.weights = weights;
  limits.coefficient_power = 1;
  limits.expands = 1;
  limits.strides = 1;
  limits.window_ratio = 1;
  limits.odd_windows = false;
  limits.weight_free = true;
  limits.reduction_volume = 1000;
  limits.pooling = 1000;
  limits.occurrences = Limits::all_of(9);
  return limits;
}

std::string SmallSpace::name() const {
  return std::string(input) + " -> " + output + ", " + std::to_string(primitives) +
         " primitives, " + std::to_string(reductions) + " reductions, " + std::to_string(merges) +
         " merges, " + std::to_string(weights) + " weights";
}

std::span<const SmallSpace> small_spaces() {
  static constexpr SmallSpace kSpaces[] = {
      {"[L]", "[L]", "L=16, s=2", 4, 2, 0, 1},
      {"[A]", "[B]", "A=6, B=4, s=2", 4, 2, 0, 2},
      {"[L]", "[L]", "L=16, s=2", 5, 0, 2, 1},
      {"[A, B]", "[B, A]", "A=4, B=6, s=2", 5, 0, 1, 1},
      {"[C, L]", "[D, L]", "C=4, D=6, L=12, s=2", 4, 2, 0, 2},
      {"[L]", "[L]", "L=12, s=2, k=3", 5, 0, 2, 1},
      {"[L]", "[L]", "L=8, s=2", 5, 2, 1, 1},
      {"[A]", "[B]", "A=6, B=4, s=2", 5, 2, 1, 1},
  };
  return kSpaces;
}

Result<Audit> audit(const SmallSpace& space, std::span<const std::string_view> more_rules) {
  const auto is_more = [&](const RuleInfo& info) {
    return std::find(more_rules.begin(), more_rules.end(), info.name) != more_rules.end();
  };
  Audit out;
  CAMBIUM_TRY(out.all,
              classes_under(space, rules_that(space, [](const RuleInfo&) { return false; })));
  CAMBIUM_TRY(out.kept, classes_under(space, rules_that(space, [&](const RuleInfo& info) {
                                        return info.exactness == Exactness::Exact || is_more(info);
                                      })));
  out.lost = out.all.lost_in(out.kept);
  return out;
}

}  // namespace cambium::spaces::coordinate::synthesis
