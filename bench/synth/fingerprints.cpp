#include "synth/fingerprints.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "base/quantile.h"
#include "spaces/coordinate/all_terms.h"
#include "spaces/coordinate/document.h"
#include "spaces/coordinate/lowering/stages.h"
#include "spaces/coordinate/semantic.h"
#include "spaces/coordinate/synthesis/sample.h"
#include "synth/setting.h"

namespace cambium::bench {
namespace {

namespace coordinate = spaces::coordinate;
namespace synthesis = spaces::coordinate::synthesis;

constexpr std::int64_t kMostTerms = 1'000'000, kMostAtLarger = 20'000'000;

// Channels are a multiple of s*g, as many or twice as many come out, and k2 divides the image: as
// at the seven bindings of the setting.
constexpr const char* kSmall[] = {"N=1, Ci=8, Co=16, H=7, W=7, k=3, k2=7, s=2, g=4",
                                  "N=1, Ci=16, Co=16, H=7, W=7, k=3, k2=7, s=2, g=4"};
// The setting never has more than g*g/s channels, unlike the second of those, and Co*Ci/g^2 is no
// multiple of Ci there. What the small sizes say against a fingerprint is asked again at larger
// ones, and so is what has too many terms for the small ones, whose limit is lower.
constexpr const char* kLarger[] = {"N=1, Ci=16, Co=16, H=7, W=7, k=3, k2=7, s=2, g=8",
                                   "N=1, Ci=16, Co=32, H=7, W=7, k=3, k2=7, s=2, g=8",
                                   "N=1, Ci=32, Co=32, H=7, W=7, k=3, k2=7, s=2, g=8"};

Result<std::vector<coordinate::Operator>> sampled(synthesis::Space& space, std::size_t count,
                                                  std::uint64_t seed) {
  synthesis::SampleOptions how;
  how.seed = seed;
  how.draws_per_path = 16;
  how.macs = coordinate::fewest_macs;
  how.least_macs = 0.15 * convolution_macs(space.problem);
  how.most_macs = 0.9 * convolution_macs(space.problem);
  synthesis::Sampler sampler(space, how);
  std::vector<coordinate::Operator> out;
  std::set<Fingerprint> seen;
  while (out.size() < count && !sampler.is_exhausted()) {
    const auto sample = sampler.trial();
    if (sample && seen.insert(coordinate::identity(space.problem, sample->op)).second) {
      out.push_back(sample->op);
    }
  }
  return out;
}

// What all terms of operators say at some sizes.
class Meanings {
 public:
  using Meaning = std::vector<std::optional<Fingerprint>>;  // none where there are too many terms

  static Result<Meanings> at(const coordinate::Problem& problem, std::span<const char* const> sizes,
                             std::int64_t most_terms) {
    Meanings out;
    out.most_terms_ = most_terms;
    for (const char* text : sizes) {
      CAMBIUM_TRY(const expr::Binding at, problem.sizes.parse_binding(text));
      out.sizes_.push_back(at);
    }
    return out;
  }

  const Meaning& of(const std::vector<coordinate::Operator>& ops, std::size_t i) {
    const auto [place, is_new] = known_.try_emplace(i);
    for (std::size_t at = 0; is_new && at < sizes_.size(); ++at) {
      const auto found = coordinate::fingerprint_of_all_terms(ops[i], sizes_[at], most_terms_);
      place->second.push_back(found.ok() ? std::optional(*found) : std::nullopt);
    }
    return place->second;
  }

 private:
  std::vector<expr::Binding> sizes_;
  std::int64_t most_terms_ = 0;
  std::map<std::size_t, Meaning> known_;  // by the number of the operator
};

// At some size; none where no size has both meanings.
std::optional<bool> differ(const Meanings::Meaning& a, const Meanings::Meaning& b) {
  std::optional<bool> found;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] && b[i]) found = found.value_or(false) || *a[i] != *b[i];
  }
  return found;
}

template <class Work>
double microseconds(const Work& work) {
  const auto from = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - from).count();
}

}  // namespace

Result<FingerprintErrors> measure_fingerprints(std::size_t operators, std::size_t held,
                                               std::uint64_t seed) {
  CAMBIUM_TRY(const auto space, resnet_space(12));
  CAMBIUM_TRY(const auto ops, sampled(*space, operators, seed));
  CAMBIUM_TRY(Meanings small, Meanings::at(space->problem, kSmall, kMostTerms));
  CAMBIUM_TRY(Meanings larger, Meanings::at(space->problem, kLarger, kMostAtLarger));
  coordinate::SemanticHasher hasher(space->problem);
  FingerprintErrors out;
  std::vector<double> first, whole;
  std::map<Fingerprint, std::vector<std::size_t>> groups;
  std::vector<Fingerprint> prints;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    first.push_back(microseconds([&] { (void)hasher.first_hash(ops[i]); }));
    Result<Fingerprint> print = Rejection(Reason::SizeOutOfRange);
    whole.push_back(microseconds([&] { print = hasher.fingerprint(ops[i]); }));
    if (!print.ok()) return print.rejection();
    prints.push_back(*print);
    groups[*print].push_back(i);
  }
  const auto report = [&](const char* what, const coordinate::Operator& a,
                          const coordinate::Operator& b) {
    out.errors.push_back(fmt::format("{}:\n{}and\n{}", what, coordinate::to_text(space->problem, a),
                                     coordinate::to_text(space->problem, b)));
  };
  out.operators = ops.size();
  out.fingerprints = groups.size();
  out.first_us = median(first);
  out.whole_us = median(whole);
  for (const auto& [print, members] : groups) {
    if (members.size() < 2) continue;
    out.compared += members.size();
    std::vector<std::size_t> functions;  // the first operator of each
    for (const std::size_t i : members) {
      bool is_new = true, is_equal = false;  // neither: nobody knows
      for (const std::size_t other : functions) {
        auto objection = differ(small.of(ops, i), small.of(ops, other));
        if (objection != false) objection = differ(larger.of(ops, i), larger.of(ops, other));
        is_new = is_new && objection == true;
        is_equal = is_equal || objection == false;
      }
      if (!is_new && !is_equal) ++out.unjudged;
      if (!is_new) continue;
      if (!functions.empty()) report("merged wrongly", ops[functions.front()], ops[i]);
      functions.push_back(i);
    }
    out.merged += functions.size() - 1;
  }
  std::map<std::vector<Fingerprint>, std::vector<std::size_t>> by_meaning;
  for (std::size_t i = 0; i < std::min(held, ops.size()); ++i) {
    std::vector<Fingerprint> key;
    for (const auto& at : small.of(ops, i)) {
      if (at) key.push_back(*at);
    }
    if (key.size() < std::size(kSmall)) continue;
    ++out.held;
    std::vector<std::size_t>& equal = by_meaning[key];
    const bool is_split = std::any_of(equal.begin(), equal.end(), [&](std::size_t other) {
      return prints[i] != prints[other] && differ(larger.of(ops, i), larger.of(ops, other)) != true;
    });
    if (is_split) report("split", ops[equal.front()], ops[i]);
    out.split += is_split ? 1 : 0;
    equal.push_back(i);
  }
  return out;
}

}  // namespace cambium::bench
