#include "spaces/loopnest/describe.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"

namespace cambium::spaces::loopnest {
namespace {

// What a step does in few words: `group co 4`.
struct InFewWords {
  std::string operator()(const schedule::Bottleneck& s) const {
    return word(s.kName, s.loop, s.factor);
  }
  std::string operator()(const schedule::Group& s) const {
    return word(s.kName, s.outer, s.factor);
  }
  std::string operator()(const schedule::Depthwise& s) const { return word(s.kName, s.outer); }
  std::string operator()(const schedule::GroupSlabs& s) const { return word("slabs", s.rows); }
  std::string operator()(const schedule::GroupChannels& s) const {
    return word("channel slabs", s.rows);
  }
  std::string operator()(const schedule::Separate& s) const {
    return word(s.kName, join(s.first, " "));
  }
  std::string operator()(const schedule::Partition& s) const {
    return word(s.kName, s.loop) + fmt::format(" {}", fmt::join(s.points, " "));
  }
  // Splits and the like say nothing without the steps that they prepare.
  template <class Other>
  std::string operator()(const Other& /*step*/) const {
    return {};
  }

 private:
  static std::string word(std::string_view kind, const std::string& loop) {
    return fmt::format("{} {}", kind, loop);
  }
  static std::string word(std::string_view kind, const std::string& loop, std::int64_t factor) {
    return fmt::format("{} {} {}", kind, loop, factor);
  }
};

// `partition co 8, group co 2, group co.2 4` of a document without a name.
std::string steps_of(const Variant& variant) {
  std::vector<std::string> words;
  for (const auto& record : variant.trace) {
    std::string step = std::visit(InFewWords(), record.step);
    if (!step.empty()) words.push_back(std::move(step));
  }
  return join(words, ", ");
}

std::string sites_text(const Plan& plan) {
  const Sites& sites = plan.survey().sites();
  const std::string& first = sites[plan.placed().front().site].name;
  if (plan.placed().size() == 1) return first;
  return fmt::format("{} convolutions from {} on", plan.placed().size(), first);
}

}  // namespace

Description description_of(const Plan& plan) {
  if (plan.placed().empty()) return {"nothing changes", "", "", ""};
  const Placed& first = plan.placed().front();
  const std::string name = first.variants->name_of(*first.variant);
  Description description;
  description.title =
      fmt::format("{} at {}", name.empty() ? steps_of(*first.variant) : name, sites_text(plan));
  description.equation = first.variants->sums_of(*first.variant);
  description.loops = first.variants->loops_of(*first.variant);
  return description;
}

}  // namespace cambium::spaces::loopnest
