#include "schedule/steps/inline.h"

#include <algorithm>
#include <optional>

#include "expr/simplify.h"
#include "program/analysis.h"
#include "program/coverage.h"
#include "program/rewrite.h"
#include "program/verify.h"
#include "schedule/steps/place.h"

namespace cambium::schedule {
namespace {

using namespace program;

// Whether the indices are the iterators of a body, each once.
bool is_permutation(std::span<const Iterator> iterators, std::span<const Expr> indices) {
  return indices.size() == iterators.size() &&
         std::all_of(iterators.begin(), iterators.end(), [&](const Iterator& it) {
           return std::find(indices.begin(), indices.end(), it.axis) != indices.end();
         });
}

Rejection not_elementwise(const Block& block, std::string why) {
  return Rejection(Reason::NotElementwise, std::string(block.name), std::move(why));
}

Status assigns(const Block& block) {
  if (block.body->combine != Combine::Assign) return not_elementwise(block, "it reduces");
  return Ok{};
}

// Values are wider than what f16 and bf16 buffers hold: going around the buffer skips a rounding.
Status keeps_values(const Block& block) {
  const DType stored = block.body->target->dtype;
  if (value_type(stored) != stored) return not_elementwise(block, "storing its value rounds it");
  return Ok{};
}

// The buffer that this block alone fills, a local.
Status is_private(std::span<const Site> sites, const Block& block) {
  const Buffer& target = *block.body->target;
  if (target.role != Role::Local) {
    return Rejection(Reason::NotLocal, std::string(target.name), "it is a parameter");
  }
  if (writers_of(sites, &target).size() != 1) {
    return Rejection(Reason::NotLocal, std::string(target.name), "other blocks write it too");
  }
  return Ok{};
}

bool gathers(const Body& body, const Buffer* buffer) {
  bool found = false;
  const auto look = [&](Scalar s) {
    found = found || (s->kind == ScalarKind::Gather && s->buffer == buffer);
  };
  for_each_scalar(body.value, look);
  if (body.init != nullptr) for_each_scalar(body.init, look);
  return found;
}

// The value of a body at the point where its target is indexed so.
Scalar value_at(Context& cx, const Body& body, std::span<const Expr> indices) {
  std::vector<expr::Replacement> point;
  for (std::size_t d = 0; d < indices.size(); ++d) point.push_back({body.indices[d], indices[d]});
  return rewrite(cx, body.value, substituting(cx, std::move(point)), keep_access());
}

bool reads_what_blocks_write(const Body& body) {
  return std::any_of(body.buffers.begin(), body.buffers.end(), [&](const Buffer* buffer) {
    return buffer != body.target && (buffer->role == Role::Local || buffer->role == Role::Output);
  });
}

Status not_too_deep(const Body& outer, const Body& inner) {
  const int deepest =
      std::max<int>(outer.value->depth, outer.init == nullptr ? 0 : outer.init->depth);
  if (deepest + inner.value->depth > kDeepestScalar)
    return Rejection(Reason::TooDeep, kDeepestScalar);
  return Ok{};
}

}  // namespace

Result<Applied> Inline::apply(Context& cx, const Program& program) const {
  const Block* from = find_block(program, block);
  if (from == nullptr) return Rejection(Reason::UnknownName, block);
  const std::vector<Site> sites = sites_of(program);
  CAMBIUM_REQUIRE(is_private(sites, *from));
  CAMBIUM_REQUIRE(assigns(*from));
  CAMBIUM_REQUIRE(keeps_values(*from));
  const Body& body = *from->body;
  if (!is_permutation(body.iterators, body.indices)) {
    return not_elementwise(*from, "its target is not indexed by its iterators, each once");
  }
  for (const Buffer* buffer : body.buffers) {
    if (written_between(sites, buffer, site_of(sites, from).order, sites.size(), from)) {
      return Rejection(Reason::ChangesOrder, block,
                       "'" + std::string(buffer->name) + "' is written after it");
    }
  }
  const std::vector<std::size_t> readers = readers_of(sites, body.target);
  if (readers.empty()) return Rejection(Reason::NotConsumer, block, "no block reads its result");
  for (const std::size_t r : readers) {
    const Block& reader = *sites[r].block;
    if (gathers(*reader.body, body.target)) {
      return Rejection(Reason::NotConsumer, std::string(reader.name),
                       "it gathers from '" + std::string(body.target->name) + "'");
    }
    CAMBIUM_REQUIRE(not_too_deep(*reader.body, body));
  }
  const std::vector<Stmt> nothing;
  Program result = replace(cx, program, from, cx.seq(nothing));
  result = remove_local(cx, result, body.target);
  result = map_blocks(cx, result, [&](const Block& b) {
    return with_body(cx, b, rewrite(cx, *b.body, keep_index(), [&](Scalar s) {
                       return s->buffer == body.target ? value_at(cx, body, s->indices) : s;
                     }));
  });
  // What it read may live in a loop that its readers stand outside of.
  if (reads_what_blocks_write(body)) CAMBIUM_REQUIRE(check(cx, result, Stage::Scheduled));
  return Applied{result, {}};
}

namespace {

// The one load by which a block reads a buffer, at a permutation of its iterators.
Result<Scalar> only_load(const Block& block, const Buffer* buffer) {
  Scalar found = nullptr;
  bool same = true;
  const auto look = [&](Scalar s) {
    if (s->buffer != buffer) return;
    if (found == nullptr) found = s;
    same = same && std::equal(s->indices.begin(), s->indices.end(), found->indices.begin(),
                              found->indices.end());
  };
  for_each_scalar(block.body->value, look);
  const std::string name(buffer->name);
  if (!same) return not_elementwise(block, "it reads '" + name + "' at several places");
  if (!is_permutation(block.body->iterators, found->indices)) {
    return not_elementwise(block, "it does not read '" + name + "' at its iterators, each once");
  }
  return found;
}

// The local that the block reads and another block alone writes for it; the block that does.
struct Source {
  const Buffer* buffer;
  const Site* writer;
};
Result<Source> source_of(std::span<const Site> sites, const Block& block) {
  std::optional<Rejection> why;
  for (const Buffer* buffer : block.body->buffers) {
    if (buffer == block.body->target || buffer->role != Role::Local) continue;
    const std::vector<std::size_t> writers = writers_of(sites, buffer);
    const std::string name(buffer->name);
    if (writers.size() != 1) {
      why = Rejection(Reason::NotConsumer, std::string(block.name),
                      "several blocks write '" + name + "'");
    } else if (readers_of(sites, buffer).size() != 1) {
      why = Rejection(Reason::NotConsumer, std::string(block.name),
                      "other blocks read '" + name + "' too");
    } else {
      return Source{buffer, &sites[writers[0]]};
    }
  }
  if (why) return *std::move(why);
  return Rejection(Reason::NotLocal, std::string(block.name), "it does not read a local");
}

// From the first to the last element along each dimension that an access may touch.
std::vector<expr::Interval> range_of(Context& cx, const Block& block, const Access& access) {
  std::vector<expr::Interval> ranges;
  for (Expr e : over_loops(cx, block, access.indices)) {
    ranges.push_back(expr::simplify(cx.indices(), e)->range);
  }
  return ranges;
}

// Whether two accesses never touch the same element: they stay apart along some dimension.
bool are_apart(std::span<const expr::Interval> a, std::span<const expr::Interval> b) {
  for (std::size_t d = 0; d < std::min(a.size(), b.size()); ++d) {
    if (a[d].hi < b[d].lo || b[d].hi < a[d].lo) return true;
  }
  return false;
}

// Whether another block may use what `last` writes at a place from `first` to before `last`.
bool may_be_used_between(Context& cx, std::span<const Site> sites, const Site& last,
                         std::size_t first) {
  const Buffer* target = last.block->body->target;
  const auto written = range_of(cx, *last.block, accesses_of(cx, *last.block->body).front());
  for (std::size_t i = first; i < last.order; ++i) {
    const Block& other = *sites[i].block;
    if (&other == last.block || !touches(*other.body, target)) continue;
    for (const Access& access : accesses_of(cx, *other.body)) {
      if (access.buffer != target) continue;
      if (!are_apart(written, range_of(cx, other, access))) return true;
    }
  }
  return false;
}

}  // namespace

Result<Applied> ReverseInline::apply(Context& cx, const Program& program) const {
  const Block* to = find_block(program, block);
  if (to == nullptr) return Rejection(Reason::UnknownName, block);
  CAMBIUM_REQUIRE(assigns(*to));
  const std::vector<Site> sites = sites_of(program);
  CAMBIUM_TRY(const Source source, source_of(sites, *to));
  const Block& from = *source.writer->block;
  CAMBIUM_REQUIRE(assigns(from));
  CAMBIUM_REQUIRE(keeps_values(from));
  if (gathers(*to->body, source.buffer)) return not_elementwise(*to, "it gathers");
  CAMBIUM_TRY(Scalar load, only_load(*to, source.buffer));
  const Site& site = site_of(sites, to);
  const std::size_t place = source.writer->order;
  for (const Buffer* buffer : to->body->buffers) {
    if (written_between(sites, buffer, place, sites.size(), to) && buffer != source.buffer &&
        buffer != to->body->target) {
      return Rejection(Reason::ReadBeforeWrite, block, std::string(buffer->name));
    }
  }
  if (may_be_used_between(cx, sites, site, place)) {
    return Rejection(Reason::ChangesOrder, block,
                     "'" + std::string(to->body->target->name) + "' is used before it");
  }
  bool takes_all = coverage_of(cx, site).full == Proof::Yes;
  for (std::size_t d = 0; d < load->indices.size(); ++d) {
    const auto extent = expr::value_of(expr::extent_of(load->indices[d])).factor;
    takes_all = takes_all && extent == source.buffer->dims[d];
  }
  if (!takes_all) {
    return not_elementwise(*to,
                           "it does not read all of '" + std::string(source.buffer->name) + "'");
  }
  CAMBIUM_REQUIRE(not_too_deep(*to->body, *from.body));
  std::vector<expr::Replacement> point;
  for (std::size_t d = 0; d < load->indices.size(); ++d) {
    point.push_back({load->indices[d], from.body->indices[d]});
  }
  const Body* at_writer = rewrite(cx, *to->body, substituting(cx, std::move(point)), [&](Scalar s) {
    return s->buffer == source.buffer ? from.body->value : s;
  });
  Body fields = *at_writer;
  fields.iterators = from.body->iterators;
  const std::vector<Stmt> nothing;
  Program result = replace(cx, program, to, cx.seq(nothing));
  result = replace(cx, result, &from, with_body(cx, from, cx.body(fields)));
  result = remove_local(cx, result, source.buffer);
  CAMBIUM_REQUIRE(check(cx, result, Stage::Scheduled));
  return Applied{result, {}};
}

}  // namespace cambium::schedule
