// The set of canonicalization rules that are on. Each rule is a named row with the identity that
// justifies it (rules/rules.h). An exact rule removes an operator if an equal one stays. An
// approximate rule removes an operator if one stays that differs from it at few points. Refuses
// unknown names.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace cambium::spaces::coordinate::synthesis {

enum class Exactness : std::uint8_t { Exact, Approximate };

class RuleSet {
 public:
  RuleSet() = default;  // all of them
  static RuleSet none();
  static RuleSet exact();
  Result<RuleSet> without(std::string_view name) const;

  bool has(std::size_t row) const { return (off_ >> row & 1) == 0; }  // row in `rule_infos`
  bool has(std::string_view name) const;                              // false for an unknown name
  friend bool operator==(const RuleSet&, const RuleSet&) = default;

 private:
  std::uint64_t off_ = 0;
};

struct RuleInfo {
  const char* name;
  Exactness exactness;
  const char* what;      // what the rule forbids
  const char* identity;  // why: both sides are equal
};

// All rows: rules about steps, then rules about weights.
std::span<const RuleInfo> rule_infos();
std::string rules_page();

}  // namespace cambium::spaces::coordinate::synthesis
