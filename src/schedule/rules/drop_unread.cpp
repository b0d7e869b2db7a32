// A local of which a large part is never read, as the padded image is of a convolution that keeps
// half of its input channels, is computed as far as it is read.
#include <algorithm>
#include <optional>

#include "expr/simplify.h"
#include "schedule/rules/kernel_rules.h"
#include "schedule/rules/sites.h"

namespace cambium::schedule {

using program::Buffer;
using program::Expr;
using program::Loop;
using program::Site;

namespace {

// What is read of each dimension; nothing: a gather may read everything.
std::optional<std::vector<expr::Interval>> read_of(Context& cx, const Program& program,
                                                   const Buffer* buffer) {
  std::optional<std::vector<expr::Interval>> read;
  for (const Site& site : program::sites_of(program)) {
    for (const program::Access& access : program::accesses_of(cx, *site.block->body)) {
      if (access.buffer != buffer || access.kind == program::Access::Kind::Write) continue;
      if (access.indices.size() != buffer->dims.size()) return std::nullopt;
      const bool is_first = !read;
      if (is_first) read.emplace();
      for (std::size_t d = 0; d < access.indices.size(); ++d) {
        const expr::Interval range =
            expr::simplify(cx.indices(), program::over_loops(cx, *site.block, access.indices[d]))
                ->range;
        if (is_first) {
          read->push_back(range);
        } else {
          (*read)[d].lo = std::min((*read)[d].lo, range.lo);
          (*read)[d].hi = std::max((*read)[d].hi, range.hi);
        }
      }
    }
  }
  return read;
}

}  // namespace

Status drop_unread(Draft& draft, const std::string& block) {
  const auto leave_all = [](const char* why) {
    return Rejection(Reason::NothingToDo, "unread", why);
  };
  const Site site = site_of(draft, block);
  const program::Body& body = *site.block->body;
  const Buffer* buffer = body.target;
  if (buffer->role != program::Role::Local || is_reduction(body) || is_vectorized(site)) {
    return leave_all("it is a sum, or fills no local");
  }
  if (only_writer(draft.program(), buffer) != site.block) return leave_all("others fill it too");
  const auto read = read_of(draft.context(), draft.program(), buffer);
  if (!read) return leave_all("all of it may be read");
  for (std::size_t d = 0; d < buffer->dims.size(); ++d) {
    const std::int64_t lo = std::max<std::int64_t>((*read)[d].lo, 0);
    const std::int64_t end = std::min((*read)[d].hi + 1, buffer->dims[d]);
    // A last row that a stride steps over does not pay for other loops.
    if (4 * (end - lo) > 3 * buffer->dims[d]) continue;
    const auto at = std::find_if(body.iterators.begin(), body.iterators.end(),
                                 [&](const auto& it) { return it.axis == body.indices[d]; });
    if (at == body.iterators.end()) return leave_all("it does not fill its local in order");
    const auto loops = loops_feeding(site, static_cast<std::size_t>(at - body.iterators.begin()));
    if (loops.size() != 1) return leave_all("its loops are scheduled");
    Ints points;
    if (lo > 0) points.push_back(lo);
    if (end < buffer->dims[d]) points.push_back(end);
    const std::string loop(loops[0]->name());
    Names order{loop};
    for (const std::string& name : names_of(site.loops)) {
      if (name != loop) order.push_back(name);
    }
    if (order != names_of(site.loops)) CAMBIUM_REQUIRE(draft.apply(Reorder{order}));
    CAMBIUM_REQUIRE(draft.apply(Partition{loop, points}));
    CAMBIUM_REQUIRE(
        draft.apply(SplitLocal{std::string(buffer->name), static_cast<std::int64_t>(d), points}));
    return Ok{};
  }
  return leave_all("it is read");
}

}  // namespace cambium::schedule
