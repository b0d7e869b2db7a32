#include "engine/search/stopping.h"

#include "train/stopping.h"

namespace cambium::engine {

Status check_stopping(const std::string& rule) {
  CAMBIUM_TRY([[maybe_unused]] const auto parsed, train::stopping_rule_of(rule));
  if (rule.rfind("halving", 0) != 0) return Ok{};
  return Rejection(Reason::BadOption, "stopping rule '" + rule + "'",
                   "it compares candidates with earlier ones, so the search would depend on which "
                   "training ends first; use below-original:SHARE or milestones");
}

}  // namespace cambium::engine
