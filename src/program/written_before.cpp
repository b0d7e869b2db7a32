#include "program/written_before.h"

#include <algorithm>

#include "program/elements_written.h"
#include "program/tape.h"

namespace cambium::program {
namespace {

constexpr std::int64_t kMostPointsWritten = std::int64_t{1} << 18;

void add_axes(std::vector<Expr>& axes, Expr e) {
  for (Expr axis : axes_of(e)) {
    if (std::find(axes.begin(), axes.end(), axis) == axes.end()) axes.push_back(axis);
  }
}

// The elements that a block touches at `indices` where the conditions hold, all over its loops.
class Touched {
 public:
  Touched(Context& cx, const Site& site, std::span<const Expr> indices,
          std::span<const Expr> guards, const Buffer& buffer)
      : buffer_(buffer), indices_(over_loops(cx, *site.block, indices)) {
    conditions_ = over_loops(cx, *site.block, guards);
    conditions_.push_back(site.block->predicate);
    for (const auto& all : {indices_, conditions_}) {
      for (Expr e : all) add_axes(axes_, e);
    }
  }

  const std::vector<Expr>& axes() const { return axes_; }

  // Takes the axes that stand still as the first of all.
  void fix(const std::vector<Expr>& standing) {
    standing_ = standing.size();
    std::vector<Expr> all = standing;
    for (Expr axis : axes_) {
      if (std::find(standing.begin(), standing.end(), axis) != standing.end()) continue;
      all.push_back(axis);
      moving_.push_back(axis);
    }
    tape_.emplace_back(all);
    for (Expr e : indices_) places_.push_back(tape_[0].add(e));
    for (Expr e : conditions_) truths_.push_back(tape_[0].add(e));
    point_.resize(all.size());
  }

  std::int64_t points() const { return points_of(moving_); }

  // Calls f(element) for all of them, until it says false; those outside the buffer do not count.
  template <class F>
  bool for_each(std::span<const std::int64_t> standing, const F& f) {
    std::copy(standing.begin(), standing.end(), point_.begin());
    return for_each_point(moving_, [&](std::span<const std::int64_t> moving) {
      std::copy(moving.begin(), moving.end(),
                point_.begin() + static_cast<std::ptrdiff_t>(standing_));
      Tape& tape = tape_[0];
      tape.evaluate(point_);
      for (const std::size_t t : truths_) {
        if (tape[t] == 0) return true;
      }
      std::int64_t flat = 0;
      for (std::size_t d = 0; d < places_.size(); ++d) {
        const std::int64_t index = tape[places_[d]];
        if (index < 0 || index >= buffer_.dims[d]) return true;
        flat = flat * buffer_.dims[d] + index;
      }
      return f(static_cast<std::size_t>(flat));
    });
  }

 private:
  const Buffer& buffer_;
  std::vector<Expr> indices_, conditions_, axes_, moving_;
  std::size_t standing_ = 0;
  std::vector<Tape> tape_;  // one, once the axes stand
  std::vector<std::size_t> places_, truths_;
  std::vector<std::int64_t> point_;
};

std::size_t shared_loops(const Site& a, const Site& b) {
  std::size_t n = 0;
  while (n < a.loops.size() && n < b.loops.size() && a.loops[n] == b.loops[n]) ++n;
  return n;
}

}  // namespace

Proof written_before(Context& cx, std::span<const Site> sites, const Site& reader,
                     const Access& access) {
  const Buffer& buffer = *access.buffer;
  if (access.indices.empty() && !buffer.dims.empty()) return Proof::Unknown;  // a gather
  Touched read(cx, reader, access.indices, access.guards, buffer);
  std::vector<Touched> writes;
  std::size_t shared = 0;
  for (const std::size_t w : writers_of(sites, &buffer)) {
    const Body& body = *sites[w].block->body;
    if (sites[w].order >= reader.order) continue;
    shared = std::max(shared, shared_loops(sites[w], reader));
    if (!starts(body)) continue;
    writes.emplace_back(cx, sites[w], body.indices, std::span<const Expr>{}, buffer);
  }
  // Loops that the reader shares with some writer stand still, as far as anything depends on them.
  std::vector<Expr> standing;
  for (std::size_t n = 0; n < shared; ++n) {
    Expr axis = reader.loops[n]->axis;
    const auto depends = [axis](const Touched& t) {
      return std::find(t.axes().begin(), t.axes().end(), axis) != t.axes().end();
    };
    if (depends(read) || std::any_of(writes.begin(), writes.end(), depends)) {
      standing.push_back(axis);
    }
  }
  read.fix(standing);
  std::int64_t work = buffer.elements();
  if (work > kMostPointsWritten || read.points() > kMostPointsWritten) return Proof::Unknown;
  work += read.points();
  for (Touched& write : writes) {
    write.fix(standing);
    if (write.points() > kMostPointsWritten) return Proof::Unknown;
    work += write.points();
  }
  if (points_of(standing) > kMostPointsWritten / work) return Proof::Unknown;
  std::vector<bool> written(static_cast<std::size_t>(buffer.elements()));
  const bool all = for_each_point(standing, [&](std::span<const std::int64_t> point) {
    std::fill(written.begin(), written.end(), false);
    for (Touched& write : writes) {
      write.for_each(point, [&](std::size_t element) {
        written[element] = true;
        return true;
      });
    }
    return read.for_each(point, [&](std::size_t element) -> bool { return written[element]; });
  });
  return all ? Proof::Yes : Proof::No;
}

}  // namespace cambium::program
