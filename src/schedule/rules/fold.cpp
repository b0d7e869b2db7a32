// Elementwise blocks go into their readers. Padding that a window reads may stay a copy instead.
#include <algorithm>

#include "schedule/rules/contraction.h"
#include "schedule/rules/kernel_rules.h"
#include "schedule/rules/sites.h"

namespace cambium::schedule {

using program::Block;
using program::Buffer;
using program::Role;
using program::Scalar;
using program::ScalarKind;
using program::Site;

namespace {

// Functions that cost more than a load from the first-level cache.
bool is_dear(Scalar value) {
  bool dear = false;
  program::for_each_scalar(value, [&](Scalar scalar) {
    using program::BinaryFn;
    using program::UnaryFn;
    if (scalar->kind == ScalarKind::Unary) {
      dear |= scalar->unary() != UnaryFn::Neg && scalar->unary() != UnaryFn::Abs &&
              scalar->unary() != UnaryFn::Not;
    } else if (scalar->kind == ScalarKind::Binary) {
      dear |= scalar->binary() == BinaryFn::Div || scalar->binary() == BinaryFn::Pow ||
              scalar->binary() == BinaryFn::Mod || scalar->binary() == BinaryFn::Rem;
    }
  });
  return dear;
}

bool has_select(Scalar value) {
  bool found = false;
  program::for_each_scalar(value, [&](Scalar s) { found |= s->kind == ScalarKind::Select; });
  return found;
}

std::int64_t points_of(const program::Body& body) {
  std::int64_t points = 1;
  for (const program::Iterator& it : body.iterators) points *= it.extent();
  return points;
}

constexpr std::int64_t kLargest = 256;  // nodes that folding may add to a reader

// The nodes of a value; with a buffer, only the loads of it.
std::int64_t size_of_value(Scalar value, const Buffer* loads_of) {
  std::int64_t nodes = 0;
  program::for_each_scalar(
      value, [&](Scalar s) { nodes += loads_of == nullptr || s->buffer == loads_of ? 1 : 0; });
  return nodes;
}

// Whether a block only moves elements.
bool is_permutation(const program::Body& body) {
  return body.value->kind == ScalarKind::Load &&
         std::all_of(body.value->indices.begin(), body.value->indices.end(), [](program::Expr e) {
           return e->kind == expr::Kind::Axis || e->kind == expr::Kind::Const;
         });
}

// Whether putting the value of `block` into its readers computes nothing (dear) twice.
bool may_fold(const Program& program, const Block& block) {
  const program::Body& body = *block.body;
  if (is_reduction(body) || body.target->role != Role::Local) return false;
  const std::vector<Site> sites = program::sites_of(program);
  const auto readers = program::readers_of(sites, body.target);
  if (readers.empty()) return false;
  const bool dear = is_dear(body.value);
  for (std::size_t reader : readers) {
    const program::Body& other = *sites[reader].block->body;
    if (size_of_value(body.value, nullptr) * size_of_value(other.value, body.target) > kLargest) {
      return false;
    }
    if (contraction_of(other)) {  // its operands must stay plain loads
      if (!is_permutation(body)) return false;
      continue;
    }
    const bool repeats = points_of(other) > points_of(body);
    if (repeats && (dear || (is_reduction(other) && !has_select(body.value)))) return false;
    if (readers.size() > 1 && dear) return false;
  }
  return true;
}

bool is_padding_of_reduction(const Program& program, const Block& block) {
  const Block* reader = only_reader(program, block.body->target);
  return has_select(block.body->value) && reader != nullptr && is_reduction(*reader->body);
}

}  // namespace

Status fold_elementwise(Draft& draft, const std::string& block) {
  const Site site = site_of(draft, block);
  if (!may_fold(draft.program(), *site.block)) {
    return Rejection(Reason::NothingToDo, "fold", "a value would be computed twice");
  }
  if (is_padding_of_reduction(draft.program(), *site.block) &&
      draft.choose("padding", {"inlined", "copied"}, 0, {6, 1}) == 1) {
    return Ok{};
  }
  if (draft.apply(Inline{block}).ok()) return Ok{};
  CAMBIUM_REQUIRE(draft.apply(ReverseInline{block}));
  return Ok{};
}

}  // namespace cambium::schedule
