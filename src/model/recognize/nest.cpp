#include "model/recognize/nest.h"

#include <algorithm>
#include <cstdlib>
#include <set>

namespace cambium::model::recognition {

namespace {

// Where the axes of all operands cut a letter: products of the faster factors. Nothing if one cut
// falls inside a factor of another.
std::optional<std::vector<Ints>> cuts_of(const std::vector<Term>& terms, const Ints& extents) {
  std::vector<std::set<std::int64_t>> cuts(extents.size());
  for (std::size_t l = 0; l < extents.size(); ++l) cuts[l] = {1, extents[l]};
  for (const Term& term : terms) {
    for (std::size_t d = 0; d < term.letters.size(); ++d) {
      std::int64_t faster = 1;
      for (std::size_t a = term.view.dims[d].size(); a-- > 0;) {
        cuts[term.letters[d]].insert(faster);
        faster *= term.view.dims[d][a].extent;
      }
    }
  }
  std::vector<Ints> out;
  for (const auto& set : cuts) {
    out.emplace_back(set.begin(), set.end());
    for (std::size_t i = 1; i < out.back().size(); ++i) {
      if (out.back()[i] % out.back()[i - 1] != 0) return std::nullopt;
    }
  }
  return out;
}

struct LetterLoops {
  std::vector<std::size_t> loops;  // fastest first
  Ints faster;                     // product of the faster loops of the letter, for each
};

Access access_of(const Term& term, const std::vector<LetterLoops>& letters) {
  const View& view = term.view;
  Access access{view.base, {}, view.fill};
  for (const Coordinate& c : view.coordinates) {
    access.axes.push_back({c.extent, c.constant, c.low, c.high, c.origin, {}});
  }
  for (std::size_t d = 0; d < term.letters.size(); ++d) {
    const LetterLoops& letter = letters[term.letters[d]];
    std::int64_t faster = 1;
    for (std::size_t a = view.dims[d].size(); a-- > 0;) {
      const Atom& atom = view.dims[d][a];
      for (std::size_t i = 0; i < letter.loops.size(); ++i) {
        if (letter.faster[i] < faster || letter.faster[i] >= faster * atom.extent) continue;
        for (std::size_t c = 0; c < access.axes.size(); ++c) {
          const std::int64_t step = atom.steps[c] * (letter.faster[i] / faster);
          Axis& axis = access.axes[c];
          // A letter that stands twice takes the diagonal: both dims move.
          if (step != 0) axis.set_step(letter.loops[i], axis.step(letter.loops[i]) + step);
        }
      }
      faster *= atom.extent;
    }
  }
  return access;
}

}  // namespace

void Axis::set_step(std::size_t loop, std::int64_t step) {
  if (loop >= steps.size()) steps.resize(loop + 1, 0);
  steps[loop] = step;
}

std::vector<std::size_t> Axis::loops() const {
  std::vector<std::size_t> out;
  for (std::size_t l = 0; l < steps.size(); ++l) {
    if (steps[l] != 0) out.push_back(l);
  }
  return out;
}

std::size_t Access::users(std::size_t loop) const {
  return static_cast<std::size_t>(std::count_if(
      axes.begin(), axes.end(), [&](const Axis& axis) { return axis.step(loop) != 0; }));
}

bool Access::uses(std::size_t loop) const {
  return users(loop) > 0;
}

std::optional<Nest> make_nest(const std::vector<Term>& terms, const Ints& extents,
                              const std::vector<std::size_t>& output) {
  const auto cuts = cuts_of(terms, extents);
  if (!cuts) return std::nullopt;
  Nest nest;
  std::vector<LetterLoops> letters(extents.size());
  for (std::size_t l = 0; l < extents.size(); ++l) {
    const bool reduced = std::find(output.begin(), output.end(), l) == output.end();
    const Ints& at = (*cuts)[l];
    for (std::size_t i = 0; i + 1 < at.size(); ++i) {
      letters[l].loops.push_back(nest.loops.size());
      letters[l].faster.push_back(at[i]);
      nest.loops.push_back({at[i + 1] / at[i], reduced});
    }
  }
  for (const std::size_t l : output) {
    nest.output.insert(nest.output.end(), letters[l].loops.rbegin(), letters[l].loops.rend());
    nest.output_dims.push_back(extents[l]);
  }
  for (const Term& term : terms) nest.operands.push_back(access_of(term, letters));
  return nest;
}

Axis plain_axis(std::size_t loop, std::int64_t extent) {
  Axis axis{extent, 0, 0, extent, ~std::size_t{0} - loop, {}};
  axis.set_step(loop, 1);
  return axis;
}

bool is_plain(const Access& access, const Axis& axis, const std::vector<Loop>& loops) {
  const std::vector<std::size_t> own = axis.loops();
  return own.size() == 1 && axis.step(own[0]) == 1 && axis.constant == 0 && axis.low == 0 &&
         axis.high == axis.extent && axis.extent == loops[own[0]].extent &&
         access.users(own[0]) == 1;
}

Reach reach_of(const Axis& axis, const std::vector<Loop>& loops) {
  Reach reach{axis.constant, axis.constant};
  for (const std::size_t l : axis.loops()) {
    const std::int64_t far = axis.step(l) * (loops[l].extent - 1);
    (far < 0 ? reach.low : reach.high) += far;
  }
  return reach;
}

bool leaves_base(const Axis& axis, const std::vector<Loop>& loops) {
  const Reach reach = reach_of(axis, loops);
  return reach.low < axis.low || reach.high >= axis.high;
}

std::optional<std::vector<std::size_t>> digits_of(const Axis& axis,
                                                  const std::vector<Loop>& loops) {
  std::vector<std::size_t> own = axis.loops();
  std::sort(own.begin(), own.end(), [&](std::size_t a, std::size_t b) {
    return std::abs(axis.step(a)) < std::abs(axis.step(b));
  });
  for (std::size_t i = 1; i < own.size(); ++i) {
    if (axis.step(own[i]) != axis.step(own[i - 1]) * loops[own[i - 1]].extent) return std::nullopt;
  }
  return own;
}

}  // namespace cambium::model::recognition
