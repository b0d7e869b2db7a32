#include "schedule/steps/rebuild.h"

#include <algorithm>

#include "expr/simplify.h"
#include "program/analysis.h"
#include "program/prove.h"
#include "program/rewrite.h"

namespace cambium::schedule {
namespace {

using program::as_block;
using program::as_loop;
using program::as_seq;

// A comparison with its sides simplified, or a truth where that is decided.
Expr tidy_conjunct(Context& cx, Expr p) {
  expr::Context& ix = cx.indices();
  Expr whole = expr::simplify(ix, p);
  if (whole->kind == expr::Kind::Bool) return whole;
  const bool negated = p->kind == expr::Kind::Not;
  Expr inner = negated ? p->a : p;
  if (inner->kind != expr::Kind::Less) return whole;
  Expr a = expr::simplify(ix, inner->a);
  Expr b = expr::simplify(ix, inner->b);
  const bool always = negated ? program::provably_at_most(cx, b, a)
                              : program::provably_at_most(cx, expr::add(ix, a, cx.number(1)), b);
  if (always) return ix.boolean(true);
  Expr compared = expr::less(ix, a, b);
  return negated ? expr::logical_not(ix, compared) : compared;
}

const Buffer* mapped(const Buffer* buffer, const Mapping& mapping) {
  const auto found = mapping.buffers.find(buffer);
  return found == mapping.buffers.end() ? buffer : found->second;
}

}  // namespace

Fresh::Taken& Fresh::loops() {
  if (loops_) return *loops_;
  loops_.emplace();
  program::for_each_stmt(program_, [&](Stmt s, const std::vector<const Loop*>&) {
    if (const Loop* l = as_loop(s)) loops_->push_back(l->name());
  });
  return *loops_;
}

std::string_view Fresh::block(std::string_view base) {
  if (!blocks_) {
    blocks_.emplace();
    program::for_each_stmt(program_, [&](Stmt s, const std::vector<const Loop*>&) {
      if (const Block* b = as_block(s)) blocks_->push_back(b->name);
    });
  }
  return take(*blocks_, base);
}

std::string_view Fresh::buffer(std::string_view base) {
  if (!buffers_) {
    buffers_.emplace();
    for (const auto& group : {program_.parameters, program_.locals}) {
      for (const Buffer* b : group) buffers_->push_back(b->name);
    }
  }
  return take(*buffers_, base);
}

std::string_view Fresh::take(Taken& taken, std::string_view base) {
  std::string name(base);
  const auto is_taken = [&] { return std::find(taken.begin(), taken.end(), name) != taken.end(); };
  for (int i = 2; is_taken(); ++i) name = std::string(base) + "." + std::to_string(i);
  return taken.emplace_back(cx_.name(name));
}

Result<const Loop*> loop_named(const Program& program, std::string_view name) {
  if (const Loop* loop = program::find_loop(program, name)) return loop;
  return Rejection(Reason::UnknownName, std::string(name)).at("loops");
}

Result<const Block*> block_named(const Program& program, std::string_view name) {
  if (const Block* block = program::find_block(program, name)) return block;
  return Rejection(Reason::UnknownName, std::string(name)).at("blocks");
}

const Site& site_of(const std::vector<Site>& sites, const Block* block) {
  const auto found = std::find_if(sites.begin(), sites.end(),
                                  [block](const Site& site) { return site.block == block; });
  CAMBIUM_CHECK(found != sites.end(), "the block is not in the program");
  return *found;
}

bool is_plain(const Loop& loop) {
  return loop.how == program::LoopKind::Serial && loop.annotations.empty();
}

Status require_plain(const Loop& loop) {
  if (is_plain(loop)) return Ok{};
  return Rejection(Reason::LoopNotPlain, std::string(loop.name()));
}

Expr replaced(Context& cx, Expr e, std::span<const expr::Replacement> axes) {
  Expr other = expr::substitute(cx.indices(), e, axes);
  return other == e ? e : expr::simplify(cx.indices(), other);
}

Expr tidy(Context& cx, Expr predicate) {
  std::vector<Expr> conjuncts;
  program::add_conjuncts(cx, predicate, conjuncts);
  std::vector<Expr> kept;
  for (Expr p : conjuncts) {
    Expr simple = tidy_conjunct(cx, p);
    if (simple->kind == expr::Kind::Bool && expr::truth_of(simple)) continue;
    if (std::find(kept.begin(), kept.end(), simple) == kept.end()) kept.push_back(simple);
  }
  if (kept.empty()) return cx.indices().boolean(true);
  Expr all = kept.front();
  for (std::size_t i = 1; i < kept.size(); ++i) {
    all = expr::logical_and(cx.indices(), all, kept[i]);
  }
  return all;
}

Stmt with_predicate(Context& cx, const Block& block, Expr predicate) {
  return cx.block(block.name, block.body, block.bindings, predicate, block.annotations);
}

Stmt rebound(Context& cx, Stmt s, std::span<const expr::Replacement> loops, Expr guard) {
  if (const Loop* loop = as_loop(s)) {
    return cx.loop(loop->axis, loop->how, rebound(cx, loop->body, loops, guard), loop->annotations);
  }
  if (const program::Seq* seq = as_seq(s)) {
    std::vector<Stmt> children;
    for (Stmt child : seq->children) children.push_back(rebound(cx, child, loops, guard));
    return cx.seq(children);
  }
  const Block* block = as_block(s);
  std::vector<Expr> bindings;
  for (Expr e : block->bindings) bindings.push_back(replaced(cx, e, loops));
  Expr predicate = expr::substitute(cx.indices(), block->predicate, loops);
  if (guard != nullptr) predicate = expr::logical_and(cx.indices(), predicate, guard);
  if (predicate != block->predicate) predicate = tidy(cx, predicate);
  return cx.block(block->name, block->body, bindings, predicate, block->annotations);
}

const Body* mapped(Context& cx, const Body& body, std::span<const Iterator> iterators,
                   const Mapping& mapping) {
  const Body* other =
      program::rewrite(cx, body, program::substituting(cx, mapping.axes), [&](Scalar s) -> Scalar {
        const Buffer* buffer = mapped(s->buffer, mapping);
        if (buffer == s->buffer) return s;
        return s->kind == program::ScalarKind::Gather ? cx.gather(buffer, s->operands)
                                                      : cx.load(buffer, s->indices);
      });
  Body fields = *other;
  fields.iterators = iterators;
  fields.target = mapped(body.target, mapping);
  return cx.body(fields);
}

Program with_buffer(Context& cx, const Program& program, const Buffer* old, const Buffer* by) {
  const Mapping mapping{{}, {{old, by}}};
  const auto others = [&](std::span<const Buffer* const> all) {
    std::vector<const Buffer*> result;
    for (const Buffer* b : all) result.push_back(mapped(b, mapping));
    return cx.keep(result);
  };
  Program result = program::map_blocks(cx, program, [&](const Block& block) -> Stmt {
    const auto& buffers = block.body->buffers;
    if (std::find(buffers.begin(), buffers.end(), old) == buffers.end()) return &block;
    return program::with_body(cx, block, mapped(cx, *block.body, block.body->iterators, mapping));
  });
  result.parameters = others(program.parameters);
  result.locals = others(program.locals);
  return result;
}

Stmt copied(Context& cx, Fresh& fresh, Stmt s, Mapping mapping) {
  if (const Loop* loop = as_loop(s)) {
    Expr axis = fresh.axis(loop->name(), loop->extent());
    mapping.axes.push_back({loop->axis, axis});
    return cx.loop(axis, loop->how, copied(cx, fresh, loop->body, mapping), loop->annotations);
  }
  if (const program::Seq* seq = as_seq(s)) {
    std::vector<Stmt> children;
    for (Stmt child : seq->children) children.push_back(copied(cx, fresh, child, mapping));
    return cx.seq(children);
  }
  const Block* block = as_block(s);
  std::vector<Expr> bindings;
  for (Expr e : block->bindings) bindings.push_back(replaced(cx, e, mapping.axes));
  Expr predicate = expr::substitute(cx.indices(), block->predicate, mapping.axes);
  // Iterators may share the name and extent of a loop, but stand for something else.
  const Mapping buffers{{}, mapping.buffers};
  const Body* body = mapping.buffers.empty()
                         ? block->body
                         : mapped(cx, *block->body, block->body->iterators, buffers);
  return cx.block(fresh.block(block->name), body, bindings, tidy(cx, predicate),
                  block->annotations);
}

std::vector<const Buffer*> read_locals(const Program& program) {
  const std::vector<Site> sites = program::sites_of(program);
  std::vector<const Buffer*> found;
  for (const Buffer* local : program.locals) {
    if (!program::readers_of(sites, local).empty()) found.push_back(local);
  }
  return found;
}

Program without_unread(Context& cx, Program program, std::vector<const Buffer*> candidates) {
  std::vector<Site> sites = program::sites_of(program);
  for (std::size_t i = 0; i < candidates.size();) {
    if (!program::readers_of(sites, candidates[i]).empty()) {
      ++i;
      continue;
    }
    for (const std::size_t w : program::writers_of(sites, candidates[i])) {
      const Block* writer = program::find_block(program, sites[w].block->name);
      program = program::replace(cx, program, writer, cx.seq({}));
    }
    program = program::remove_local(cx, program, candidates[i]);
    sites = program::sites_of(program);
    candidates.erase(candidates.begin() + static_cast<std::ptrdiff_t>(i));
    i = 0;  // what was read for it may be unread now
  }
  return program;
}

Status stays_apart(Context& cx, const Program& before, const Loop* loop, const Program& after) {
  bool at_once = false;
  program::for_each_stmt(before, [&](Stmt s, const std::vector<const Loop*>& around) {
    if (s != loop) return;
    at_once = std::any_of(around.begin(), around.end(), [](const Loop* outer) {
      return outer->how == program::LoopKind::Parallel ||
             outer->how == program::LoopKind::Vectorized;
    });
  });
  return at_once ? holds(cx, after, {program::parallel_independent}) : Status(Ok{});
}

Status holds(Context& cx, const Program& program, std::initializer_list<RuleFunction> rules,
             const Loop* only) {
  program::Inspection inspection(cx, program);
  inspection.first_only = true;
  inspection.only = only;
  for (const RuleFunction rule : rules) inspection.apply(rule);
  if (inspection.found.empty()) return Ok{};
  return std::move(inspection.found.front().rejection);
}

}  // namespace cambium::schedule
