#include "train/layer_changes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/fingerprint.h"
#include "model/op.h"
#include "model/tensor.h"
#include "train/verdict.h"

namespace cambium::train {
namespace {

using model::Model;
using model::Node;

bool is_below(std::string_view name, std::string_view above) {
  return name.size() > above.size() && name.starts_with(above) && name[above.size()] == '.';
}

// `conv1` for `conv1.loopnest`.
std::string_view stem_of(std::string_view name) {
  return name.substr(0, std::min(name.rfind('.'), name.size()));
}

// A node without its name and place: what it does, with which sizes.
Fingerprint shape_of(const Model& model, const Node& node) {
  Hasher hasher;
  hasher.add(model::fields_fingerprint(node.op));
  for (const model::TensorType& type : node.outputs) hasher.add_range(type.dims);
  for (std::size_t i = 1; i < node.inputs.size(); ++i) {
    hasher.add_range(model.type(node.inputs[i]).dims);
  }
  return hasher.done();
}

using Shapes = std::map<std::string, Fingerprint>;

// The nodes of each block, by name, by the name of the block.
std::map<std::string, Shapes> blocks_of(const Model& model) {
  std::map<std::string, Shapes> blocks;
  for (const model::NodePtr& node : model.nodes()) {
    if (node->block == model::kNoBlock) continue;
    blocks[model.blocks()[node->block].name].emplace(node->name, shape_of(model, *node));
  }
  return blocks;
}

std::string block_name(const Model& model, const Node& node) {
  return node.block == model::kNoBlock ? std::string() : model.blocks()[node.block].name;
}

// Both sides of a comparison of layers.
struct Sides {
  const Model& original;
  std::span<const LayerScore> of_original;
  const Model& candidate;
  std::span<const LayerScore> of_candidate;

  const Node& old(std::size_t layer) const { return original.node(of_original[layer].of); }
  const Node& now(std::size_t layer) const { return candidate.node(of_candidate[layer].of); }
};

// The layer of the original of that name, or in whose place an operator of that name stands: the
// one with the longest name. The number of layers if there is none.
std::size_t place_of_name(const Sides& sides, std::string_view name) {
  std::size_t best = sides.of_original.size(), length = 0;
  for (std::size_t i = 0; i < sides.of_original.size(); ++i) {
    const std::string& old = sides.old(i).name;
    if (old == name) return i;
    if (!is_below(name, old) || old.size() <= length) continue;
    best = i;
    length = old.size();
  }
  return best;
}

std::vector<LayerPair> pairs_of(const Sides& sides) {
  std::vector<LayerPair> pairs;
  for (std::size_t i = 0; i < sides.of_original.size(); ++i) {
    pairs.push_back({sides.old(i).name, {i}, {}, false});
  }
  std::vector<std::size_t> without;
  for (std::size_t i = 0; i < sides.of_candidate.size(); ++i) {
    const std::size_t place = place_of_name(sides, sides.now(i).name);
    if (place < pairs.size()) {
      pairs[place].candidate.push_back(i);
    } else {
      without.push_back(i);
    }
  }
  // What stands in the place of a block takes the layers of the block that nothing else stands for.
  for (const std::size_t i : without) {
    LayerPair pair{sides.now(i).name, {}, {i}, false};
    const std::string stem(stem_of(pair.name));
    std::vector<LayerPair> rest;
    for (LayerPair& other : pairs) {
      if (!other.candidate.empty() || !is_below(other.name, stem)) {
        rest.push_back(std::move(other));
        continue;
      }
      pair.original.insert(pair.original.end(), other.original.begin(), other.original.end());
      pair.name = stem;
    }
    pairs = std::move(rest);
    pairs.push_back(std::move(pair));
  }
  std::stable_sort(pairs.begin(), pairs.end(), [](const LayerPair& a, const LayerPair& b) {
    constexpr std::size_t kLast = std::numeric_limits<std::size_t>::max();
    return (a.original.empty() ? kLast : a.original[0]) <
           (b.original.empty() ? kLast : b.original[0]);
  });
  return pairs;
}

double sum_of(const FisherReport& report, const std::vector<std::size_t>& layers) {
  double sum = 0;
  for (const std::size_t layer : layers) sum += report.layers[layer].score;
  return sum;
}

std::vector<double> log_ratios_of(const std::vector<std::size_t>& old,
                                  const std::vector<std::size_t>& now,
                                  std::span<const FisherReport> original,
                                  std::span<const FisherReport> candidate) {
  std::vector<double> ratios;
  for (std::size_t draw = 0; draw < original.size(); ++draw) {
    const double before = sum_of(original[draw], old), after = sum_of(candidate[draw], now);
    if (!(before > 0) || !(after >= 0)) return {};
    ratios.push_back(log_ratio(after, before));
  }
  return ratios;
}

double ratio_of(const std::vector<double>& log_ratios) {
  if (log_ratios.empty()) return std::numeric_limits<double>::quiet_NaN();
  double mean = 0;
  for (const double each : log_ratios) mean += each / static_cast<double>(log_ratios.size());
  return std::exp(mean);
}

}  // namespace

std::vector<LayerPair> paired_layers(const Model& original, std::span<const LayerScore> of_original,
                                     const Model& candidate,
                                     std::span<const LayerScore> of_candidate, Hooks hooks) {
  const Sides sides{original, of_original, candidate, of_candidate};
  std::vector<LayerPair> pairs = pairs_of(sides);
  std::map<std::string, Shapes> before, after;
  if (hooks == Hooks::BlockOutputs) {
    before = blocks_of(original);
    after = blocks_of(candidate);
  }
  for (LayerPair& pair : pairs) {
    if (pair.original.size() != 1 || pair.candidate.size() != 1) {
      pair.is_changed = true;
      continue;
    }
    const Node &old = sides.old(pair.original[0]), &now = sides.now(pair.candidate[0]);
    pair.is_changed = old.name != now.name || shape_of(original, old) != shape_of(candidate, now);
    if (hooks != Hooks::BlockOutputs || pair.is_changed) continue;
    const std::string was = block_name(original, old), is = block_name(candidate, now);
    pair.is_changed = was != is || before[was] != after[is];
  }
  return pairs;
}

std::vector<LayerChange> layer_changes(const std::vector<LayerPair>& pairs,
                                       std::span<const FisherReport> original,
                                       std::span<const FisherReport> candidate) {
  CAMBIUM_CHECK(original.size() == candidate.size() && !original.empty(), "draws in pairs");
  const auto changed =
      std::count_if(pairs.begin(), pairs.end(), [](const auto& pair) { return pair.is_changed; });
  std::vector<LayerChange> changes;
  for (const LayerPair& pair : pairs) {
    LayerChange change;
    change.name = pair.name;
    for (std::size_t draw = 0; draw < original.size(); ++draw) {
      const auto draws = static_cast<double>(original.size());
      change.original += sum_of(original[draw], pair.original) / draws;
      change.candidate += sum_of(candidate[draw], pair.candidate) / draws;
    }
    change.log_ratios = log_ratios_of(pair.original, pair.candidate, original, candidate);
    change.ratio = ratio_of(change.log_ratios);
    change.is_changed = pair.is_changed;
    change.is_sensitive = pair.is_changed && changed == 1 && change.ratio < 1;
    changes.push_back(std::move(change));
  }
  return changes;
}

double ratio_of_changed(const std::vector<LayerPair>& pairs, std::span<const FisherReport> original,
                        std::span<const FisherReport> candidate) {
  std::vector<std::size_t> old, now;
  bool any = false;
  for (const LayerPair& pair : pairs) {
    if (!pair.is_changed) continue;
    any = true;
    old.insert(old.end(), pair.original.begin(), pair.original.end());
    now.insert(now.end(), pair.candidate.begin(), pair.candidate.end());
  }
  return any ? ratio_of(log_ratios_of(old, now, original, candidate)) : 1;
}

}  // namespace cambium::train
