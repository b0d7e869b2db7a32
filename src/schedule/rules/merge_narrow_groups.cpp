// Groups of a convolution that are narrower than a vector share one.
#include "schedule/rules/contraction.h"
#include "schedule/rules/kernel_rules.h"
#include "schedule/rules/sites.h"

namespace cambium::schedule {

Status merge_narrow_groups(Draft& draft, const std::string& block) {
  const program::Body& body = *site_of(draft, block).block->body;
  const auto c = contraction_of(body);
  if (!c || 2 * body.iterators[c->lane].extent() > draft.machine().lanes()) {
    return Rejection(Reason::NothingToDo, "merge-narrow-groups", "its lanes fill a vector");
  }
  // A group is beside its neighbour in the result and in the weights, just as channels are.
  const auto is_digit = [&](const program::Buffer& buffer, std::span<const program::Expr> at,
                            std::size_t g) {
    const auto group = program::stride_of(buffer, at, body.iterators[g].axis);
    const auto lane = program::stride_of(buffer, at, body.iterators[c->lane].axis);
    return group && lane && *group == *lane * body.iterators[c->lane].extent();
  };
  // Rows of an image beside columns are no groups: what they are multiplied with is the same.
  const auto is_group = [&](std::size_t g) {
    return program::stride_of(*c->left->buffer, c->left->indices, body.iterators[g].axis) != 0;
  };
  // Of groups that do not divide a vector, each vector begins at another place of a group, and
  // loads of the data become gathers. Where there are two vectors at most, these places are
  // constants.
  const auto is_worth_it = [&](std::size_t g) {
    const std::int64_t width = body.iterators[c->lane].extent();
    const std::int64_t lanes = draft.machine().lanes();
    return lanes % width == 0 || body.iterators[g].extent() * width <= 2 * lanes;
  };
  for (std::size_t g : c->batch) {
    if (!is_worth_it(g) || !is_group(g) || !is_digit(*body.target, body.indices, g) ||
        !is_digit(*c->right->buffer, c->right->indices, g)) {
      continue;
    }
    const Names names{std::string(expr::name_of(body.iterators[g].axis)),
                      std::string(expr::name_of(body.iterators[c->lane].axis))};
    CAMBIUM_REQUIRE(draft.apply(MergeIterators{block, names}));
    return Ok{};
  }
  return Rejection(Reason::NothingToDo, "merge-narrow-groups", "it has no adjacent groups");
}

}  // namespace cambium::schedule
