#include "loopnest/release.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "spaces/loopnest/sites.h"
#include "spaces/loopnest/variants.h"

namespace cambium::bench {
namespace {

namespace loopnest = spaces::loopnest;

constexpr std::array<std::int64_t, 4> kPowers = {1, 2, 4, 8};
constexpr std::array<std::int64_t, 5> kPeeled = {1, 2, 4, 8, 16};
constexpr std::array<std::int64_t, 4> kGroupsOfRest = {1, 2, 3, 4};
constexpr const char* kNames[] = {"slabs", "peel", "parts"};

// Both convolutions of a block.
using Pair = std::array<std::unique_ptr<loopnest::Variants>, 2>;

bool is_legal(const Pair& block, const std::string& document) {
  return block[0]->read(document).ok() && block[1]->read(document).ok();
}

ReleaseChoices slabs(const Pair& block) {
  ReleaseChoices out{kNames[0], 0, 0};
  for (const std::int64_t b : kPowers) {
    ++out.drawn;
    out.legal += is_legal(block, fmt::format("slabs {}", b));
  }
  return out;
}

ReleaseChoices peel(const Pair& block) {
  ReleaseChoices out{kNames[1], 0, 0};
  for (const std::int64_t peeled : kPeeled) {
    for (const std::int64_t groups : kGroupsOfRest) {
      ++out.drawn;
      out.legal += is_legal(block, fmt::format("peel {} {}", peeled, groups));
    }
  }
  return out;
}

// The share of legal choices of so many parts, each with groups of its own. The document is legal
// if each of its parts is, so each part is tried with every number of groups beside others of one.
double share_of_parts(const Pair& block, const char* name, std::size_t parts, ReleaseChoices& out) {
  double share = 1;
  for (std::size_t part = 0; part < parts; ++part) {
    std::size_t legal = 0;
    for (const std::int64_t groups : kPowers) {
      std::string document = name;
      for (std::size_t i = 0; i < parts; ++i) {
        document += fmt::format(" {}", i == part ? groups : 1);
      }
      legal += is_legal(block, document);
    }
    out.drawn += kPowers.size();
    out.legal += legal;
    share *= static_cast<double>(legal) / static_cast<double>(kPowers.size());
  }
  return share;
}

double share_of(const ReleaseChoices& choices) {
  return static_cast<double>(choices.legal) / static_cast<double>(choices.drawn);
}

// A plain convolution and the three sequences are equally likely.
void judge(const Pair& block, ReleaseBlock& out) {
  out.choices = {slabs(block), peel(block), {kNames[2], 0, 0}};
  ReleaseChoices& parts = out.choices.back();
  const double of_parts =
      (share_of_parts(block, "group", 1, parts) + share_of_parts(block, "halves", 2, parts) +
       share_of_parts(block, "quarters", 4, parts) + share_of_parts(block, "eighths", 8, parts)) /
      4;
  out.share = (1 + share_of(out.choices[0]) + share_of(out.choices[1]) + of_parts) / 4;
}

Result<Pair> variants_of(const loopnest::ConvSite& first, const loopnest::ConvSite& second) {
  Pair pair;
  CAMBIUM_TRY(pair[0], loopnest::Variants::make(first.shape, {}));
  CAMBIUM_TRY(pair[1], loopnest::Variants::make(second.shape, {}));
  return pair;
}

}  // namespace

Result<ReleaseShare> release_share(const model::Model& model) {
  const loopnest::Sites sites(model);
  ReleaseShare out;
  std::map<std::string, std::size_t> known;
  out.share = 1;
  for (const loopnest::ConvSite& first : sites.all()) {
    const std::size_t end = first.name.rfind(".conv1");
    if (end == std::string::npos) continue;
    const auto second = sites.find(first.name.substr(0, end) + ".conv2");
    if (!second) return Rejection(Reason::UnknownSite, first.name, "its block has no second one");
    const auto [place, is_new] = known.emplace(first.shape.text(), out.blocks.size());
    if (is_new) {
      CAMBIUM_TRY(const Pair pair, variants_of(first, sites[*second]));
      out.blocks.push_back({first.shape.words(), 0, {}, 0});
      judge(pair, out.blocks.back());
    }
    ReleaseBlock& block = out.blocks[place->second];
    ++block.count;
    out.share *= block.share;
  }
  return out;
}

}  // namespace cambium::bench
