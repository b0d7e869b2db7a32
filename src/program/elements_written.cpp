#include "program/elements_written.h"

#include <algorithm>

#include "program/analysis.h"
#include "program/prove.h"
#include "program/tape.h"

namespace cambium::program {
namespace {

constexpr std::int64_t kMostElements = std::int64_t{1} << 22;

// Dimensions and conditions that loops tie together. What a block writes is the product of what its
// groups reach, so that only the loops of one group are ever walked through at once.
struct DimGroup {
  std::vector<Expr> axes;
  std::vector<std::size_t> dims;
  std::vector<Expr> conditions;

  bool shares_axis(const DimGroup& other) const {
    return std::find_first_of(axes.begin(), axes.end(), other.axes.begin(), other.axes.end()) !=
           axes.end();
  }

  void take(const DimGroup& other) {
    for (Expr axis : other.axes) {
      if (std::find(axes.begin(), axes.end(), axis) == axes.end()) axes.push_back(axis);
    }
    dims.insert(dims.end(), other.dims.begin(), other.dims.end());
    conditions.insert(conditions.end(), other.conditions.begin(), other.conditions.end());
  }
};

void add(std::vector<DimGroup>& groups, DimGroup fresh) {
  const auto apart = std::partition(groups.begin(), groups.end(),
                                    [&](const DimGroup& g) { return !g.shares_axis(fresh); });
  for (auto it = apart; it != groups.end(); ++it) fresh.take(*it);
  groups.erase(apart, groups.end());
  groups.push_back(std::move(fresh));
}

std::vector<DimGroup> groups_of(Context& cx, const Block& block, std::span<const Expr> at) {
  std::vector<DimGroup> groups;
  for (std::size_t d = 0; d < at.size(); ++d) add(groups, {axes_of(at[d]), {d}, {}});
  std::vector<Expr> conditions;
  add_conjuncts(cx, block.predicate, conditions);
  for (Expr c : conditions) add(groups, {axes_of(c), {}, {c}});
  return groups;
}

using Offsets = std::vector<std::int64_t>;  // ascending

// What a group adds to the flat index, at all of its points that are in the buffer.
std::optional<Offsets> offsets_of(const DimGroup& group, std::span<const Expr> at,
                                  const Buffer& buffer, std::span<const std::int64_t> strides) {
  if (points_of(group.axes) > kMostElements) return std::nullopt;
  Tape tape(group.axes);
  std::vector<std::size_t> conditions, places;
  for (Expr c : group.conditions) conditions.push_back(tape.add(c));
  for (const std::size_t d : group.dims) places.push_back(tape.add(at[d]));
  Offsets offsets;
  for_each_point(group.axes, [&](std::span<const std::int64_t> point) {
    tape.evaluate(point);
    for (const std::size_t c : conditions) {
      if (tape[c] == 0) return true;
    }
    std::int64_t offset = 0;
    for (std::size_t k = 0; k < places.size(); ++k) {
      const std::int64_t index = tape[places[k]];
      const std::size_t d = group.dims[k];
      if (index < 0 || index >= buffer.dims[d]) return true;
      offset += index * strides[d];
    }
    offsets.push_back(offset);
    return true;
  });
  std::sort(offsets.begin(), offsets.end());
  offsets.erase(std::unique(offsets.begin(), offsets.end()), offsets.end());
  return offsets;
}

struct Stretch {
  std::int64_t from, count;
};

std::vector<Stretch> runs_of(const Offsets& offsets) {
  std::vector<Stretch> runs;
  for (const std::int64_t offset : offsets) {
    if (!runs.empty() && runs.back().from + runs.back().count == offset) {
      ++runs.back().count;
    } else {
      runs.push_back({offset, 1});
    }
  }
  return runs;
}

void mark(std::vector<bool>& written, std::span<const Offsets> outer,
          std::span<const Stretch> inner, std::int64_t base) {
  if (!outer.empty()) {
    for (const std::int64_t offset : outer[0]) {
      mark(written, outer.subspan(1), inner, base + offset);
    }
    return;
  }
  for (const Stretch& run : inner) {
    const auto from = written.begin() + (base + run.from);
    std::fill(from, from + run.count, true);
  }
}

// False when there are too many points.
bool mark_written(Context& cx, const Block& block, const Buffer& buffer,
                  std::vector<bool>& written) {
  std::vector<std::int64_t> strides(buffer.dims.size(), 1);
  for (std::size_t d = strides.size(); d-- > 1;) strides[d - 1] = strides[d] * buffer.dims[d];
  const std::vector<Expr> at = over_loops(cx, block, block.body->indices);
  std::vector<Offsets> offsets{{0}};
  for (const DimGroup& group : groups_of(cx, block, at)) {
    auto some = offsets_of(group, at, buffer, strides);
    if (!some) return false;
    offsets.push_back(std::move(*some));
  }
  // Neighbours are marked together: the group that moves least goes inside.
  const auto step = [](const Offsets& o) { return o.size() < 2 ? kMostElements : o[1] - o[0]; };
  std::sort(offsets.begin(), offsets.end(),
            [&](const Offsets& a, const Offsets& b) { return step(a) > step(b); });
  const std::vector<Stretch> inner = runs_of(offsets.back());
  offsets.pop_back();
  mark(written, offsets, inner, 0);
  return true;
}

}  // namespace

bool starts(const Body& body) {
  return body.combine == Combine::Assign || body.init != nullptr;
}

std::optional<std::vector<bool>> elements_written(Context& cx, std::span<const Site> sites,
                                                  const Buffer* buffer, std::size_t before) {
  if (buffer->elements() > kMostElements) return std::nullopt;
  std::vector<bool> written(static_cast<std::size_t>(buffer->elements()));
  for (const std::size_t w : writers_of(sites, buffer)) {
    const Block& block = *sites[w].block;
    if (sites[w].order >= before || !starts(*block.body)) continue;
    if (!mark_written(cx, block, *buffer, written)) return std::nullopt;
  }
  return written;
}

}  // namespace cambium::program
