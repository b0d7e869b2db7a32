#include "synth/canonical.h"

#include <unordered_set>

#include "spaces/coordinate/document.h"
#include "spaces/coordinate/semantic.h"
#include "spaces/coordinate/structure.h"
#include "spaces/coordinate/synthesis/classes.h"
#include "spaces/coordinate/synthesis/finish.h"
#include "spaces/coordinate/synthesis/path.h"
#include "stopwatch.h"
#include "synth/setting.h"

namespace cambium::bench {
namespace {

namespace coordinate = spaces::coordinate;
namespace synthesis = spaces::coordinate::synthesis;
using coordinate::Operator;

// Calls with operators of exactly this many primitives, each once: all of them, or, where there are
// more than `most`, so many drawn at random in so many seconds. True if it was all of them.
template <class Use>
Result<bool> for_operators(int primitives, const synthesis::RuleSet& rules, std::uint64_t most,
                           double seconds, std::uint64_t seed, Use use) {
  CAMBIUM_TRY(const auto space, resnet_space(primitives, rules));
  const Stopwatch begin;
  std::vector<Operator> all;
  synthesis::Reach reach(*space);
  const bool is_all = enumerate(*space, reach,
                                [&](synthesis::StateId, const synthesis::Finishing& finishing,
                                    const synthesis::Choice& choice) {
                                  Operator op = finish(*space, finishing.anatomy(), choice);
                                  if (coordinate::primitive_count(op) == primitives)
                                    all.push_back(std::move(op));
                                  return all.size() <= most && begin.seconds() < seconds;
                                });
  if (is_all) {
    for (const Operator& op : all) use(op);
    return true;
  }
  synthesis::SampleOptions how;
  how.seed = seed;
  how.guide = synthesis::Guide::Distance;
  synthesis::Sampler sampler(*space, how);
  std::unordered_set<Fingerprint> drawn;
  const Stopwatch draw_begin;
  while (drawn.size() < most && draw_begin.seconds() < seconds) {
    const auto sample = sampler.trial();
    if (!sample || coordinate::primitive_count(sample->op) != primitives) continue;
    if (drawn.insert(coordinate::identity(space->problem, sample->op)).second) {
      use(sample->op);
    }
  }
  return false;
}

// How many different functions were met; what is too large to tell counts as one of its own.
class Meanings {
 public:
  Meanings() : hasher_(resnet_problem().value()) {}
  void add(const Operator& op) {
    const Result<Fingerprint> fingerprint = hasher_.fingerprint(op);
    if (fingerprint.ok()) {
      known_.insert(*fingerprint);
    } else {
      ++unknown_;
    }
  }
  std::uint64_t count() const { return known_.size() + unknown_; }

 private:
  coordinate::SemanticHasher hasher_;
  std::unordered_set<Fingerprint> known_;
  std::uint64_t unknown_ = 0;
};

}  // namespace

Result<std::vector<CanonicalRate>> measure_canonical_rates(int most_primitives, std::uint64_t most,
                                                           double seconds, std::uint64_t seed) {
  std::vector<CanonicalRate> rates;
  for (int primitives = 2; primitives <= most_primitives; ++primitives) {
    CAMBIUM_TRY(const auto exact, resnet_space(primitives, synthesis::RuleSet::exact()));
    CAMBIUM_TRY(const auto canonical, resnet_space(primitives));
    CanonicalRate rate;
    rate.primitives = primitives;
    Meanings meanings;
    CAMBIUM_TRY(rate.is_exhaustive, for_operators(primitives, synthesis::RuleSet::none(), most,
                                                  seconds, seed, [&](const Operator& op) {
                                                    ++rate.operators;
                                                    meanings.add(op);
                                                    rate.exact += path_to(*exact, op).is_in_space();
                                                    const synthesis::Path path =
                                                        path_to(*canonical, op);
                                                    rate.all += path.is_in_space();
                                                    if (!path.is_in_space())
                                                      ++rate.refused[path.forbidden_by];
                                                  }));
    rate.meanings = meanings.count();
    rates.push_back(std::move(rate));
  }
  return rates;
}

Result<std::vector<Duplicates>> measure_duplicates(int most_primitives, std::uint64_t most,
                                                   double seconds, std::uint64_t seed) {
  std::vector<Duplicates> rows;
  for (int primitives = 2; primitives <= most_primitives; ++primitives) {
    Duplicates row;
    row.primitives = primitives;
    Meanings meanings;
    CAMBIUM_TRY(row.is_exhaustive,
                for_operators(primitives, {}, most, seconds, seed, [&](const Operator& op) {
                  ++row.operators;
                  meanings.add(op);
                }));
    row.meanings = meanings.count();
    rows.push_back(row);
  }
  return rows;
}

Result<std::vector<Exactness>> measure_exactness() {
  std::vector<Exactness> rows;
  for (const synthesis::SmallSpace& small : synthesis::small_spaces()) {
    CAMBIUM_TRY(const synthesis::Audit audit, synthesis::audit(small));
    rows.push_back({small.name(), audit.all.operators, audit.all.first.size(), audit.kept.operators,
                    audit.kept.first.size(), audit.lost.size()});
  }
  return rows;
}

}  // namespace cambium::bench
