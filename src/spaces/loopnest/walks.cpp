#include "spaces/loopnest/walks.h"

#include <array>
#include <cstddef>
#include <cstdint>

#include <fmt/format.h>

namespace cambium::spaces::loopnest {
namespace {

constexpr int kDraws = 64;  // of sequences
constexpr int kWalks = 8;
constexpr double kSequenceShare = 0.25;  // share of drawn documents that are the paper's sequences

template <std::size_t n>
std::int64_t one_of(const std::array<std::int64_t, n>& numbers, Rng& rng) {
  return numbers[static_cast<std::size_t>(rng.below(n))];
}

// Numbers of the release: pytorch/example.py.
constexpr std::array<std::int64_t, 4> kPowers = {1, 2, 4, 8};
constexpr std::array<std::int64_t, 5> kPeeled = {1, 2, 4, 8, 16};
constexpr std::array<std::int64_t, 4> kGroupsOfRest = {1, 2, 3, 4};

}  // namespace

const Variant* walk(const Draft& draft, const Layer& layer, const Variant& from, int moves,
                    Rng& rng, std::vector<schedule::Move>* trail) {
  const auto variants = draft.variants(layer);
  if (!variants.ok()) return &from;
  const bool narrows = draft.can_narrow(layer);
  for (int i = 0; i < kWalks; ++i) {
    std::vector<schedule::Move> went;
    const Variant* const to = (*variants)->walk(from, moves, narrows, rng, &went);
    if (to == nullptr || !draft.fits(layer, *to)) continue;
    if (trail != nullptr) trail->insert(trail->end(), went.begin(), went.end());
    return to;
  }
  return &from;
}

std::string random_sequence(Rng& rng) {
  switch (rng.below(3)) {
    case 0: return fmt::format("slabs {}", one_of(kPowers, rng));
    case 1: {
      const std::int64_t peeled = one_of(kPeeled, rng);
      return fmt::format("peel {} {}", peeled, one_of(kGroupsOfRest, rng));
    }
    default: break;
  }
  const std::int64_t parts = one_of(kPowers, rng);
  std::string text = parts == 1   ? "group"
                     : parts == 2 ? "halves"
                     : parts == 4 ? "quarters"
                                  : "eighths";
  for (std::int64_t i = 0; i < parts; ++i) text += fmt::format(" {}", one_of(kPowers, rng));
  return text;
}

const Variant* published(const Draft& draft, const Layer& layer, Rng& rng) {
  const auto variants = draft.variants(layer);
  if (!variants.ok()) return nullptr;
  for (int i = 0; i < kDraws; ++i) {
    const auto variant = (*variants)->read(random_sequence(rng));
    if (variant.ok() && draft.fits(layer, **variant)) return *variant;
  }
  return nullptr;
}

const Variant* drawn(const Draft& draft, const Layer& layer, const LoopNestOptions& options,
                     Rng& rng) {
  const auto variants = draft.variants(layer);
  if (!variants.ok()) return nullptr;
  if (options.published || rng.chance(kSequenceShare)) return published(draft, layer, rng);
  const auto moves = static_cast<int>(rng.between(1, options.steps));
  return walk(draft, layer, (*variants)->original(), moves, rng);
}

}  // namespace cambium::spaces::loopnest
