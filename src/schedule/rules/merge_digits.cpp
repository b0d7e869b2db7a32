#include "schedule/rules/merge_digits.h"

#include "schedule/rules/index_digits.h"
#include "schedule/rules/multi_level_tiling.h"
#include "schedule/rules/sites.h"

namespace cambium::schedule {
namespace {

Status merge(Draft& draft, const std::string& block) {
  const program::Site site = site_of(draft, block);
  if (!has_reuse(draft.context(), site)) {
    return Rejection(Reason::NothingToDo, "merge-digits", "it has no reuse to tile for");
  }
  bool merged = false;
  for (program::Expr index : site.block->body->indices) {
    const auto digits = digits_of(index);
    if (!digits || digits->size() < 2) continue;
    Names names;
    for (const Digit& digit : *digits) names.emplace_back(expr::name_of(digit.axis));
    CAMBIUM_REQUIRE(draft.apply(MergeIterators{block, names}));
    merged = true;
  }
  if (!merged) return Rejection(Reason::NothingToDo, "merge-digits", "no index consists of digits");
  return Ok{};
}

}  // namespace

Rule merge_digits_rule() {
  return {"merge-digits", "merge iterators that are digits of one dimension", merge};
}

}  // namespace cambium::schedule
