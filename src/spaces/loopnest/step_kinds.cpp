#include "spaces/loopnest/step_kinds.h"

#include <algorithm>
#include <cstddef>
#include <set>

#include "base/text.h"
#include "schedule/recipe/catalogue.h"

namespace cambium::spaces::loopnest {
namespace {

// `group(outer: co, inner: ci.1, factor: 4)`
struct Written {
  std::string_view name, fields;
};

Written written_in(std::string_view line) {
  const std::size_t open = line.find('('), close = line.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return {};
  return {line.substr(0, open), line.substr(open + 1, close - open - 1)};
}

// The value of a field up to the next comma; of fields without brackets. Empty: there is none.
std::string_view field_of(const Written& step, std::string_view name) {
  std::string_view rest = step.fields;
  while (!rest.empty()) {
    if (rest.starts_with(name) && rest.substr(name.size()).starts_with(": ")) {
      rest.remove_prefix(name.size() + 2);
      return rest.substr(0, rest.find(','));
    }
    const std::size_t next = rest.find(", ");
    if (next == std::string_view::npos) break;
    rest.remove_prefix(next + 2);
  }
  return {};
}

std::string bottleneck_kind(std::string_view loop) {
  const std::string_view role = loop.substr(0, loop.find('.'));
  if (role == "co") return "bottleneck";
  if (role == "ci") return "input bottleneck";
  return role.starts_with("k") ? "tap bottleneck" : "spatial bottleneck";
}

class Collecting {
 public:
  std::string kind_of(const Written& step) {
    if (step.name == "split") split_.emplace(field_of(step, "loop"));
    if (step.name == "partition") has_parts_ = true;
    if (step.name == "bottleneck") return bottleneck_kind(field_of(step, "loop"));
    if (step.name == "group") {
      return of_part(step, is_interleaved(step) ? "interleaved group" : "group");
    }
    if (step.name == "depthwise") return of_part(step, "depthwise");
    if (step.name == "group_slabs") return "slabs";
    if (step.name == "group_channels") return "channel slabs";
    if (step.name == "separate") return "separate";
    return {};
  }

 private:
  // A group over another part of a split than the first reads every so-manieth channel.
  bool is_interleaved(const Written& step) const {
    const std::string_view inner = field_of(step, "inner");
    const std::size_t dot = inner.rfind('.');
    if (dot == std::string_view::npos || inner.substr(dot) == ".0") return false;
    return split_.contains(std::string(inner.substr(0, dot)));
  }

  std::string of_part(const Written& step, const std::string& kind) const {
    if (!has_parts_) return kind;
    return (field_of(step, "skip").empty() ? "half " : "peel ") + kind;
  }

  std::set<std::string> split_;  // loops
  bool has_parts_ = false;
};

}  // namespace

std::vector<std::string> step_kinds(std::string_view document) {
  const auto named = schedule::catalogue_document(document);
  if (named && named->ok()) return step_kinds(**named);
  std::vector<std::string> kinds;
  Collecting collecting;
  for (const std::string_view line : split(document, '\n')) {
    std::string kind = collecting.kind_of(written_in(line));
    const bool is_known = std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
    if (!kind.empty() && !is_known) kinds.push_back(std::move(kind));
  }
  return kinds;
}

}  // namespace cambium::spaces::loopnest
