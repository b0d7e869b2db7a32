#include "program/rewrite.h"

#include <algorithm>

#include "expr/simplify.h"
#include "program/analysis.h"

namespace cambium::program {
namespace {

Stmt mapped(Context& cx, Stmt s, const std::function<Stmt(const Block&)>& f) {
  if (const Block* block = as_block(s)) return f(*block);
  if (const Loop* loop = as_loop(s)) {
    Stmt body = mapped(cx, loop->body, f);
    if (body == loop->body) return s;
    return cx.loop(loop->axis, loop->how, body, loop->annotations);
  }
  std::vector<Stmt> children;
  bool same = true;
  for (Stmt child : as_seq(s)->children) {
    children.push_back(mapped(cx, child, f));
    same = same && children.back() == child;
  }
  return same ? s : cx.seq(children);
}

// The node with other operands.
Scalar with_operands(Context& cx, Scalar s, std::span<const Scalar> operands) {
  switch (s->kind) {
    case ScalarKind::Gather: return cx.gather(s->buffer, operands);
    case ScalarKind::Unary: return cx.unary(s->unary(), operands[0]);
    case ScalarKind::Binary: return cx.binary(s->binary(), operands[0], operands[1]);
    case ScalarKind::Cast: return cx.cast(s->type, operands[0]);
    case ScalarKind::Select: {
      Scalar condition = operands[0];
      if (condition->kind == ScalarKind::Index && condition->indices[0]->kind == expr::Kind::Bool) {
        return operands[expr::truth_of(condition->indices[0]) ? 1 : 2];
      }
      return cx.select(condition, operands[1], operands[2]);
    }
    case ScalarKind::Const:
    case ScalarKind::Index:
    case ScalarKind::Load: break;
  }
  return s;
}

}  // namespace

MapIndex keep_index() {
  return [](Expr e) { return e; };
}
MapAccess keep_access() {
  return [](Scalar s) { return s; };
}

MapIndex substituting(Context& cx, std::vector<expr::Replacement> replacements) {
  return [&cx, all = std::move(replacements)](Expr e) {
    Expr changed = expr::substitute(cx.indices(), e, all);
    return changed == e ? e : expr::simplify(cx.indices(), changed);
  };
}

Scalar rewrite(Context& cx, Scalar s, const MapIndex& index, const MapAccess& access) {
  Scalar result = s;
  if (!s->indices.empty()) {
    std::vector<Expr> indices;
    for (Expr e : s->indices) indices.push_back(index(e));
    if (!std::equal(indices.begin(), indices.end(), s->indices.begin())) {
      result = s->buffer != nullptr ? cx.load(s->buffer, indices) : cx.index(indices[0]);
    }
  } else if (!s->operands.empty()) {
    std::vector<Scalar> operands;
    for (Scalar operand : s->operands) operands.push_back(rewrite(cx, operand, index, access));
    if (!std::equal(operands.begin(), operands.end(), s->operands.begin())) {
      result = with_operands(cx, s, operands);
    }
  }
  return s->buffer != nullptr ? access(result) : result;
}

const Body* rewrite(Context& cx, const Body& body, const MapIndex& index, const MapAccess& access) {
  std::vector<Expr> indices;
  for (Expr e : body.indices) indices.push_back(index(e));
  Body fields = body;
  fields.value = rewrite(cx, body.value, index, access);
  if (body.init != nullptr) fields.init = rewrite(cx, body.init, index, access);
  const bool same = fields.value == body.value && fields.init == body.init &&
                    std::equal(indices.begin(), indices.end(), body.indices.begin());
  if (same) return &body;
  fields.indices = indices;
  return cx.body(fields);
}

const Body* with_buffer(Context& cx, const Body& body, const Buffer* old, const Buffer* by) {
  if (!touches(body, old)) return &body;
  const Body* read = rewrite(cx, body, keep_index(), [&](Scalar s) {
    if (s->buffer != old) return s;
    return s->kind == ScalarKind::Gather ? cx.gather(by, s->operands) : cx.load(by, s->indices);
  });
  if (body.target != old) return read;
  Body fields = *read;
  fields.target = by;
  return cx.body(fields);
}

const Body* with_indices(Context& cx, const Body& body, const Buffer* old, const Buffer* by,
                         const MapIndices& moved) {
  if (!touches(body, old)) return &body;
  const Body* read = rewrite(cx, body, keep_index(), [&](Scalar s) {
    CAMBIUM_CHECK(s->buffer != old || s->kind == ScalarKind::Load, "the places are known");
    return s->buffer == old ? cx.load(by, moved(s->indices)) : s;
  });
  if (body.target != old) return read;
  Body fields = *read;
  fields.target = by;
  const std::vector<Expr> at = moved(body.indices);
  fields.indices = at;
  return cx.body(fields);
}

Stmt with_body(Context& cx, const Block& block, const Body* body) {
  if (body == block.body) return &block;
  return cx.block(block.name, body, block.bindings, block.predicate, block.annotations);
}

Program map_blocks(Context& cx, const Program& program,
                   const std::function<Stmt(const Block&)>& f) {
  Program result = program;
  result.root = mapped(cx, program.root, f);
  return result;
}

Program add_local(Context& cx, const Program& program, const Buffer* local) {
  std::vector<const Buffer*> locals(program.locals.begin(), program.locals.end());
  locals.push_back(local);
  Program result = program;
  result.locals = cx.keep(locals);
  return result;
}

Program remove_local(Context& cx, const Program& program, const Buffer* local) {
  std::vector<const Buffer*> locals(program.locals.begin(), program.locals.end());
  locals.erase(std::remove(locals.begin(), locals.end(), local), locals.end());
  Program result = program;
  result.locals = cx.keep(locals);
  return result;
}

Program replace_local(Context& cx, const Program& program, const Buffer* old, const Buffer* by) {
  std::vector<const Buffer*> locals(program.locals.begin(), program.locals.end());
  std::replace(locals.begin(), locals.end(), old, by);
  Program result = program;
  result.locals = cx.keep(locals);
  return result;
}

}  // namespace cambium::program
