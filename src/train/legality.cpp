#include "train/legality.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

namespace cambium::train {
namespace {

constexpr std::array<std::pair<std::string_view, LegalityOf>, 2> kKinds{{
    {"total", LegalityOf::Total},
    {"layers", LegalityOf::Layers},
}};

void judge_total(const std::vector<double>& log_ratios, const VerdictOptions& options,
                 Legality& out) {
  out.total = judged(log_ratios, options);
  out.verdict = out.total.verdict;
  out.confidence = out.total.confidence;
}

// Where no changed layer counts, the verdict on the total stays: nothing else speaks for the
// candidate.
// One layer below the original's makes a candidate illegal. Of many layers, some are likely to look
// like that by chance, so each gets an equal share of the chance of a wrong verdict. A candidate is
// wrongly legal only if the layer that lies below is judged wrongly, so there the chances of others
// do not add up.
void judge_layers(const VerdictOptions& options, Legality& out) {
  std::vector<const LayerChange*> counted;
  for (const LayerChange& layer : out.layers) {
    if (layer.is_changed && !layer.log_ratios.empty()) counted.push_back(&layer);
  }
  if (counted.empty()) return;
  const auto count = static_cast<double>(counted.size());
  VerdictOptions shared = options;
  shared.confidence = 1 - (1 - options.confidence) / std::max(count, 1.0);
  bool is_legal = true, is_illegal = false, is_below = false;
  double surely_legal = 1, surely_illegal = 0;
  for (const LayerChange* layer : counted) {
    const Judgement own = judged(layer->log_ratios, options);
    is_legal = is_legal && own.verdict == Verdict::Legal;
    is_illegal = is_illegal || judged(layer->log_ratios, shared).verdict == Verdict::Illegal;
    is_below = is_below || own.mean < 0;
    if (own.mean < 0) {
      surely_illegal = std::max(surely_illegal, 1 - count * (1 - own.confidence));
    } else {
      surely_legal = std::min(surely_legal, own.confidence);
    }
  }
  out.verdict = is_illegal ? Verdict::Illegal : is_legal ? Verdict::Legal : Verdict::Undecided;
  out.confidence = is_below ? surely_illegal : surely_legal;
}

}  // namespace

Result<LegalityOf> legality_kind(std::string_view name) {
  for (const auto& [known, kind] : kKinds) {
    if (known == name) return kind;
  }
  return Rejection(
      Reason::BadOption, "legality",
      fmt::format("unknown '{}'; expected one of {}, {}", name, kKinds[0].first, kKinds[1].first));
}

double Legality::change() const {
  return std::expm1(total.mean);
}

Result<Legality> legality_of(const model::Model& candidate,
                             std::span<const model::WeightOrigin> origins,
                             const LegalityOptions& options, PairedDraws& draws) {
  std::vector<FisherReport> before, after;
  std::vector<double> log_ratios;
  std::vector<LayerPair> pairs;
  Legality out;
  for (const int look : looks(options.verdict)) {
    for (auto draw = log_ratios.size(); std::cmp_less(draw, look); ++draw) {
      CAMBIUM_TRY(const FisherReport* original, draws.of_original(draw));
      CAMBIUM_TRY(FisherReport report, draws.of_candidate(candidate, origins, draw));
      log_ratios.push_back(log_ratio(report.total, original->total));
      before.push_back(*original);
      after.push_back(std::move(report));
    }
    if (pairs.empty()) {
      pairs = paired_layers(draws.original(), before[0].layers, candidate, after[0].layers,
                            draws.hooks());
    }
    out.layers = layer_changes(pairs, before, after);
    judge_total(log_ratios, options.verdict, out);
    if (options.of == LegalityOf::Layers) judge_layers(options.verdict, out);
    if (out.verdict != Verdict::Undecided) break;
  }
  out.changed = ratio_of_changed(pairs, before, after);
  out.draws = static_cast<int>(log_ratios.size());
  for (std::size_t draw = 0; draw < before.size(); ++draw) {
    out.original += before[draw].total / static_cast<double>(out.draws);
    out.candidate += after[draw].total / static_cast<double>(out.draws);
  }
  return out;
}

}  // namespace cambium::train
