#include "compile/live_pair.h"

#include <algorithm>
#include <map>
#include <vector>

#include "lower/groups.h"

namespace cambium::compile {

using model::Model;
using model::Value;

std::int64_t largest_live_pair(const Model& model) {
  struct Life {
    std::int64_t bytes;
    std::size_t first, last;
  };
  std::map<Value, Life> lives;
  const std::vector<lower::FusionGroup> groups = lower::groups_of(model);
  const model::Uses uses(model);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (const model::NodeId id : groups[g].nodes) {
      const model::Node& node = model.node(id);
      for (const Value input : node.inputs) {
        if (const auto life = lives.find(input); life != lives.end()) life->second.last = g;
      }
      for (std::uint32_t slot = 0; slot < node.outputs.size(); ++slot) {
        lives[{id, slot}] = {node.outputs[slot].bytes(), g, g};
      }
    }
  }
  // A value that only one group touches never stands in memory; the caller holds the outputs.
  std::vector<Life> kept;
  for (const auto& life : lives) {
    const auto readers = uses.of(life.first);
    const bool is_output = std::any_of(readers.begin(), readers.end(),
                                       [](const model::Use& use) { return !use.node.valid(); });
    if (life.second.last > life.second.first && !is_output) kept.push_back(life.second);
  }
  std::int64_t largest = 0;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    largest = std::max(largest, kept[i].bytes);
    for (std::size_t j = i + 1; j < kept.size(); ++j) {
      const bool meet = kept[i].first <= kept[j].last && kept[j].first <= kept[i].last;
      if (meet) largest = std::max(largest, kept[i].bytes + kept[j].bytes);
    }
  }
  return largest;
}

}  // namespace cambium::compile
