#include "engine/catalog.h"

#include <nlohmann/json.hpp>

#include "base/features.h"
#include "codegen/codegen.h"
#include "engine/documents.h"
#include "engine/machines.h"
#include "model/cost.h"
#include "model/zoo/zoo.h"

namespace cambium::engine {

std::vector<ZooRow> zoo_rows() {
  std::vector<ZooRow> rows;
  for (const model::zoo::ZooEntry& entry : model::zoo::entries()) {
    const auto model = model::zoo::build(entry.name);
    CAMBIUM_CHECK(model.ok(), model.rejection().message());  // its own test builds each of them
    const model::Cost cost = cost_of(*model);
    rows.push_back({std::string(entry.name), std::string(entry.description),
                    std::string(entry.origin), cost.params, cost.macs});
  }
  return rows;
}

nlohmann::json to_json(const std::vector<ZooRow>& rows) {
  nlohmann::json models = nlohmann::json::array();
  for (const ZooRow& row : rows) {
    models.push_back({{"name", row.name},
                      {"description", row.description},
                      {"origin", row.origin},
                      {"params", row.params},
                      {"macs", row.macs}});
  }
  nlohmann::json out = document("zoo", 1);
  out["models"] = std::move(models);
  return out;
}

std::string code_generator() {
  return codegen::version(host_machine());
}

nlohmann::json version_json() {
  nlohmann::json all = nlohmann::json::array();
  for (const Feature& feature : features()) {
    all.push_back({{"name", std::string(feature.name)},
                   {"purpose", std::string(feature.purpose)},
                   {"in", feature.in},
                   {"version", std::string(feature.version)}});
  }
  nlohmann::json out = document("version", 1);
  out["cambium"] = std::string(version());
  out["compiler"] = std::string(compiler());
  out["features"] = std::move(all);
  out["machine"] = json_of(host_machine());
  out["code_generator"] = code_generator();
  return out;
}

}  // namespace cambium::engine
