#include "engine/training/datasets.h"

namespace cambium::engine {

Result<const data::Dataset*> Datasets::open(const std::string& spec, bool tests) {
  const auto key = std::pair(spec, tests);
  if (const auto known = open_.find(key); known != open_.end()) return &known->second;
  data::DataOptions options;
  if (tests) options.access = data::Access::Evaluation;
  CAMBIUM_TRY(data::Dataset data, data::open_dataset(spec, options));
  return &open_.emplace(key, std::move(data)).first->second;
}

}  // namespace cambium::engine
