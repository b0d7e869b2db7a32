#include "spaces/loopnest/step_kinds.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <variant>

#include "schedule/recipe/catalogue.h"
#include "schedule/trace/schedule.h"

namespace cambium::spaces::loopnest {
namespace {

// Documents name parts of sizes (`3*Co/4`), and kinds do not depend on their numbers. All parts
// that canonical documents write are whole numbers of this one.
constexpr std::int64_t kAnySize = 720720;  // divisible by all numbers up to 16
constexpr std::array kSizes = {"N", "G", "Co", "Ci", "D", "H", "W", "KD", "KH", "KW"};

schedule::NamedSizes any_sizes() {
  schedule::NamedSizes sizes;
  for (const char* const name : kSizes) sizes.emplace_back(name, kAnySize);
  return sizes;
}

std::string bottleneck_kind(std::string_view loop) {
  const std::string_view role = loop.substr(0, loop.find('.'));
  if (role == "co") return "bottleneck";
  if (role == "ci") return "input bottleneck";
  return role.starts_with("k") ? "tap bottleneck" : "spatial bottleneck";
}

// Steps of other types only prepare.
class Collecting {
 public:
  std::string operator()(const schedule::Split& step) {
    split_.insert(step.loop);
    return {};
  }
  std::string operator()(const schedule::Partition& /*step*/) {
    has_parts_ = true;
    return {};
  }
  std::string operator()(const schedule::Bottleneck& step) { return bottleneck_kind(step.loop); }
  std::string operator()(const schedule::Group& step) {
    return of_part(is_interleaved(step) ? "interleaved group" : "group", step.skip);
  }
  std::string operator()(const schedule::Depthwise& /*step*/) { return of_part("depthwise", 0); }
  std::string operator()(const schedule::GroupSlabs& /*step*/) { return "slabs"; }
  std::string operator()(const schedule::GroupChannels& /*step*/) { return "channel slabs"; }
  std::string operator()(const schedule::Separate& /*step*/) { return "separate"; }
  template <class Step>
  std::string operator()(const Step& /*step*/) {
    return {};
  }

 private:
  // A group over another part of a split than the first reads every so-manieth channel.
  bool is_interleaved(const schedule::Group& step) const {
    const std::size_t dot = step.inner.rfind('.');
    if (dot == std::string::npos || step.inner.substr(dot) == ".0") return false;
    return split_.contains(step.inner.substr(0, dot));
  }

  std::string of_part(const std::string& kind, std::int64_t skip) const {
    if (!has_parts_) return kind;
    return (skip > 0 ? "peel " : "half ") + kind;
  }

  std::set<std::string> split_;  // loops
  bool has_parts_ = false;
};

}  // namespace

std::vector<std::string> step_kinds(std::string_view document) {
  const auto named = schedule::catalogue_document(document);
  if (named && named->ok()) return step_kinds(**named);
  static const schedule::NamedSizes sizes = any_sizes();
  const auto steps = schedule::parse_document(document, sizes);
  if (!steps.ok()) return {};
  std::vector<std::string> kinds;
  Collecting collecting;
  for (const schedule::Record& record : *steps) {
    std::string kind = std::visit(collecting, record.step);
    const bool is_known = std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
    if (!kind.empty() && !is_known) kinds.push_back(std::move(kind));
  }
  return kinds;
}

}  // namespace cambium::spaces::loopnest
