#include "schedule/steps/lift_select.h"

#include "program/rewrite.h"
#include "schedule/steps/rebuild.h"

namespace cambium::schedule {
namespace {

using namespace program;

bool is_zero(Scalar s) {
  return s->kind == ScalarKind::Const && is_floating(s->type) && s->number() == 0;
}

// select(c, a, 0): a factor that is nothing outside.
bool is_padded(Scalar s) {
  return s->kind == ScalarKind::Select && s->operands[0]->kind == ScalarKind::Index &&
         is_zero(s->operands[2]);
}

}  // namespace

Result<Applied> LiftSelect::apply(Context& cx, const Program& program) const {
  CAMBIUM_TRY(const Block* found, block_named(program, block));
  const Body& body = *found->body;
  const Scalar product = body.value;
  if (body.combine != Combine::Sum || product->kind != ScalarKind::Binary ||
      product->binary() != BinaryFn::Mul) {
    return Rejection(Reason::NotAContraction, block, "it is not a sum of products");
  }
  Scalar left = product->operands[0];
  Scalar right = product->operands[1];
  const bool is_left = is_padded(left);
  if (!is_left && !is_padded(right)) {
    return Rejection(Reason::NotAContraction, block, "no factor is select([...], value, 0.0)");
  }
  const Scalar padded = is_left ? left : right;
  (is_left ? left : right) = padded->operands[1];
  Body fields = body;
  fields.value =
      cx.select(padded->operands[0], cx.binary(BinaryFn::Mul, left, right), padded->operands[2]);
  return Applied{replace(cx, program, found, with_body(cx, *found, cx.body(fields))), {}};
}

}  // namespace cambium::schedule
