// Writes docs/rules.md from the rows.
#pragma once

#include <string>

#include "expr/rule_set.h"

namespace cambium::expr {

std::string rules_page(const RuleSet& rules);

}  // namespace cambium::expr
