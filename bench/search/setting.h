// The setting of the parts of `cambium bench search`: a model and its coordinate space.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/search/spaces.h"
#include "search/parts.h"
#include "spaces/coordinate/search/space.h"

namespace cambium::bench {

struct SearchSetting {
  model::Model base;
  engine::Spaces spaces;
  spaces::coordinate::CoordinateSpace* space = nullptr;  // one of them
};

// Refuses what loading and making spaces refuse, and spaces without the coordinate space.
Result<SearchSetting> setting_of(const std::string& model,
                                 const std::vector<std::pair<std::string, std::string>>& bind,
                                 const std::string& spaces);
Result<SearchSetting> setting_of(const SearchBenchOptions& options);
std::string spaces_of(const SearchBenchOptions& options);  // JSON

}  // namespace cambium::bench
