#include "model/recognize/view_steps.h"

#include <algorithm>

#include "model/recognize/progression.h"

namespace cambium::model::recognition {

namespace {

// Where an axis is read element by element; longer tables are not worth their time.
constexpr std::size_t kLongestTable = std::size_t{1} << 20;

// No coordinate is farther away than this, however hostile a chain of strides and pads is.
constexpr std::int64_t kFarthest = std::int64_t{1} << 45;

bool near(std::int64_t step, std::int64_t turns) {
  std::int64_t far = 0;
  return !__builtin_mul_overflow(step, turns, &far) && far < kFarthest && far > -kFarthest;
}

std::int64_t extent_of(const std::vector<Atom>& atoms) {
  std::int64_t extent = 1;
  for (const Atom& atom : atoms) extent *= atom.extent;
  return extent;
}

// The only coordinate that the atom moves along, if no other atom does.
std::optional<std::size_t> own_coordinate(const std::vector<Atom>& all, const Atom& atom) {
  std::optional<std::size_t> own;
  for (std::size_t c = 0; c < atom.steps.size(); ++c) {
    if (atom.steps[c] == 0) continue;
    const auto users =
        std::count_if(all.begin(), all.end(), [&](const Atom& a) { return a.steps[c] != 0; });
    if (own || users != 1) return std::nullopt;
    own = c;
  }
  return own;
}

std::vector<Atom> flattened(const View& view) {
  std::vector<Atom> flat;
  for (const auto& atoms : view.dims) flat.insert(flat.end(), atoms.begin(), atoms.end());
  return flat;
}

// An atom becomes two, the faster of extent `inner`. An untouched axis of the base is split with
// it, so that what is done to one of the halves later is done to an axis of its own.
void split_atom(View& view, std::vector<Atom>& flat, std::size_t at, std::int64_t inner) {
  const std::optional<std::size_t> own = own_coordinate(flat, flat[at]);
  const std::int64_t outer = flat[at].extent / inner;
  if (own) {
    const std::size_t c = *own;
    const Coordinate whole = view.coordinates[c];
    if (flat[at].steps[c] == 1 && whole.constant == 0 && whole.low == 0 &&
        whole.high == whole.extent && whole.extent == flat[at].extent) {
      view.coordinates[c] = {outer, 0, 0, outer, whole.origin};
      view.coordinates.insert(view.coordinates.begin() + static_cast<std::ptrdiff_t>(c) + 1,
                              Coordinate{inner, 0, 0, inner, whole.origin});
      for (Atom& atom : flat) {
        atom.steps.insert(atom.steps.begin() + static_cast<std::ptrdiff_t>(c) + 1, 0);
      }
      Atom fast{inner, Ints(view.coordinates.size(), 0)};
      fast.steps[c + 1] = 1;
      flat[at].extent = outer;
      flat.insert(flat.begin() + static_cast<std::ptrdiff_t>(at) + 1, std::move(fast));
      return;
    }
  }
  Atom fast{inner, flat[at].steps};
  flat[at].extent = outer;
  for (std::int64_t& step : flat[at].steps) step *= inner;
  flat.insert(flat.begin() + static_cast<std::ptrdiff_t>(at) + 1, std::move(fast));
}

struct Range {
  std::int64_t low, high;  // both reached
};

Range range_of(const View& view, std::size_t c) {
  Range range{view.coordinates[c].constant, view.coordinates[c].constant};
  for (const auto& atoms : view.dims) {
    for (const Atom& atom : atoms) {
      const std::int64_t reach = atom.steps[c] * (atom.extent - 1);
      (reach < 0 ? range.low : range.high) += reach;
    }
  }
  return range;
}

}  // namespace

bool reshape_view(View& view, const Ints& dims) {
  std::vector<Atom> flat = flattened(view);
  std::vector<std::size_t> counts(dims.size(), 0);
  std::size_t end = flat.size();
  for (std::size_t d = dims.size(); d-- > 0;) {
    for (std::int64_t need = dims[d]; need > 1;) {
      const std::int64_t extent = flat[end - 1].extent;
      if (need % extent == 0) {
        need /= extent;
        --end;
      } else if (extent % need == 0) {
        split_atom(view, flat, end - 1, need);
        need = 1;
      } else {
        return false;
      }
      ++counts[d];
    }
  }
  view.dims.assign(dims.size(), {});
  std::size_t next = 0;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    for (std::size_t i = 0; i < counts[d]; ++i) view.dims[d].push_back(std::move(flat[next++]));
  }
  return true;
}

void transpose_view(View& view, const Ints& perm) {
  std::vector<std::vector<Atom>> dims;
  for (const std::int64_t axis : perm) dims.push_back(view.dims[static_cast<std::size_t>(axis)]);
  view.dims = std::move(dims);
}

bool expand_view(View& view, const Ints& dims) {
  view.dims.insert(view.dims.begin(), dims.size() - view.dims.size(), {});
  for (std::size_t d = 0; d < dims.size(); ++d) {
    if (view.dims[d].empty() && dims[d] > 1) {
      view.dims[d].push_back({dims[d], Ints(view.coordinates.size(), 0)});
    }
  }
  return true;
}

void tile_view(View& view, const Ints& repeats) {
  for (std::size_t d = 0; d < repeats.size(); ++d) {
    if (repeats[d] == 1) continue;
    view.dims[d].insert(view.dims[d].begin(), Atom{repeats[d], Ints(view.coordinates.size(), 0)});
  }
}

bool slice_view(View& view, std::size_t dim, std::int64_t start, std::int64_t step,
                std::int64_t extent) {
  std::vector<Atom>& atoms = view.dims[dim];
  if (start == 0 && step == 1 && extent == extent_of(atoms)) return true;
  if (atoms.size() > 1) {
    if (extent > static_cast<std::int64_t>(kLongestTable)) return false;
    Ints places;
    for (std::int64_t i = 0; i < extent; ++i) places.push_back(start + i * step);
    return select_view(view, dim, places, {extent});
  }
  if (atoms.empty()) return true;  // one element, read once
  for (std::size_t c = 0; c < view.coordinates.size(); ++c) {
    const std::int64_t own = atoms[0].steps[c];
    if (!near(own, start) || (extent > 1 && !near(own, step))) return false;
    view.coordinates[c].constant += own * start;
    if (extent > 1) atoms[0].steps[c] *= step;  // a single step may lead anywhere
  }
  atoms[0].extent = extent;
  if (extent == 1) atoms.clear();
  return true;
}

namespace {

// Axis `dim` becomes axes `dims` that read `first` and move on from there.
bool move_view(View& view, std::size_t dim, const Ints& first,
               const std::vector<Progression>& levels, const Ints& dims) {
  Ints all;
  for (const auto& atoms : view.dims) all.push_back(extent_of(atoms));
  const auto at = all.erase(all.begin() + static_cast<std::ptrdiff_t>(dim));
  all.insert(at, dims.begin(), dims.end());
  for (std::size_t c = 0; c < first.size(); ++c) view.coordinates[c].constant += first[c];
  view.dims[dim].clear();
  for (const Progression& level : levels) view.dims[dim].push_back({level.extent, level.steps});
  return reshape_view(view, all);
}

// What `progressions` finds in the table that the steps describe. Nothing if a step carries.
std::optional<std::vector<Progression>> progressions_along(const std::vector<Atom>& atoms,
                                                           std::size_t width,
                                                           std::span<const Step> steps) {
  std::vector<Progression> levels;  // fastest first
  Ints highest(atoms.size(), 0);    // digits of the positions reached so far
  for (std::size_t s = steps.size(); s-- > 0;) {
    Progression level{steps[s].extent, Ints(width, 0)};
    std::int64_t rest = steps[s].step;
    for (std::size_t a = atoms.size(); a-- > 0;) {
      const std::int64_t digit = rest % atoms[a].extent;
      rest /= atoms[a].extent;
      highest[a] += digit * (level.extent - 1);
      if (highest[a] >= atoms[a].extent) return std::nullopt;
      for (std::size_t c = 0; c < width; ++c) level.steps[c] += digit * atoms[a].steps[c];
    }
    if (level.extent == 1) continue;
    Ints onwards = levels.empty() ? Ints() : levels.back().steps;
    for (std::int64_t& step : onwards) step *= levels.back().extent;
    if (!levels.empty() && onwards == level.steps) {
      levels.back().extent *= level.extent;
    } else {
      levels.push_back(std::move(level));
    }
  }
  if (levels.size() > kMostLevels) return std::nullopt;
  std::reverse(levels.begin(), levels.end());
  return levels;
}

}  // namespace

bool select_view(View& view, std::size_t dim, const Ints& places, const Ints& dims) {
  if (places.size() > kLongestTable) return false;
  const std::size_t width = view.coordinates.size();
  const auto read = [&](std::size_t i, Ints& point) {
    std::fill(point.begin(), point.end(), 0);
    std::int64_t rest = places[i];
    for (std::size_t a = view.dims[dim].size(); a-- > 0;) {
      const Atom& atom = view.dims[dim][a];
      for (std::size_t c = 0; c < width; ++c) point[c] += (rest % atom.extent) * atom.steps[c];
      rest /= atom.extent;
    }
  };
  const auto levels = progressions(places.size(), width, read);
  if (!levels) return false;
  Ints first(width);
  read(0, first);
  return move_view(view, dim, first, *levels, dims);
}

bool select_view(View& view, std::size_t dim, std::span<const Step> steps, const Ints& dims) {
  std::int64_t count = 1;
  for (const Step& step : steps) count *= step.extent;
  if (count > static_cast<std::int64_t>(kLongestTable)) return false;  // as for a table
  const std::size_t width = view.coordinates.size();
  const auto levels = progressions_along(view.dims[dim], width, steps);
  if (!levels) return select_view(view, dim, elements_of(steps), dims);
  return move_view(view, dim, Ints(width, 0), *levels, dims);
}

bool pad_view(View& view, std::size_t dim, std::int64_t before, std::int64_t after, double fill) {
  if (before < 0 || after < 0) {
    const std::int64_t start = std::max<std::int64_t>(-before, 0);
    const std::int64_t cut = start + std::max<std::int64_t>(-after, 0);
    const std::int64_t extent = extent_of(view.dims[dim]) - cut;
    if (extent < 1 || !slice_view(view, dim, start, 1, extent)) return false;
    before = std::max<std::int64_t>(before, 0);
    after = std::max<std::int64_t>(after, 0);
  }
  if (before == 0 && after == 0) return true;
  if (view.fill && *view.fill != fill) return false;
  if (view.dims[dim].size() != 1) return false;
  Atom& atom = view.dims[dim][0];
  const std::optional<std::size_t> own = own_coordinate(flattened(view), atom);
  if (!own) return false;
  Coordinate& coordinate = view.coordinates[*own];
  const Range range = range_of(view, *own);
  coordinate.low = std::max(coordinate.low, range.low);
  coordinate.high = std::min(coordinate.high, range.high + 1);
  if (coordinate.low >= coordinate.high) return false;
  atom.extent += before + after;
  if (!near(atom.steps[*own], atom.extent)) return false;
  coordinate.constant -= atom.steps[*own] * before;
  view.fill = fill;
  return true;
}

namespace {

// A bound that a piece never reaches is no bound; those that are reached must agree.
bool agree_on_bounds(View& joined, std::span<const View* const> pieces, std::size_t c) {
  std::optional<std::int64_t> low, high;
  for (const View* piece : pieces) {
    const Coordinate& own = piece->coordinates[c];
    const Range range = range_of(*piece, c);
    if (range.low < own.low) {
      if (low && *low != own.low) return false;
      low = own.low;
    }
    if (range.high >= own.high) {
      if (high && *high != own.high) return false;
      high = own.high;
    }
  }
  Coordinate& coordinate = joined.coordinates[c];
  coordinate.low = low.value_or(0);
  coordinate.high = high.value_or(coordinate.extent);
  return std::all_of(pieces.begin(), pieces.end(), [&](const View* piece) {
    const Range range = range_of(*piece, c);
    const Coordinate& own = piece->coordinates[c];
    // What was inside for the piece must still be, and what was outside too.
    return (range.low >= coordinate.low || own.low == coordinate.low) &&
           (range.high < coordinate.high || own.high == coordinate.high);
  });
}

}  // namespace

std::optional<View> join_views(std::span<const View* const> pieces, std::size_t dim) {
  View joined = *pieces[0];
  std::vector<Ints> points;
  for (const View* piece : pieces) {
    if (piece->base != joined.base || piece->dims != joined.dims ||
        piece->coordinates.size() != joined.coordinates.size()) {
      return std::nullopt;
    }
    if (piece->fill) {
      if (joined.fill && *joined.fill != *piece->fill) return std::nullopt;
      joined.fill = piece->fill;
    }
    Ints point;
    for (std::size_t c = 0; c < joined.coordinates.size(); ++c) {
      if (piece->coordinates[c].extent != joined.coordinates[c].extent) return std::nullopt;
      point.push_back(piece->coordinates[c].constant);
    }
    points.push_back(std::move(point));
  }
  for (std::size_t c = 0; c < joined.coordinates.size(); ++c) {
    if (!agree_on_bounds(joined, pieces, c)) return std::nullopt;
  }
  const auto levels = progressions(points);
  if (!levels) return std::nullopt;
  std::vector<Atom> atoms;
  for (const Progression& level : *levels) atoms.push_back({level.extent, level.steps});
  joined.dims[dim].insert(joined.dims[dim].begin(), atoms.begin(), atoms.end());
  return joined;
}

}  // namespace cambium::model::recognition
