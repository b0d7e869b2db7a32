#include "tune/strategy.h"

#include <utility>

#include <fmt/core.h>

#include "tune/strategies/annealing.h"
#include "tune/strategies/evolution.h"
#include "tune/strategies/random.h"
#include "tune/tuner.h"

namespace cambium::tune {
namespace {

template <class T>
std::unique_ptr<Strategy> make() {
  return std::make_unique<T>();
}

struct Named {
  const char* name;
  std::unique_ptr<Strategy> (*make)();
};
constexpr Named kStrategies[] = {{"evolution", make<Evolution>},
                                 {"annealing", make<Annealing>},
                                 {"random", make<Random>},
                                 {"uniform", make<Uniform>}};

}  // namespace

std::vector<std::string> strategy_names() {
  std::vector<std::string> names;
  for (const Named& named : kStrategies) names.emplace_back(named.name);
  return names;
}

Result<std::unique_ptr<Strategy>> make_strategy(const std::string& name) {
  std::string all;
  for (const Named& named : kStrategies) {
    if (name == named.name) return named.make();
    all += fmt::format("{}{}", all.empty() ? "" : ", ", named.name);
  }
  return Rejection(Reason::UnknownStrategy, name, all);
}

void score(const CostModel* model, std::span<Individual> individuals) {
  if (model == nullptr) {
    for (Individual& individual : individuals) individual.score = 0;
    return;
  }
  std::vector<Features> features;
  std::vector<double> drafts;
  for (Individual& individual : individuals) {
    features.push_back(std::move(individual.features));
    drafts.push_back(individual.draft_seconds);
  }
  const std::vector<double> scores = model->score(features, drafts);
  for (std::size_t i = 0; i < individuals.size(); ++i) {
    individuals[i].features = std::move(features[i]);
    individuals[i].score = scores[i];
  }
}

bool is_blind(std::string_view name) {
  return name == "random" || name == "uniform";
}

void make_fresh(Ask& ask, std::span<const schedule::DraftOptions> wishes, Taken& seen,
                std::vector<Individual>& to) {
  for (std::optional<Individual>& made : ask.generator.make(wishes, ask.history.taken())) {
    if (made.has_value() && seen.insert(made->scheduled).second) to.push_back(std::move(*made));
  }
}

void draw_fresh(Ask& ask, std::size_t count, Taken& seen, std::vector<Individual>& to,
                schedule::Otherwise law) {
  constexpr int kRounds = 8;
  const std::size_t enough = to.size() + count;
  for (int round = 0; round < kRounds && to.size() < enough; ++round) {
    std::vector<schedule::DraftOptions> wishes(enough - to.size());
    for (schedule::DraftOptions& wish : wishes) {
      wish.seed = ask.rng.next_u64();
      wish.otherwise = law;
    }
    make_fresh(ask, wishes, seen, to);
  }
}

}  // namespace cambium::tune
