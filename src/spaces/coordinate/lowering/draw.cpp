#include "spaces/coordinate/lowering/draw.h"

#include <fmt/core.h>

#include "base/escape.h"
#include "base/text.h"
#include "spaces/coordinate/lowering/descent.h"
#include "spaces/coordinate/structure.h"

namespace cambium::spaces::coordinate {

namespace {

class Drawing {
 public:
  Drawing(const Problem& problem, const Operator& op)
      : problem_(problem), op_(op), uses_(uses_of(op)), names_(derived_names(problem, op)) {}

  std::string text() {
    out_ =
        "digraph operator {\n  rankdir=BT;\n  node [shape=box, fontname=\"sans-serif\"];\n"
        "  edge [fontname=\"sans-serif\", fontsize=9];\n";
    out_ += fmt::format("  y [label=\"output {}\", shape=ellipse];\n", shape(problem_.output));
    out_ += fmt::format("  x [label=\"input {}\", shape=ellipse];\n", shape(problem_.input));
    for (std::size_t w = 0; w < op_.weights.size(); ++w) {
      std::vector<expr::Size> sizes;
      for (const CoordinateIndex c : op_.weights[w])
        sizes.push_back(op_.coordinates[place_of(c)].domain);
      out_ += fmt::format("  w{0} [label=\"w{0} {1}\", shape=ellipse, style=dashed];\n", w + 1,
                          shape(sizes));
    }
    for (std::size_t c = 0; c < op_.coordinates.size(); ++c) node(static_cast<CoordinateIndex>(c));
    for (std::size_t c = 0; c < op_.coordinates.size(); ++c) edges(static_cast<CoordinateIndex>(c));
    return out_ + "}\n";
  }

 private:
  std::string shape(const std::vector<expr::Size>& sizes) const {
    std::vector<std::string> texts;
    for (const expr::Size& size : sizes) texts.push_back(problem_.sizes.print(size));
    return dot_text("[" + join(texts, ", ") + "]");
  }

  // The node of the primitive that makes a coordinate. Both halves of a MERGE have one.
  std::string maker(CoordinateIndex c) const {
    const Coordinate& it = op_.coordinates[place_of(c)];
    if (it.kind == CoordinateKind::Output) return "y";
    if (it.kind == CoordinateKind::MergeHigh || it.kind == CoordinateKind::MergeLow) {
      return fmt::format("merge{}", it.first);
    }
    return fmt::format("c{}", c);
  }

  void node(CoordinateIndex c) {
    const Coordinate& it = op_.coordinates[place_of(c)];
    if (it.kind == CoordinateKind::Output || it.kind == CoordinateKind::MergeLow) return;
    const expr::Size& size = it.kind == CoordinateKind::Reduce ? it.domain : it.parameter;
    const bool says_size = info_of(it.kind).has_parameter || it.kind == CoordinateKind::Reduce;
    out_ += fmt::format("  {} [label=\"{}{}\"];\n", maker(c), name_of(it.kind),
                        says_size ? dot_text("(" + problem_.sizes.print(size) + ")") : "");
  }

  void edges(CoordinateIndex c) {
    const Coordinate& it = op_.coordinates[place_of(c)];
    const Use& use = uses_[place_of(c)];
    const std::string label = dot_text(coordinate_text(problem_, op_, names_, c) + ": " +
                                       problem_.sizes.print(it.domain));
    const auto edge = [&](const std::string& to, const char* style) {
      out_ += fmt::format("  {} -> {} [label=\"{}\"{}];\n", maker(c), to, label, style);
    };
    if (use.axis >= 0) {
      edge("x", "");
    } else if (use.consumer != kNoCoordinate) {
      edge(maker(use.consumer), "");
    } else if (use.weights == 0) {
      out_ += fmt::format("  expand{} [label=\"EXPAND\"];\n", c);
      edge(fmt::format("expand{}", c), "");
    }
    for (std::size_t w = 0; w < op_.weights.size(); ++w) {
      if ((use.weights >> w & 1) != 0) edge(fmt::format("w{}", w + 1), ", style=dashed");
    }
  }

  const Problem& problem_;
  const Operator& op_;
  const std::vector<Use> uses_;
  const LeafNames names_;
  std::string out_;
};

}  // namespace

std::string to_dot(const Problem& problem, const Operator& op) {
  return Drawing(problem, op).text();
}

}  // namespace cambium::spaces::coordinate
