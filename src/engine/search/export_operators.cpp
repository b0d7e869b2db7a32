#include "engine/search/export_operators.h"

#include <filesystem>
#include <map>

#include "base/escape.h"
#include "base/unique_names.h"
#include "model/fingerprint.h"
#include "model/pytorch/source.h"

namespace cambium::engine {
namespace {

// A file name that Python can import: no keyword, and no module of Python itself, which the file
// would hide from PyTorch.
std::string stem_of(const std::string& node) {
  return "operator_" + identifier(node, "");
}

}  // namespace

Result<std::vector<ExportedOperator>> export_operators(const model::Model& model,
                                                       const std::string& folder) {
  std::vector<ExportedOperator> all;
  std::map<Fingerprint, std::size_t> by_structure;
  UniqueNames taken;
  for (const model::NodePtr& node : model.nodes()) {
    if (node->as<model::Composite>() == nullptr) continue;
    const model::Model alone = model::alone(model, node->id);
    const auto [known, is_new] = by_structure.emplace(model::structure_of(alone), all.size());
    if (is_new) {
      std::error_code error;
      std::filesystem::create_directories(folder, error);
      if (error) return Rejection(Reason::Unwritable, folder, error.message());
      all.push_back({taken.unique(stem_of(node->name)), {}});
      CAMBIUM_REQUIRE(model::export_pytorch(alone, folder + "/" + all.back().stem));
    }
    all[known->second].places.push_back(node->name);
  }
  return all;
}

}  // namespace cambium::engine
