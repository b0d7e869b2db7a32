#include "schedule/rules/skip_padding.h"

#include <algorithm>

#include "schedule/rules/contraction.h"
#include "schedule/rules/sites.h"
#include "schedule/rules/tile_parts.h"

namespace cambium::schedule {

using program::Block;
using program::Buffer;
using program::Expr;
using program::Loop;
using program::Scalar;
using program::ScalarKind;
using program::Site;

namespace {

constexpr std::size_t kMostPieces = 4;  // of one loop: each is a copy of the whole code

bool is_zero(Scalar s) {
  return s->kind == ScalarKind::Const && is_floating(s->type) && s->number() == 0;
}

// Conditions around products inside the loop that move with it and with an unrolled loop, over
// loops: these must be decided when the code is written.
std::vector<Expr> conditions_inside(Context& cx, const Program& program, const Loop& loop) {
  std::vector<Expr> moving;
  for (const Site& site : program::sites_of(program)) {
    if (!site.is_under(&loop)) continue;
    const Expr condition = condition_of(*site.block->body);
    if (condition == nullptr) continue;
    std::vector<Expr> conjuncts;
    program::add_conjuncts(cx, program::over_loops(cx, *site.block, condition), conjuncts);
    for (Expr p : conjuncts) {
      const bool is_written_out =
          std::any_of(site.loops.begin(), site.loops.end(), [&](const Loop* l) {
            return l->how == program::LoopKind::Unrolled && program::uses(p, l->axis);
          });
      if (is_written_out && program::uses(p, loop.axis)) moving.push_back(p);
    }
  }
  return moving;
}

// Where the loop must fall apart: around every iteration in which some condition is not always
// true. Those in which all are true are in the middle.
Result<Ints> points_between(Context& cx, const std::vector<Expr>& conditions, const Loop& loop) {
  const auto is_decided = [&](std::int64_t value) {
    return std::all_of(conditions.begin(), conditions.end(),
                       [&](Expr c) { return holds_at(cx, c, loop.axis, value); });
  };
  const std::int64_t extent = loop.extent();
  std::int64_t first = 0, last = extent;
  const auto most = static_cast<std::int64_t>(kMostPieces);
  while (first < std::min(extent, most) && !is_decided(first)) ++first;
  while (last > std::max(first, extent - most) && !is_decided(last - 1)) --last;
  Ints points;
  for (std::int64_t p = 1; p <= std::min(first, extent - 1); ++p) points.push_back(p);
  for (std::int64_t p = std::max(last, first + 1); p < extent; ++p) points.push_back(p);
  if (points.size() >= kMostPieces || (first < last && !is_decided((first + last) / 2))) {
    return Rejection(Reason::NothingToDo, "skip padding",
                     "the borders would cut a loop into too many pieces");
  }
  return points;
}

}  // namespace

std::optional<std::string> padding_of(const Program& program, const std::string& block) {
  const program::Body& body = *site_of(program, block).block->body;
  const auto c = contraction_of(body);
  if (!c || condition_of(body) != nullptr || c->left->buffer->role != program::Role::Local) {
    return std::nullopt;
  }
  const Buffer* padded = c->left->buffer;
  const Block* writer = only_writer(program, padded);
  const Block* reader = only_reader(program, padded);
  if (writer == nullptr || reader == nullptr || is_reduction(*writer->body)) return std::nullopt;
  const Scalar value = writer->body->value;
  if (value->kind != ScalarKind::Select || value->operands[0]->kind != ScalarKind::Index ||
      value->operands[1]->kind != ScalarKind::Load || !is_zero(value->operands[2])) {
    return std::nullopt;
  }
  return std::string(writer->name);
}

Status inline_padding(Draft& draft, const std::string& block, const std::string& padding) {
  CAMBIUM_REQUIRE(draft.apply(Inline{padding}));
  CAMBIUM_REQUIRE(draft.apply(LiftSelect{block}));
  return Ok{};
}

Status cut_where_decided(Draft& draft, const std::string& block, const std::string& innermost) {
  Context& cx = draft.context();
  const Names around = names_of(site_of(draft, block).loops);
  for (auto at = std::find(around.begin(), around.end(), innermost) + 1; at != around.begin();) {
    const Loop* loop = program::find_loop(draft.program(), *--at);
    if (loop->extent() == 1) continue;
    const std::vector<Expr> conditions = conditions_inside(cx, draft.program(), *loop);
    if (conditions.empty()) continue;
    CAMBIUM_TRY(const Ints points, points_between(cx, conditions, *loop));
    if (points.empty()) continue;
    if (static_cast<std::int64_t>(points.size()) + 1 == loop->extent()) {
      CAMBIUM_REQUIRE(draft.apply(Unroll{*at}));
    } else {
      CAMBIUM_REQUIRE(draft.apply(Partition{*at, points}));
    }
  }
  return Ok{};
}

}  // namespace cambium::schedule
