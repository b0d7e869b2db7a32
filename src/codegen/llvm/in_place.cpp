#include "codegen/llvm/in_place.h"

#include <algorithm>
#include <vector>

#include "codegen/llvm/locals.h"
#include "expr/linear.h"
#include "expr/simplify.h"
#include "program/analysis.h"

namespace cambium::codegen {

using expr::Expr;
using program::Access;
using program::Buffer;
using program::Loop;
using program::Site;

namespace {

class ResultFinder {
 public:
  ResultFinder(program::Context& cx, std::span<const Site> sites, const Buffer& local,
               const Loop* home)
      : cx_(cx), sites_(sites), local_(local), home_(home) {}

  std::optional<InPlace> find() {
    if (lives_in_lanes()) return std::nullopt;
    const Buffer* result = last_target();
    if (result == nullptr || result->role != program::Role::Output ||
        result->dtype != local_.dtype) {
      return std::nullopt;
    }
    for (const Site& site : sites_) {
      if (site.block->body->target == result) {
        if (!writes_result(site)) return std::nullopt;
      } else if (uses(site, result) || gathers(site)) {
        return std::nullopt;
      }
    }
    if (!covers_local() || !ends_before_result(result)) return std::nullopt;
    return InPlace{result, shift_};
  }

 private:
  // Each lane then has a local of its own.
  bool lives_in_lanes() const {
    return std::any_of(sites_.begin(), sites_.end(), [&](const Site& site) {
      if (home_ == nullptr || !site.is_under(home_)) return false;
      const auto end = site.loops.begin() + static_cast<std::ptrdiff_t>(depth(site));
      return std::any_of(site.loops.begin(), end, [](const Loop* loop) {
        return loop->how == program::LoopKind::Vectorized;
      });
    });
  }

  // Elements of the local that a block reads for the results that it writes: from, up to.
  struct Range {
    std::int64_t begin, end;
  };

  static bool uses(const Site& site, const Buffer* buffer) {
    const auto& all = site.block->body->buffers;
    return std::find(all.begin(), all.end(), buffer) != all.end();
  }

  bool gathers(const Site& site) const {
    bool found = false;
    program::for_each_scalar(site.block->body->value, [&](program::Scalar s) {
      found |= s->kind == program::ScalarKind::Gather && s->buffer == &local_;
    });
    return found;
  }

  const Buffer* last_target() const {
    const Buffer* target = nullptr;
    for (const Site& site : sites_) {
      if (uses(site, &local_)) target = site.block->body->target;
    }
    return target == &local_ ? nullptr : target;
  }

  std::size_t depth(const Site& site) const {  // loops up to and with the home
    const auto found = std::find(site.loops.begin(), site.loops.end(), home_);
    return home_ == nullptr ? 0 : static_cast<std::size_t>(found - site.loops.begin()) + 1;
  }

  // Whether the block writes every one of its results once, where it reads the local alone.
  bool writes_result(const Site& site) {
    const program::Body& body = *site.block->body;
    if (home_ != nullptr && !site.is_under(home_)) return false;
    if (body.combine != program::Combine::Assign ||
        site.block->predicate != cx_.indices().boolean(true)) {
      return false;
    }
    Expr from = nullptr;
    for (const Access& access : program::accesses_of(cx_, body)) {
      if (access.kind == Access::Kind::Read && access.buffer == body.target) return false;
      if (access.buffer != &local_) continue;
      if (access.scalar == nullptr || access.scalar->kind != program::ScalarKind::Load)
        return false;
      const Expr at = flat_position(cx_, *site.block, local_.dims, access.indices);
      if (from != nullptr && from != at) return false;
      from = at;
    }
    if (from == nullptr) return false;
    const Expr to = flat_position(cx_, *site.block, body.target->dims, body.indices);
    expr::Context& ix = cx_.indices();
    const Expr shift =
        expr::simplify(ix, expr::add(ix, to, expr::mul(ix, from, expr::Monomial::of(-1))));
    if (shift_ != nullptr && shift != shift_) return false;
    shift_ = shift;
    return moves_with_home(site) && reads_range(site, from);
  }

  bool moves_with_home(const Site& site) const {
    const auto inner = site.loops.begin() + static_cast<std::ptrdiff_t>(depth(site));
    return std::none_of(inner, site.loops.end(),
                        [&](const Loop* loop) { return program::uses(shift_, loop->axis); });
  }

  // Whether the loops inside the home walk over a range of elements, each of them once.
  bool reads_range(const Site& site, Expr from) {
    expr::Linear terms;
    if (!terms.add_scaled(from, expr::Monomial::of(1)) || terms.symbolic()) return false;
    std::int64_t begin = 0;
    std::vector<std::pair<std::int64_t, std::int64_t>> steps;  // stride, times
    const auto inner = site.loops.begin() + static_cast<std::ptrdiff_t>(depth(site));
    for (const expr::Term& term : terms.terms()) {
      if (term.atom == nullptr) {
        begin = term.coefficient.factor;
        continue;
      }
      const auto loop = std::find_if(inner, site.loops.end(),
                                     [&](const Loop* each) { return each->axis == term.atom; });
      if (loop == site.loops.end()) return false;
      steps.emplace_back(term.coefficient.factor, (*loop)->extent());
    }
    std::int64_t instances = 1;
    for (auto loop = inner; loop != site.loops.end(); ++loop) instances *= (*loop)->extent();
    std::sort(steps.begin(), steps.end());
    std::int64_t length = 1;
    for (const auto& [stride, times] : steps) {
      if (stride != length) return false;
      length *= times;
    }
    ranges_.push_back({begin, begin + length});
    return length == instances;
  }

  bool covers_local() {
    std::sort(ranges_.begin(), ranges_.end(),
              [](const Range& a, const Range& b) { return a.begin < b.begin; });
    std::int64_t end = 0;
    for (const Range& range : ranges_) {
      if (range.begin != end) return false;
      end = range.end;
    }
    return end == local_.elements();
  }

  // Whether all else that uses the local is over when the first result is written.
  bool ends_before_result(const Buffer* result) const {
    for (const Site& writer : sites_) {
      if (writer.block->body->target != result) continue;
      const std::size_t inside = depth(writer);
      const Loop* around = inside < writer.loops.size() ? writer.loops[inside] : nullptr;
      for (const Site& site : sites_) {
        if (!uses(site, &local_) || site.block->body->target == result) continue;
        if (site.order > writer.order) return false;
        if (around != nullptr && site.is_under(around)) return false;
      }
    }
    return true;
  }

  program::Context& cx_;
  std::span<const Site> sites_;
  const Buffer& local_;
  const Loop* home_;
  Expr shift_ = nullptr;
  std::vector<Range> ranges_;
};

}  // namespace

std::optional<InPlace> in_place(program::Context& cx, std::span<const Site> sites,
                                const Buffer& local, const Loop* home) {
  return ResultFinder(cx, sites, local, home).find();
}

}  // namespace cambium::codegen
