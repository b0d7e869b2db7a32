#include "schedule/recipe/nest_parts.h"

#include "program/walk.h"

namespace cambium::schedule {

using program::Scalar;
using program::ScalarKind;

NestParts parts_of(const program::Body& body) {
  NestParts parts;
  program::for_each_scalar(body.value, [&](Scalar s) {
    if (s->kind == ScalarKind::Index) parts.conditions.push_back(s->indices[0]);
    if (s->kind != ScalarKind::Load) return;
    const bool is_weights = s->buffer->role == program::Role::Constant;
    (is_weights ? parts.weights : parts.x) = s->buffer;
    (is_weights ? parts.weights_at : parts.x_at) = s->indices;
  });
  return parts;
}

}  // namespace cambium::schedule
