// The rows of `cambium inspect --targets SELECTOR`: places that may be rewritten, grouped by shape
// relation, with the values of the size variables at each.
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

// Every kind of place with the keys that selectors have for it.
std::vector<std::pair<std::string, std::string>> selector_forms();
// Refuses a malformed selector, and one that matches nothing.
Result<std::vector<TargetRow>> find_targets(const model::Model& model, const std::string& selector);
nlohmann::json to_json(const std::vector<TargetRow>& targets, const std::string& model,
                       const std::string& selector);

}  // namespace cambium::engine
