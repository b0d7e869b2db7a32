// Several sums that each write a part of one buffer, as halves of the output channels with groups
// of their own do: the buffer falls apart into one for each sum, and what reads it is cut at the
// same places. Every other rule then sees convolutions that have nothing to do with each other,
// each with an epilogue of its own.
#include <algorithm>
#include <set>

#include "expr/linear.h"
#include "expr/simplify.h"
#include "schedule/rules/kernel_rules.h"
#include "schedule/rules/sites.h"

namespace cambium::schedule {

using program::Block;
using program::Buffer;
using program::Expr;
using program::Loop;
using program::Role;
using program::Site;

namespace {

constexpr std::size_t kMostPieces = 16;  // each is a copy of the code of what reads the buffer

Rejection leave(const char* why) {
  return Rejection(Reason::NothingToDo, "pieces", why);
}

// The dimension of an access of the block to the buffer, over the loops around it; its indices must
// be the same wherever the block touches the buffer. nullptr: it does not, or they are not.
Expr index_of(Context& cx, const Site& site, const Buffer* buffer, std::size_t dimension) {
  Expr found = nullptr;
  for (const program::Access& access : program::accesses_of(cx, *site.block->body)) {
    if (access.buffer != buffer) continue;
    if (access.indices.size() <= dimension) return nullptr;
    const Expr over = expr::simplify(
        cx.indices(), program::over_loops(cx, *site.block, access.indices[dimension]));
    if (found != nullptr && found != over) return nullptr;
    found = over;
  }
  return found;
}

class Separator {
 public:
  Separator(Draft& draft, std::string block) : draft_(draft), block_(std::move(block)) {}

  Status run() {
    CAMBIUM_REQUIRE(take_slabs_apart());
    CAMBIUM_REQUIRE(find_target());
    CAMBIUM_REQUIRE(find_points());
    for (std::size_t d = 0; d < points_.size(); ++d) {
      if (!points_[d].empty()) CAMBIUM_REQUIRE(cut_users(d));
    }
    Names locals{target_};
    for (std::size_t d = 0; d < points_.size(); ++d) {
      if (points_[d].empty()) continue;
      Names parts;
      for (const std::string& local : locals) {
        CAMBIUM_TRY(const Names made,
                    draft_.apply(SplitLocal{local, static_cast<std::int64_t>(d), points_[d]}));
        parts.insert(parts.end(), made.begin(), made.end());
      }
      locals = std::move(parts);
    }
    for (const std::string& local : locals) CAMBIUM_REQUIRE(put_init_back(local));
    return Ok{};
  }

 private:
  Context& cx() { return draft_.context(); }
  const Program& program() const { return draft_.program(); }
  const Buffer* target() const { return program::find_buffer(program(), target_); }

  std::vector<Site> users() const {
    std::vector<Site> found;
    for (Site& site : program::sites_of(program())) {
      if (program::touches(*site.block->body, target())) found.push_back(std::move(site));
    }
    return found;
  }

  // A loop that moves the sum along two dimensions of its target at once: each of its iterations
  // writes a box of its own, and nothing writes the others but zeros.
  Status take_slabs_apart() {
    const Site site = site_of(draft_, block_);
    const program::Body& body = *site.block->body;
    if (body.combine != program::Combine::Sum || !is_reduction(body) || is_vectorized(site)) {
      return leave("it is not a sum, or is already tiled");
    }
    if (body.init != nullptr) return Ok{};
    for (std::size_t i = 0; i < body.iterators.size(); ++i) {
      const auto moved = std::count_if(body.indices.begin(), body.indices.end(), [&](Expr e) {
        return program::uses(e, body.iterators[i].axis);
      });
      const auto loops = loops_feeding(site, i);
      if (moved < 2 || loops.size() != 1 || loops[0]->extent() < 2) continue;
      const std::int64_t slabs = loops[0]->extent();
      if (slabs * slabs > static_cast<std::int64_t>(kMostPieces)) return leave("too many slabs");
      const std::string loop(loops[0]->name());
      CAMBIUM_REQUIRE(bring_outside(site, loop));
      Ints points;
      for (std::int64_t p = 1; p < slabs; ++p) points.push_back(p);
      CAMBIUM_REQUIRE(draft_.apply(Partition{loop, points}));
      return Ok{};
    }
    return Ok{};
  }

  // The loop around all others of its block.
  Status bring_outside(const Site& site, const std::string& loop) {
    Names order{loop};
    for (const std::string& name : names_of(site.loops)) {
      if (name != loop) order.push_back(name);
    }
    if (order == names_of(site.loops)) return Ok{};
    CAMBIUM_REQUIRE(draft_.apply(Reorder{order}));
    return Ok{};
  }

  // The local that the sums write, for one reader that moves elements in their order.
  Status find_target() {
    const Buffer* buffer = site_of(draft_, block_).block->body->target;
    const std::vector<Site> sites = program::sites_of(program());
    const auto writers = program::writers_of(sites, buffer);
    const auto sums = std::count_if(writers.begin(), writers.end(), [&](std::size_t w) {
      return is_reduction(*sites[w].block->body);
    });
    if (sums < 2) return leave("no other sum writes its target");
    target_ = buffer->name;
    const Block* reader = only_reader(program(), buffer);
    if (buffer->role == Role::Local && reader != nullptr && !is_reduction(*reader->body))
      return Ok{};
    CAMBIUM_TRY(const Names made, draft_.apply(CacheWrite{block_}));
    target_ = made[1];
    return Ok{};
  }

  // The ends of what each sum writes.
  Status find_points() {
    const std::size_t rank = target()->dims.size();
    std::vector<std::set<std::int64_t>> ends(rank);
    for (const Site& site : users()) {
      if (site.block->body->target != target() || !is_reduction(*site.block->body)) continue;
      for (std::size_t d = 0; d < rank; ++d) {
        const Expr index = index_of(cx(), site, target(), d);
        if (index == nullptr) return leave("a sum moves through its target in several ways");
        ends[d].insert(index->range.lo);
        ends[d].insert(index->range.hi + 1);
      }
    }
    std::size_t pieces = 1;
    for (std::size_t d = 0; d < rank; ++d) {
      ends[d].erase(0);
      ends[d].erase(target()->dims[d]);
      points_.emplace_back(ends[d].begin(), ends[d].end());
      pieces *= ends[d].size() + 1;
    }
    if (pieces == 1) return leave("the sums write all of their target");
    if (pieces > kMostPieces) return leave("the sums cut their target into too many pieces");
    return Ok{};
  }

  // Cuts the loops of everything that goes on beyond a point.
  Status cut_users(std::size_t dimension) {
    for (bool is_cut = true; is_cut;) {
      is_cut = false;
      for (const Site& site : users()) {
        CAMBIUM_TRY(is_cut, cut(site, dimension));
        if (is_cut) break;
      }
    }
    return Ok{};
  }

  Result<bool> cut(const Site& site, std::size_t dimension) {
    const Expr index = index_of(cx(), site, target(), dimension);
    if (index == nullptr) return leave("a block touches the target in several ways");
    Ints inside;
    for (const std::int64_t p : points_[dimension]) {
      if (index->range.lo < p && p <= index->range.hi) inside.push_back(p - index->range.lo);
    }
    if (inside.empty()) return false;
    const Loop* loop = most_significant(site, index, inside);
    if (loop == nullptr) return leave("a block does not go through the target in order");
    const std::string name(loop->name());
    CAMBIUM_REQUIRE(bring_outside(site, name));
    CAMBIUM_TRY(const Names made, draft_.apply(Partition{name, inside}));
    for (const std::string& piece : made) CAMBIUM_REQUIRE(order_as_iterators(piece));
    return true;
  }

  // The loop whose steps are as long as all others together reach, and its iterations at points:
  // where an index counts with several digits, that is the first one. nullptr: there is none.
  const Loop* most_significant(const Site& site, Expr index, Ints& points) {
    expr::Linear sum;
    if (!sum.add_scaled(index, expr::Monomial::of(1))) return nullptr;
    const expr::Term* first = nullptr;
    std::int64_t rest = 0;
    for (const expr::Term& term : sum.terms()) {
      if (term.atom == nullptr) continue;
      if (term.atom->kind != expr::Kind::Axis || term.coefficient.factor < 1) return nullptr;
      rest += term.coefficient.factor * term.atom->range.hi;
      if (first == nullptr || term.coefficient.factor > first->coefficient.factor) first = &term;
    }
    if (first == nullptr) return nullptr;
    const std::int64_t step = first->coefficient.factor;
    rest -= step * first->atom->range.hi;
    if (rest >= step) return nullptr;
    for (std::int64_t& p : points) {
      if (p % step != 0) return nullptr;
      p /= step;
    }
    const auto loop = std::find_if(site.loops.begin(), site.loops.end(),
                                   [&](const Loop* l) { return l->axis == first->atom; });
    return loop == site.loops.end() ? nullptr : *loop;
  }

  // The nest of a loop in the order of the iterators of its block, as lowering wrote it.
  Status order_as_iterators(const std::string& piece) {
    const Loop* outermost = program::find_loop(program(), piece);
    for (const Site& site : program::sites_of(program())) {
      if (!site.is_under(outermost)) continue;
      Names order;
      for (std::size_t i = 0; i < site.block->bindings.size(); ++i) {
        for (const std::string& name : names_of(loops_feeding(site, i))) order.push_back(name);
      }
      Names now;
      for (const std::string& name : names_of(site.loops)) {
        if (std::find(order.begin(), order.end(), name) != order.end()) now.push_back(name);
      }
      if (order == now) return Ok{};
      CAMBIUM_REQUIRE(draft_.apply(Reorder{order}));
      return Ok{};
    }
    return Ok{};
  }

  // What stores zeros for a sum becomes its initial value. What stores them for nothing goes into
  // the reader.
  Status put_init_back(const std::string& local) {
    const Buffer* buffer = program::find_buffer(program(), local);
    const std::vector<Site> sites = program::sites_of(program());
    const auto writers = program::writers_of(sites, buffer);
    const std::string last(sites[writers.back()].block->name);
    const program::Body& body = *sites[writers.back()].block->body;
    if (!is_reduction(body)) {
      CAMBIUM_REQUIRE(draft_.apply(Inline{last}));
    } else if (body.init == nullptr) {
      CAMBIUM_REQUIRE(draft_.apply(ComposeReduction{last}));
      static_cast<void>(draft_.apply(Normalize{last}));  // without the loop over slabs
    }
    return Ok{};
  }

  Draft& draft_;
  std::string block_, target_;
  std::vector<Ints> points_;  // by dimension of the target
};

}  // namespace

Status separate_pieces(Draft& draft, const std::string& block) {
  return Separator(draft, block).run();
}

}  // namespace cambium::schedule
