#include "spaces/coordinate/synthesis/rules/rule_set.h"

#include <vector>

#include "spaces/coordinate/synthesis/rules/rules.h"

namespace cambium::spaces::coordinate::synthesis {
namespace {

std::vector<RuleInfo> all_infos() {
  std::vector<RuleInfo> all;
  for (const StepRule& rule : step_rules()) all.push_back(rule.info);
  for (const WeightRule& rule : weight_rules()) all.push_back(rule.info);
  return all;
}

}  // namespace

std::span<const RuleInfo> rule_infos() {
  static const std::vector<RuleInfo> all = all_infos();
  return all;
}

RuleSet RuleSet::none() {
  RuleSet set;
  set.off_ = ~std::uint64_t{0};
  return set;
}

RuleSet RuleSet::exact() {
  RuleSet set;
  for (std::size_t row = 0; row < rule_infos().size(); ++row) {
    if (rule_infos()[row].exactness == Exactness::Approximate) set.off_ |= std::uint64_t{1} << row;
  }
  return set;
}

bool RuleSet::has(std::string_view name) const {
  for (std::size_t row = 0; row < rule_infos().size(); ++row) {
    if (name == rule_infos()[row].name) return has(row);
  }
  return false;
}

Result<RuleSet> RuleSet::without(std::string_view name) const {
  std::string names;
  for (std::size_t row = 0; row < rule_infos().size(); ++row) {
    if (name == rule_infos()[row].name) {
      RuleSet set = *this;
      set.off_ |= std::uint64_t{1} << row;
      return set;
    }
    names += (row == 0 ? "" : ", ") + std::string(rule_infos()[row].name);
  }
  return Rejection(Reason::UnknownRule, std::string(name), names);
}

std::string rules_page() {
  std::string page =
      "# Canonicalization rules of the coordinate space\n\n"
      "Written from the rows in `src/spaces/coordinate/synthesis/rules/` by the test\n"
      "`spaces/coordinate/synthesis/Rules.TheirPageIsUpToDate` (`CAMBIUM_UPDATE_GOLDEN=1` writes "
      "it).\nAn exact rule removes an operator only if an equal one stays within the limits. An "
      "approximate\nrule removes an operator if one stays that differs from it at few points.\n";
  for (const Exactness exactness : {Exactness::Exact, Exactness::Approximate}) {
    page += exactness == Exactness::Exact ? "\n## Exact\n\n" : "\n## Approximate\n\n";
    page += "| rule | forbids | because |\n|---|---|---|\n";
    for (const RuleInfo& info : rule_infos()) {
      if (info.exactness != exactness) continue;
      page += "| " + std::string(info.name) + " | " + info.what + " | " + info.identity + " |\n";
    }
  }
  return page;
}

}  // namespace cambium::spaces::coordinate::synthesis
