// The seven sampling instructions over two families: choices (choices.h) and tiles (tilings.h).
#include "schedule/sampling/samples.h"

#include <algorithm>
#include <cmath>

#include "schedule/sampling/choices.h"
#include "schedule/sampling/loose_tilings.h"
#include "schedule/sampling/tilings.h"

namespace cambium::schedule {
namespace {

const Names& options_of(const SampleCategorical& s) {
  return s.options;
}
const Names& options_of(const SampleComputeLocation& s) {
  return s.places;
}
const Names& options_of(const SampleLayout& s) {
  return s.layouts;
}
Names options_of(const SampleMicroKernel& s) {
  Names options;
  for (std::size_t i = 0; i < std::min(s.rows.size(), s.vectors.size()); ++i) {
    options.push_back(std::to_string(s.rows[i]) + "x" + std::to_string(s.vectors[i]));
  }
  return options;
}

const Ints& weights_of(const SampleComputeLocation&) {
  static const Ints kAlike;
  return kAlike;
}
template <class S>
const Ints& weights_of(const S& s) {
  return s.weights;
}

// Traces from files may hold positions that are none; applying them refuses.
template <class S>
Decision choice_of(const S& s, std::int64_t choice) {
  const Names& options = options_of(s);
  const auto at = static_cast<std::size_t>(choice);
  return {{choice}, at < options.size() ? options[at] : std::string()};
}

template <class S>
Decision drawn_choice(const S& s, Rng& rng) {
  return choice_of(s, draw_choice(rng, options_of(s).size(), weights_of(s)));
}

template <class S>
std::vector<Decision> other_choices(const S& s) {
  std::vector<Decision> found;
  if (!check_choice(s.key, options_of(s).size(), weights_of(s), s.choice).ok()) return found;
  const auto count = static_cast<std::int64_t>(options_of(s).size());
  for (std::int64_t i = 0; i < count; ++i) {
    if (i != s.choice && is_drawable(weights_of(s), i)) found.push_back(choice_of(s, i));
  }
  return found;
}

template <class S>
Result<Applied> unchanged_if_choice(const S& s, const Program& program) {
  CAMBIUM_REQUIRE(check_choice(s.key, options_of(s).size(), weights_of(s), s.choice));
  return Applied{program, {}};
}

std::int64_t position_of(const Decision& decision) {
  return decision.numbers.empty() ? 0 : decision.numbers[0];
}

template <class S>
Tiling tiling_of(const S& s) {
  return {s.extent, s.parts, s.innermost};
}
Tiling tiling_of(const SamplePartitionedTile& s) {
  return {s.extent, s.parts, s.innermost, s.at, s.multiple};
}

std::vector<Decision> decisions(std::vector<Ints> all) {
  std::vector<Decision> found;
  for (Ints& factors : all) found.push_back({std::move(factors), {}});
  return found;
}

template <class S>
Result<Applied> unchanged_if_exact(const S& s, const Program& program) {
  CAMBIUM_REQUIRE(check_factors(s.key, tiling_of(s), s.factors));
  return Applied{program, {}};
}

}  // namespace

Result<Applied> SampleCategorical::apply(Context&, const Program& program) const {
  return unchanged_if_choice(*this, program);
}
Decision SampleCategorical::draw(Rng& rng) const {
  return drawn_choice(*this, rng);
}
Decision SampleCategorical::snap(const Decision& stale) const {
  return choice_of(*this, snap_choice(options, stale.option, position_of(stale)));
}
std::vector<Decision> SampleCategorical::neighbours() const {
  return other_choices(*this);
}
Decision SampleCategorical::decision() const {
  return choice_of(*this, choice);
}
void SampleCategorical::decide(const Decision& decision) {
  choice = position_of(decision);
}

Result<Applied> SampleComputeLocation::apply(Context&, const Program& program) const {
  return unchanged_if_choice(*this, program);
}
Decision SampleComputeLocation::draw(Rng& rng) const {
  return drawn_choice(*this, rng);
}
Decision SampleComputeLocation::snap(const Decision& stale) const {
  const auto found = std::find(places.begin(), places.end(), stale.option);
  if (found != places.end()) return choice_of(*this, found - places.begin());
  auto deepest = static_cast<std::int64_t>(places.size()) - 1;
  if (places.back() == "inline" && deepest > 0) --deepest;
  return choice_of(*this, std::clamp<std::int64_t>(position_of(stale), 0, deepest));
}
std::vector<Decision> SampleComputeLocation::neighbours() const {
  return other_choices(*this);
}
Decision SampleComputeLocation::decision() const {
  return choice_of(*this, choice);
}
void SampleComputeLocation::decide(const Decision& decision) {
  choice = position_of(decision);
}

Result<Applied> SampleLayout::apply(Context&, const Program& program) const {
  return unchanged_if_choice(*this, program);
}
Decision SampleLayout::draw(Rng& rng) const {
  return drawn_choice(*this, rng);
}
Decision SampleLayout::snap(const Decision& stale) const {
  return choice_of(*this, snap_choice(layouts, stale.option, position_of(stale)));
}
std::vector<Decision> SampleLayout::neighbours() const {
  return other_choices(*this);
}
Decision SampleLayout::decision() const {
  return choice_of(*this, choice);
}
void SampleLayout::decide(const Decision& decision) {
  choice = position_of(decision);
}

namespace {

Status check_shapes(const SampleMicroKernel& s) {
  const auto positive = [](std::int64_t n) { return n > 0; };
  if (s.rows.size() != s.vectors.size() || !std::all_of(s.rows.begin(), s.rows.end(), positive) ||
      !std::all_of(s.vectors.begin(), s.vectors.end(), positive)) {
    return Rejection(Reason::BadDecision, s.key,
                     "a shape is a positive number of rows and vectors");
  }
  return check_choice(s.key, s.rows.size(), s.weights, s.choice);
}

double distance(const SampleMicroKernel& s, std::size_t shape, std::int64_t rows,
                std::int64_t vectors) {
  return ratio_of(s.rows[shape], rows) * ratio_of(s.vectors[shape], vectors);
}

}  // namespace

Result<Applied> SampleMicroKernel::apply(Context&, const Program& program) const {
  CAMBIUM_REQUIRE(check_shapes(*this));
  return Applied{program, {}};
}
Decision SampleMicroKernel::draw(Rng& rng) const {
  return drawn_choice(*this, rng);
}
Decision SampleMicroKernel::snap(const Decision& stale) const {
  const std::size_t x = std::min(stale.option.find('x'), stale.option.size());
  const auto wanted_rows = number_of(std::string_view(stale.option).substr(0, x));
  const auto wanted_vectors =
      number_of(std::string_view(stale.option).substr(std::min(x + 1, stale.option.size())));
  if (!wanted_rows || !wanted_vectors) {
    const auto last = static_cast<std::int64_t>(rows.size()) - 1;
    return choice_of(*this, std::clamp<std::int64_t>(position_of(stale), 0, last));
  }
  std::int64_t best = 0;
  double least = INFINITY;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double far = distance(*this, i, *wanted_rows, *wanted_vectors);
    if (far < least) {
      least = far;
      best = static_cast<std::int64_t>(i);
    }
  }
  return choice_of(*this, best);
}
std::vector<Decision> SampleMicroKernel::neighbours() const {
  if (!check_shapes(*this).ok()) return {};
  const auto now = static_cast<std::size_t>(choice);
  std::vector<std::int64_t> nearest(4, -1);  // with fewer and more rows, fewer and more vectors
  std::vector<double> least(4, INFINITY);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!is_drawable(weights, static_cast<std::int64_t>(i))) continue;
    const bool towards[4] = {rows[i]<rows[now], rows[i]> rows[now],
                             vectors[i]<vectors[now], vectors[i]> vectors[now]};
    const double far = distance(*this, i, rows[now], vectors[now]);
    for (std::size_t way = 0; way < 4; ++way) {
      if (!towards[way] || far >= least[way]) continue;
      least[way] = far;
      nearest[way] = static_cast<std::int64_t>(i);
    }
  }
  std::sort(nearest.begin(), nearest.end());
  nearest.erase(std::unique(nearest.begin(), nearest.end()), nearest.end());
  std::vector<Decision> found;
  for (const std::int64_t shape : nearest) {
    if (shape >= 0) found.push_back(choice_of(*this, shape));
  }
  return found;
}
Decision SampleMicroKernel::decision() const {
  return choice_of(*this, choice);
}
void SampleMicroKernel::decide(const Decision& decision) {
  choice = position_of(decision);
}

Result<Applied> SamplePerfectTile::apply(Context&, const Program& program) const {
  return unchanged_if_exact(*this, program);
}
Decision SamplePerfectTile::draw(Rng& rng) const {
  return {draw_factors(rng, tiling_of(*this)), {}};
}
Decision SamplePerfectTile::snap(const Decision& stale) const {
  return {snap_factors(tiling_of(*this), stale.numbers), {}};
}
std::vector<Decision> SamplePerfectTile::neighbours() const {
  return decisions(neighbours_of(tiling_of(*this), factors));
}
Decision SamplePerfectTile::decision() const {
  return {factors, {}};
}
void SamplePerfectTile::decide(const Decision& decision) {
  factors = decision.numbers;
}

Result<Applied> SamplePartitionedTile::apply(Context&, const Program& program) const {
  return unchanged_if_exact(*this, program);
}
Decision SamplePartitionedTile::draw(Rng& rng) const {
  return {draw_factors(rng, tiling_of(*this)), {}};
}
Decision SamplePartitionedTile::snap(const Decision& stale) const {
  return {snap_factors(tiling_of(*this), stale.numbers), {}};
}
std::vector<Decision> SamplePartitionedTile::neighbours() const {
  return decisions(neighbours_of(tiling_of(*this), factors));
}
Decision SamplePartitionedTile::decision() const {
  return {factors, {}};
}
void SamplePartitionedTile::decide(const Decision& decision) {
  factors = decision.numbers;
}

Result<Applied> SampleImperfectTile::apply(Context&, const Program& program) const {
  CAMBIUM_REQUIRE(check_loose(key, tiling_of(*this), factors));
  return Applied{program, {}};
}
Decision SampleImperfectTile::draw(Rng& rng) const {
  return {draw_loose(rng, tiling_of(*this)), {}};
}
Decision SampleImperfectTile::draw_alike(Rng& rng) const {
  return {draw_loose_alike(rng, tiling_of(*this)), {}};
}
Decision SampleImperfectTile::snap(const Decision& stale) const {
  return {snap_loose(tiling_of(*this), stale.numbers), {}};
}
std::vector<Decision> SampleImperfectTile::neighbours() const {
  return decisions(neighbours_of_loose(tiling_of(*this), factors));
}
Decision SampleImperfectTile::decision() const {
  return {factors, {}};
}
void SampleImperfectTile::decide(const Decision& decision) {
  factors = decision.numbers;
}

}  // namespace cambium::schedule
