#include "tune/mutate.h"

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace cambium::tune {
namespace {

using schedule::Decision;
using schedule::Decisions;
using schedule::Step;
using schedule::Trace;

template <class T>
inline constexpr bool kIsTile = std::is_same_v<T, schedule::SamplePerfectTile> ||
                                std::is_same_v<T, schedule::SampleImperfectTile> ||
                                std::is_same_v<T, schedule::SamplePartitionedTile>;

template <class T>
inline constexpr bool kIsSample =
    kIsTile<T> || std::is_same_v<T, schedule::SampleCategorical> ||
    std::is_same_v<T, schedule::SampleComputeLocation> ||
    std::is_same_v<T, schedule::SampleLayout> || std::is_same_v<T, schedule::SampleMicroKernel>;

struct KindOf {
  template <class T>
  std::optional<DecisionKind> operator()(const T& step) const {
    if constexpr (kIsTile<T>) {
      return DecisionKind::Tile;
    } else if constexpr (std::is_same_v<T, schedule::SampleMicroKernel>) {
      return DecisionKind::MicroKernel;
    } else if constexpr (std::is_same_v<T, schedule::SampleLayout>) {
      return DecisionKind::Layout;
    } else if constexpr (std::is_same_v<T, schedule::SampleComputeLocation>) {
      return DecisionKind::Location;
    } else if constexpr (std::is_same_v<T, schedule::SampleCategorical>) {
      if (step.structural) return DecisionKind::Structure;
      return step.key.find("parallel") != std::string::npos ? DecisionKind::Parallel
                                                            : DecisionKind::Number;
    } else {
      return std::nullopt;
    }
  }
};

// The sampling steps of a trace by kind, and one of them by weight.
class Samples {
 public:
  explicit Samples(const Trace& trace) {
    for (const schedule::Record& record : trace) {
      if (const auto kind = kind_of(record.step)) {
        of_kind_[static_cast<std::size_t>(*kind)].push_back(&record.step);
      }
    }
  }

  // Takes it out, so that the next call gives another. nullptr: none is left.
  const Step* take(Rng& rng) {
    double total = 0;
    for (std::size_t k = 0; k < kDecisionKinds; ++k) {
      if (!of_kind_[k].empty()) total += kMutationWeights[k];
    }
    if (total == 0) return nullptr;
    double at = rng.uniform(0, total);
    std::size_t chosen = kDecisionKinds;
    for (std::size_t k = 0; k < kDecisionKinds; ++k) {
      if (of_kind_[k].empty()) continue;
      chosen = k;
      at -= kMutationWeights[k];
      if (at < 0) break;
    }
    std::vector<const Step*>& steps = of_kind_[chosen];
    const auto i = static_cast<std::size_t>(rng.below(steps.size()));
    const Step* step = steps[i];
    steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(i));
    return step;
  }

 private:
  std::array<std::vector<const Step*>, kDecisionKinds> of_kind_;
};

Decision drawn_again(const Step& step, Rng& rng) {
  return std::visit(
      [&rng](const auto& sample) -> Decision {
        if constexpr (kIsSample<std::decay_t<decltype(sample)>>) {
          return sample.draw(rng);
        } else {
          return {};
        }
      },
      step);
}

// "rule/block/key": what stands before the last slash, and the block alone.
std::string_view place_of(std::string_view key) {
  const std::size_t end = key.rfind('/');
  return end == std::string_view::npos ? std::string_view{} : key.substr(0, end);
}
std::string_view block_of(std::string_view key) {
  const std::string_view place = place_of(key);
  const std::size_t slash = place.find('/');
  return slash == std::string_view::npos ? place : place.substr(slash + 1);
}

// Places ("rule/block") at which the two decide differently about structure.
std::set<std::string_view> unlike_places(const Trace& first, const Decisions& a,
                                         const Trace& second, const Decisions& b) {
  std::set<std::string_view> places;
  const auto compare = [&places](const Trace& trace, const Decisions& these,
                                 const Decisions& those) {
    for (const schedule::Record& record : trace) {
      if (!schedule::is_structural(record.step)) continue;
      const std::string& key = *schedule::key_of(record.step);
      const auto other = those.find(key);
      if (other == those.end() || !(other->second == these.at(key))) places.insert(place_of(key));
    }
  };
  compare(first, a, b);
  compare(second, b, a);
  return places;
}

}  // namespace

std::optional<DecisionKind> kind_of(const Step& step) {
  return std::visit(KindOf{}, step);
}

std::optional<Change> mutation(const Trace& trace, Rng& rng) {
  Samples samples(trace);
  while (const Step* step = samples.take(rng)) {
    std::vector<Decision> others = schedule::neighbours_of(*step);
    if (others.empty()) continue;
    return Change{*schedule::key_of(*step),
                  std::move(others[static_cast<std::size_t>(rng.below(others.size()))])};
  }
  return std::nullopt;
}

std::optional<Change> redraw(const Trace& trace, Rng& rng) {
  std::vector<const Step*> samples;
  for (const schedule::Record& record : trace) {
    if (schedule::is_sample(record.step)) samples.push_back(&record.step);
  }
  if (samples.empty()) return std::nullopt;
  const Step& step = *samples[static_cast<std::size_t>(rng.below(samples.size()))];
  return Change{*schedule::key_of(step), drawn_again(step, rng)};
}

Decisions crossed(const Trace& first, const Trace& second, Rng& rng) {
  const Decisions a = schedule::decisions_of(first);
  const Decisions b = schedule::decisions_of(second);
  const std::set<std::string_view> together = unlike_places(first, a, second, b);
  const bool keeps_blocks = rng.chance(0.5);
  std::map<std::string_view, bool> takes_second;  // by group
  const auto group_of = [&](std::string_view key) {
    if (keeps_blocks) return block_of(key);
    return together.contains(place_of(key)) ? place_of(key) : key;
  };
  // In the order of keys, so that the same seed draws the same.
  for (const Decisions* decisions : {&a, &b}) {
    for (const auto& [key, decision] : *decisions) {
      const std::string_view group = group_of(key);
      if (!takes_second.contains(group)) takes_second.emplace(group, rng.chance(0.5));
    }
  }
  Decisions child;
  for (const auto& [key, decision] : a) {
    if (!takes_second.at(group_of(key))) child.emplace(key, decision);
  }
  for (const auto& [key, decision] : b) {
    if (takes_second.at(group_of(key))) child.emplace(key, decision);
  }
  return child;
}

}  // namespace cambium::tune
