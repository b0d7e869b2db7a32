#include "schedule/neural/narrow.h"

#include <algorithm>
#include <deque>
#include <set>
#include <utility>

#include "program/analysis.h"

namespace cambium::schedule::neural {
namespace {

using program::Role;

using Dimension = std::pair<const Buffer*, std::size_t>;

Rejection not_consumer(const Block& block, std::string why) {
  return Rejection(Reason::NotConsumer, std::string(block.name), std::move(why));
}

std::string quoted(const Buffer* buffer) {
  return "'" + std::string(buffer->name) + "'";
}

class Narrowing {
 public:
  Narrowing(Draft& draft, std::int64_t size, bool accept)
      : draft_(draft), size_(size), accept_(accept) {}

  Status run(const Buffer* buffer, std::size_t axis) {
    before_ = draft_.dims_of(buffer)[axis];
    CAMBIUM_REQUIRE(add(buffer, axis));
    while (!open_.empty()) {
      const Dimension next = open_.front();
      open_.pop_front();
      for (std::size_t i : program::readers_of(draft_.sites(), next.first)) {
        CAMBIUM_REQUIRE(follow(draft_.sites()[i], next));
      }
    }
    for (const auto& [block, loop] : loops_) CAMBIUM_REQUIRE(accesses_agree(*block, loop));
    for (const Dimension& constant : constants_) CAMBIUM_REQUIRE(readers_agree(constant));
    for (const auto& [block, loop] : loops_) {
      Nest* nest = *draft_.edit(block);
      nest->resize(draft_.cx(), *nest->find(loop), size_);
    }
    for (const Dimension& d : narrowed_) draft_.resize(d.first, d.second, size_);
    for (const Dimension& d : constants_) draft_.resize(d.first, d.second, size_);
    return Ok{};
  }

 private:
  Status add(const Buffer* buffer, std::size_t axis) {
    if (!narrowed_.insert({buffer, axis}).second) return Ok{};
    if (buffer->role == Role::Output && !accept_) {
      return Rejection(Reason::ChangesInterface, std::string(buffer->name),
                       "dimension " + std::to_string(axis) + " from " + std::to_string(before_) +
                           " to " + std::to_string(size_));
    }
    open_.push_back({buffer, axis});
    return Ok{};
  }

  // Whether the block reads only elements that stay, and may stay as it is.
  bool reads_what_stays(const Block& block, const Dimension& from) const {
    bool stays = true;
    const auto visit = [&](Scalar s) {
      if (s->buffer != from.first) return;
      stays = stays && s->kind == program::ScalarKind::Load &&
              s->indices[from.second]->range.hi < size_;
    };
    program::for_each_scalar(block.body->value, visit);
    if (block.body->init != nullptr) program::for_each_scalar(block.body->init, visit);
    return stays;
  }

  // A reader of a dimension that becomes shorter: one of its loops does, too.
  Status follow(const Site& site, const Dimension& from) {
    const Block& block = *site.block;
    if (reads_what_stays(block, from)) return Ok{};
    const Result<Nest*> edited = draft_.edit(&block);
    if (!edited) return not_consumer(block, edited.rejection().message());
    Nest& nest = **edited;
    const std::optional<Indices> at = nest.read_of(from.first);
    if (!at) return not_consumer(block, "it reads " + quoted(from.first) + " in several places");
    const Expr index = (*at)[from.second];
    const auto axis = std::find_if(nest.axes.begin(), nest.axes.end(),
                                   [&](const NestAxis& a) { return a.iterator == index; });
    if (axis == nest.axes.end() || axis->extent != before_ || axis->is_shared) {
      return not_consumer(block, "it reads dimension " + std::to_string(from.second) + " of " +
                                     quoted(from.first) + " by a loop that it shares");
    }
    loops_.insert({&block, axis->loop});
    if (!axis->is_spatial()) return Ok{};
    if (program::writers_of(draft_.sites(), nest.target).size() != 1) {
      return not_consumer(block, "another block writes " + quoted(nest.target) + " too");
    }
    for (std::size_t d = 0; d < nest.indices.size(); ++d) {
      if (program::uses(nest.indices[d], index)) CAMBIUM_REQUIRE(add(nest.target, d));
    }
    return Ok{};
  }

  // Whatever else moves with a loop that becomes shorter is shortened with it.
  Status accesses_agree(const Block& block, std::string_view loop) {
    Nest& nest = **draft_.edit(&block);
    const NestAxis& axis = *nest.find(loop);
    bool weighted = false;
    Status status = Ok{};
    const auto agree = [&](const Buffer* buffer, std::span<const Expr> indices) {
      for (std::size_t d = 0; d < indices.size(); ++d) {
        if (!status.ok() || !program::uses(indices[d], axis.iterator)) continue;
        if (indices[d] != axis.iterator || draft_.dims_of(buffer)[d] != before_) {
          status = not_consumer(block, quoted(buffer) + " does not move with it as one dimension");
        } else if (buffer->role == Role::Constant) {
          weighted = true;
          constants_.insert({buffer, d});
        } else if (narrowed_.count({buffer, d}) == 0) {
          status = Rejection(Reason::ChangesInterface, std::string(buffer->name),
                             "block '" + std::string(block.name) +
                                 "' reads it together with the part that changes");
        }
      }
    };
    agree(nest.target, nest.indices);
    program::for_each_scalar(nest.value, [&](Scalar s) {
      if (s->buffer != nullptr) agree(s->buffer, s->indices);
    });
    CAMBIUM_REQUIRE(std::move(status));
    if (!axis.is_spatial() && !weighted) {
      return not_consumer(block, "it reduces over the dimension without weights");
    }
    return Ok{};
  }

  // A constant becomes shorter only if all that read it do.
  Status readers_agree(const Dimension& constant) {
    for (std::size_t i : program::readers_of(draft_.sites(), constant.first)) {
      const Block& block = *draft_.sites()[i].block;
      const std::string why = "it reads all of " + quoted(constant.first) + ", which would shrink";
      if (!draft_.is_edited(&block)) return not_consumer(block, why);
      Nest& nest = **draft_.edit(&block);
      const std::optional<Indices> at = nest.read_of(constant.first);
      const bool agrees =
          at && std::any_of(nest.axes.begin(), nest.axes.end(), [&](const NestAxis& axis) {
            return axis.iterator == (*at)[constant.second] && loops_.count({&block, axis.loop}) > 0;
          });
      if (!agrees) return not_consumer(block, why);
    }
    return Ok{};
  }

  Draft& draft_;
  std::int64_t size_, before_ = 0;
  bool accept_;
  std::set<Dimension> narrowed_, constants_;
  std::deque<Dimension> open_;
  std::set<std::pair<const Block*, std::string_view>> loops_;
};

}  // namespace

Status narrow(Draft& draft, const Buffer* buffer, std::size_t axis, std::int64_t size,
              bool accept) {
  return Narrowing(draft, size, accept).run(buffer, axis);
}

}  // namespace cambium::schedule::neural
