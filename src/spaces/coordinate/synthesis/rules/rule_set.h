// Which canonicalization rules are on. Each is a named row with the identity it rests on
// (rules/rules.h); exact ones remove operators that are equal to one that stays, approximate ones
// remove operators that differ from one that stays at few points. Unknown names are refused.
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
  bool has(std::string_view name) const;                              // false for what is no rule
  friend bool operator==(const RuleSet&, const RuleSet&) = default;

 private:
  std::uint64_t off_ = 0;
};

struct RuleInfo {
  const char* name;
  Exactness exactness;
  const char* what;      // what the rule forbids
  const char* identity;  // and why: it equals the right-hand side
};

// All rows: those about steps, then those about weights.
std::span<const RuleInfo> rule_infos();
std::string rules_page();

}  // namespace cambium::spaces::coordinate::synthesis
