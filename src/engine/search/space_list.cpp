#include "engine/search/space_list.h"

#include <algorithm>

#include "base/text.h"
#include "spaces/coordinate/search/space.h"
#include "spaces/loopnest/space.h"

namespace cambium::engine {

const std::vector<spaces::SpaceKind>& space_kinds() {
  static const std::vector<spaces::SpaceKind> kinds = {
      spaces::coordinate::coordinate_kind(),
      spaces::loopnest::loopnest_kind(),
  };
  return kinds;
}

std::vector<std::string> space_names() {
  std::vector<std::string> names;
  for (const spaces::SpaceKind& kind : space_kinds()) names.emplace_back(kind.name);
  return names;
}

Result<spaces::SpaceKind> space_kind(std::string_view name) {
  const auto& kinds = space_kinds();
  const auto found =
      std::find_if(kinds.begin(), kinds.end(), [&](const auto& kind) { return kind.name == name; });
  if (found != kinds.end()) return *found;
  return Rejection(Reason::UnknownSpace, std::string(name), join(space_names(), ", "));
}

}  // namespace cambium::engine
