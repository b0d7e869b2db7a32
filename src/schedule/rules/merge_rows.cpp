#include "schedule/rules/merge_rows.h"

#include <algorithm>

#include <fmt/format.h>

#include "schedule/rules/contraction.h"
#include "schedule/rules/sites.h"

namespace cambium::schedule {

using program::Block;
using program::Body;
using program::Buffer;
using program::Loop;
using program::Site;

namespace {

// Reorders so that the loops stand directly inside each other, at the place of the first.
Status bring_together(Draft& draft, const Site& at, const Names& together) {
  Names order;
  bool done = false;
  for (const Loop* loop : at.loops) {
    const std::string name(loop->name());
    if (std::find(together.begin(), together.end(), name) == together.end()) {
      order.push_back(name);
    } else if (!done) {
      order.insert(order.end(), together.begin(), together.end());
      done = true;
    }
  }
  if (order == names_of(at.loops)) return Ok{};
  CAMBIUM_REQUIRE(draft.apply(Reorder{order}));
  return Ok{};
}

Status merge_dimensions(Draft& draft, const Body& before, const std::vector<std::size_t>& where) {
  Names dims;
  std::string merged;
  for (std::size_t i = 0; i < where.size(); ++i) {
    std::int64_t stride = 1;
    for (std::size_t j = i + 1; j < where.size(); ++j) stride *= before.target->dims[where[j]];
    merged += fmt::format("{}{}*d{}", i > 0 ? " + " : "", stride, where[i]);
  }
  for (std::size_t d = 0; d < before.target->dims.size(); ++d) {
    const bool is_row = std::find(where.begin(), where.end(), d) != where.end();
    if (!is_row) dims.push_back(fmt::format("d{}", d));
    if (d == where[0]) dims.push_back(merged);
  }
  CAMBIUM_REQUIRE(draft.apply(SetLayout{std::string(before.target->name), dims}));
  return Ok{};
}

}  // namespace

std::optional<std::size_t> iterator_at(const Block& reader, const Buffer* buffer,
                                       std::size_t dimension) {
  std::optional<std::size_t> found;
  program::for_each_scalar(reader.body->value, [&](program::Scalar scalar) {
    if (scalar->buffer != buffer) return;
    for (std::size_t i = 0; i < reader.body->iterators.size(); ++i) {
      if (scalar->indices[dimension] == reader.body->iterators[i].axis) found = i;
    }
  });
  return found;
}

Status merge_rows(Draft& draft, const std::string& block, const std::string& epilogue) {
  const Site at = site_of(draft, block);
  const Body& body = *at.block->body;
  const auto c = contraction_of(body);
  if (!c) return Rejection(Reason::NotAContraction, block, "no lanes");
  // The dimensions of the target that rows stand at, in memory order.
  std::vector<std::size_t> rows, where;
  for (std::size_t d = 0; d < body.indices.size(); ++d) {
    for (std::size_t row : c->rows) {
      if (body.indices[d] == body.iterators[row].axis) {
        rows.push_back(row);
        where.push_back(d);
      }
    }
  }
  if (rows.size() < 2 || rows.size() != c->rows.size()) {
    return Rejection(Reason::NotNested, block, "rows");
  }
  // The same iterators of the epilogue.
  const Site last = site_of(draft, epilogue);
  Names theirs, ours, their_loops, our_loops;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto position = iterator_at(*last.block, body.target, where[i]);
    if (!position) return Rejection(Reason::NotNested, epilogue, "rows");
    theirs.emplace_back(expr::name_of(last.block->body->iterators[*position].axis));
    ours.emplace_back(expr::name_of(body.iterators[rows[i]].axis));
    for (std::string& loop : names_of(loops_feeding(last, *position))) {
      their_loops.push_back(std::move(loop));
    }
    for (std::string& loop : names_of(loops_feeding(at, rows[i]))) {
      our_loops.push_back(std::move(loop));
    }
  }
  CAMBIUM_REQUIRE(bring_together(draft, at, our_loops));
  CAMBIUM_REQUIRE(bring_together(draft, last, their_loops));
  CAMBIUM_REQUIRE(draft.apply(MergeIterators{block, ours}));
  CAMBIUM_REQUIRE(draft.apply(MergeIterators{epilogue, theirs}));
  return merge_dimensions(draft, body, where);
}

}  // namespace cambium::schedule
