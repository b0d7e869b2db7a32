#include "spaces/coordinate/synthesis/distinct.h"

#include "spaces/coordinate/document.h"

namespace cambium::spaces::coordinate::synthesis {

namespace {

// Trials without a new operator after which a space counts as exhausted, and those without any
// after which it is asked whether there is one.
constexpr std::uint64_t kPatience = 200'000, kDoubt = 2'000;
// So many operators are drawn several at a time: weights for one data path.
constexpr std::uint64_t kMany = 100;
constexpr int kDrawsOfMany = 4;

// Why nothing was found, once all of a space was drawn or it seems so.
Rejection nothing_found(const std::string& name, const Sampler& sampler) {
  const SampleStatistics& s = sampler.statistics();
  if (s.over_budget + s.pruned == 0) {
    return Rejection(Reason::NoSamples, name, "operator within the limits");
  }
  return Rejection(Reason::NoSamples, name,
                   sampler.is_exhausted() ? "operator within the budgets"
                                          : "operator within the budgets among those drawn so far");
}

}  // namespace

bool DistinctOperators::is_new(const Operator& op) {
  const auto semantic = hasher_.fingerprint(op);
  return seen_.insert(semantic.ok() ? *semantic : identity(problem_, op)).second;
}

int draws_per_path(std::uint64_t count) {
  return count < kMany ? 1 : kDrawsOfMany;
}

Status draw_distinct(const Space& space, Sampler& sampler, DistinctOperators& seen,
                     const DistinctOptions& options,
                     const std::function<Result<bool>(const Operator&)>& use) {
  const SampleStatistics& statistics = sampler.statistics();
  std::uint64_t last = 0;  // trial that found something new
  while (seen.count() < options.count && !sampler.is_exhausted() && !space.sizes.is_full() &&
         space.has_room().ok()) {
    const std::uint64_t trials = statistics.trials;
    if (options.trials > 0 ? trials >= options.trials : trials - last > kPatience) break;
    // Operators are looked for first: to prove that there is none may take long.
    if (trials == kDoubt && statistics.valid + statistics.over_budget == 0 && sampler.is_empty()) {
      break;
    }
    const auto sample = sampler.trial();
    if (!sample || !seen.is_new(sample->op)) continue;
    last = trials;
    CAMBIUM_TRY(const bool goes_on, use(sample->op));
    if (!goes_on) break;
  }
  CAMBIUM_REQUIRE(space.complete());
  if (seen.count() > 0) return Ok{};
  CAMBIUM_REQUIRE(space.has_room());
  return nothing_found(options.name, sampler);
}

}  // namespace cambium::spaces::coordinate::synthesis
