#include "engine/targets.h"

#include <nlohmann/json.hpp>

#include "engine/documents.h"
#include "model/selector.h"
#include "model/target.h"

namespace cambium::engine {

std::vector<std::pair<std::string, std::string>> selector_forms() {
  return model::selector_forms();
}

Result<std::vector<TargetRow>> find_targets(const model::Model& model,
                                            const std::string& selector) {
  CAMBIUM_TRY(const std::vector<model::Target> targets, select(model, selector));
  std::vector<TargetRow> rows;
  for (const model::Target& target : targets) {
    TargetRow row{std::string(name_of(target.kind)), target.text(), {}};
    for (const model::Site& site : target.sites) {
      SiteRow place{site.name, {}};
      for (const expr::SizeVar variable : target.sizes.vars()) {
        if (!site.binding.has(variable)) continue;
        place.binding.emplace_back(target.sizes.name(variable), site.binding[variable]);
      }
      row.sites.push_back(std::move(place));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

nlohmann::json to_json(const std::vector<TargetRow>& targets, const std::string& model,
                       const std::string& selector) {
  nlohmann::json all = nlohmann::json::array();
  for (const TargetRow& target : targets) {
    nlohmann::json sites = nlohmann::json::array();
    for (const SiteRow& site : target.sites) {
      nlohmann::json binding = nlohmann::json::object();
      for (const auto& each : site.binding) binding[each.first] = each.second;
      sites.push_back({{"name", site.name}, {"binding", std::move(binding)}});
    }
    all.push_back(
        {{"kind", target.kind}, {"relation", target.relation}, {"sites", std::move(sites)}});
  }
  nlohmann::json out = document("targets", 1);
  out["model"] = model;
  out["selector"] = selector;
  out["targets"] = std::move(all);
  return out;
}

}  // namespace cambium::engine
