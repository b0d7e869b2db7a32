#include "schedule/rules/auto_inline.h"

#include <algorithm>

#include "expr/linear.h"
#include "schedule/rules/sites.h"

namespace cambium::schedule {

using program::Body;
using program::Expr;
using program::Scalar;
using program::ScalarKind;

namespace {

// The axis of an index that is an axis at some distance; nullptr of a constant. Nothing of others.
std::optional<Expr> axis_of(Expr index) {
  expr::Linear sum;
  if (!sum.add_scaled(index, expr::Monomial::of(1))) return std::nullopt;
  Expr axis = nullptr;
  for (const expr::Term& term : sum.terms()) {
    if (term.atom == nullptr) continue;
    if (axis != nullptr || term.atom->kind != expr::Kind::Axis || term.coefficient.factor != 1) {
      return std::nullopt;
    }
    axis = term.atom;
  }
  return axis;
}

bool is_in_order(const Body& body, Scalar load) {
  auto from = body.indices.begin();
  for (Expr index : load->indices) {
    const auto axis = axis_of(index);
    if (!axis) return false;
    if (*axis == nullptr) continue;
    const auto at = std::find(from, body.indices.end(), *axis);
    if (at == body.indices.end()) return false;
    from = at + 1;
  }
  return true;
}

bool has_reductions(const Program& program) {
  for (const program::Site& site : program::sites_of(program)) {
    if (is_reduction(*site.block->body)) return true;
  }
  return false;
}

Rejection leave_block(const char* why) {
  return Rejection(Reason::NothingToDo, "auto-inline", why);
}

Status may_go(const Body& body, const AutoInlineOptions& options) {
  bool loads = false, is_dear = false, has_condition = false;
  program::for_each_scalar(body.value, [&](Scalar s) {
    loads |= s->kind == ScalarKind::Load || s->kind == ScalarKind::Gather;
    has_condition |= s->kind == ScalarKind::Select;
    is_dear |= s->kind == ScalarKind::Unary && std::find(options.dear.begin(), options.dear.end(),
                                                         s->unary()) != options.dear.end();
  });
  if (!loads) return Ok{};  // a constant
  if (is_dear) return leave_block("its value is expensive to compute");
  if (has_condition && options.conditions_stay) return leave_block("it has a condition");
  if (options.needs_order && !reads_in_order(body))
    return leave_block("it does not read in the order of its loops");
  return Ok{};
}

}  // namespace

bool reads_in_order(const Body& body) {
  bool in_order = true;
  program::for_each_scalar(body.value, [&](Scalar s) {
    if (s->kind == ScalarKind::Gather) in_order = false;
    if (s->kind == ScalarKind::Load) in_order = in_order && is_in_order(body, s);
  });
  return in_order;
}

Rule auto_inline_rule(AutoInlineOptions options) {
  return {"auto-inline", "compute cheap elementwise blocks where they are read",
          [options = std::move(options)](Draft& draft, const std::string& block) -> Status {
            const Body& body = *site_of(draft, block).block->body;
            if (is_reduction(body)) return leave_block("it reduces");
            if (has_reductions(draft.program())) CAMBIUM_REQUIRE(may_go(body, options));
            CAMBIUM_REQUIRE(draft.apply(Inline{block}));
            return Ok{};
          }};
}

}  // namespace cambium::schedule
