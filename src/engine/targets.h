// What `cambium inspect --targets SELECTOR` shows: the places that may be rewritten, grouped by
// shape relation, with what the size variables are worth at each.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "model/model.h"

namespace cambium::engine {

struct SiteRow {
  std::string name;
  std::vector<std::pair<std::string, std::int64_t>> binding;  // in the order of the variables
};

struct TargetRow {
  std::string kind;
  std::string relation;  // conv [N, Ci, H, W] -> [N, Co, H, W]
  std::vector<SiteRow> sites;
};

// Refuses a bad selector, and one that matches nothing.
Result<std::vector<TargetRow>> find_targets(const model::Model& model, const std::string& selector);
nlohmann::json to_json(const std::vector<TargetRow>& targets, const std::string& model,
                       const std::string& selector);

}  // namespace cambium::engine
