#include "engine/search/export_operators.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "model/fingerprint.h"
#include "model/pytorch/source.h"

namespace cambium::engine {
namespace {

// A node's name as the name of a file that Python can import, and none twice.
std::string stem_of(const std::string& node, std::set<std::string>& taken) {
  std::string stem;
  for (const char c : node) stem += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  if (stem.empty() || std::isdigit(static_cast<unsigned char>(stem[0])) != 0) {
    stem.insert(0, "operator_");
  }
  std::string unique = stem;
  for (int number = 2; !taken.insert(unique).second; ++number) {
    unique = stem + "_" + std::to_string(number);
  }
  return unique;
}

}  // namespace

Result<std::vector<ExportedOperator>> export_operators(const model::Model& model,
                                                       const std::string& folder) {
  std::vector<ExportedOperator> all;
  std::map<Fingerprint, std::size_t> by_structure;
  std::set<std::string> taken;
  for (const model::NodePtr& node : model.nodes()) {
    if (node->as<model::Composite>() == nullptr) continue;
    const model::Model alone = model::alone(model, node->id);
    const auto [known, is_new] = by_structure.emplace(model::structure_of(alone), all.size());
    if (is_new) {
      std::error_code error;
      std::filesystem::create_directories(folder, error);
      if (error) return Rejection(Reason::Unwritable, folder, error.message());
      all.push_back({stem_of(node->name, taken), {}});
      CAMBIUM_REQUIRE(model::export_pytorch(alone, folder + "/" + all.back().stem));
    }
    all[known->second].places.push_back(node->name);
  }
  return all;
}

}  // namespace cambium::engine
