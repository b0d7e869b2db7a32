#include "train/paired_draws.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/random.h"
#include "model/cost.h"
#include "train/mapped_weights.h"

namespace cambium::train {
namespace {

std::uint64_t seed_of(std::uint64_t first, std::size_t draw) {
  return draw == 0 ? first : Rng(first).split(static_cast<std::uint64_t>(draw)).next_u64();
}

}  // namespace

PairedDraws::PairedDraws(model::Model original, Minibatches images, const DrawOptions& options,
                         FisherScore score)
    : original_(std::move(original)),
      images_(std::move(images)),
      options_(options),
      score_(std::move(score)) {
  const std::int64_t bytes = std::max<std::int64_t>(model::cost_of(original_).weight_bytes, 1);
  kept_ = static_cast<std::size_t>(std::max<std::int64_t>(options_.most_bytes / bytes, 1));
}

const Beginning& PairedDraws::beginning(std::size_t number) {
  if (number < beginnings_.size()) return beginnings_[number];
  InitializeOptions options;
  options.seed = seed_of(options_.seed, number);
  if (number == beginnings_.size() && number < kept_) {
    return beginnings_.emplace_back(beginning_of(original_, options));
  }
  if (other_number_ != number) {
    other_ = beginning_of(original_, options);
    other_number_ = number;
  }
  return other_;
}

Result<const PairedDraws::Draw*> PairedDraws::draw(std::size_t number) {
  while (draws_.size() <= number) {
    Draw made;
    CAMBIUM_TRY(made.images, images_.take_again(options_.batch));
    made.weights.seed = seed_of(options_.seed, draws_.size());
    draws_.push_back(std::move(made));
  }
  // If the machine failed, the next call scores the same images.
  if (!draws_[number].report) CAMBIUM_REQUIRE(score_original(number));
  return &draws_[number];
}

Status PairedDraws::score_original(std::size_t number) {
  Draw& draw = draws_[number];
  CAMBIUM_TRY(FisherReport report, score_(beginning(number).model, draw.images, options_.fisher));
  if (!std::isfinite(report.total) || report.total <= 0) {
    return Rejection(Reason::NotPromising, "Fisher Potential of the original",
                     fmt::format("it is {} in draw {}, so nothing can be compared with it",
                                 report.total, number));
  }
  draw.report = std::move(report);
  return Ok{};
}

Result<const FisherReport*> PairedDraws::of_original(std::size_t number) {
  CAMBIUM_TRY(const Draw* drawn, draw(number));
  return &*drawn->report;
}

Result<FisherReport> PairedDraws::of_candidate(const model::Model& candidate,
                                               std::span<const model::WeightOrigin> origins,
                                               std::size_t number) {
  CAMBIUM_TRY(const Draw* drawn, draw(number));
  CAMBIUM_TRY(const model::Model begun,
              mapped_beginning(candidate, beginning(number), origins, drawn->weights));
  CAMBIUM_TRY(FisherReport report, score_(begun, drawn->images, options_.fisher));
  if (std::isfinite(report.total)) return report;
  return Rejection(Reason::NotPromising, "Fisher Potential",
                   fmt::format("it is {} in draw {}", report.total, number));
}

}  // namespace cambium::train
