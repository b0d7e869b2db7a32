#include "search/setting.h"

namespace cambium::bench {

using spaces::coordinate::CoordinateSpace;

Result<SearchSetting> setting_of(const std::string& model,
                                 const std::vector<std::pair<std::string, std::string>>& bind,
                                 const std::string& spaces) {
  CAMBIUM_TRY(model::Model base, engine::load_base(model, bind));
  CAMBIUM_TRY(engine::Spaces made, engine::make_spaces(base, spaces));
  for (const auto& each : made) {
    if (auto* found = dynamic_cast<CoordinateSpace*>(each.get())) {
      return SearchSetting{std::move(base), std::move(made), found};
    }
  }
  return Rejection(Reason::UnknownSpace, model, "the coordinate space is what is measured");
}

Result<SearchSetting> setting_of(const SearchBenchOptions& options) {
  return setting_of(options.model, {}, spaces_of(options));
}

std::string spaces_of(const SearchBenchOptions& options) {
  return engine::to_json({engine::SpaceSetting{"coordinate", options.targets, {}}});
}

}  // namespace cambium::bench
