#include "spaces/coordinate/check.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/check.h"

namespace cambium::spaces::coordinate {
namespace {

using expr::Size;

class Checker {
 public:
  Checker(const Problem& problem, const Operator& op, const LeafNames& names)
      : problem_(problem), op_(op), names_(names), uses_(uses_of(op)) {}

  std::optional<Violation> run() {
    const bool fine = outputs_fit() && domains_fit() && consumed_once() && nothing_dangles() &&
                      unfolds_are_read() && weights_read_once() && strides_keep_data() &&
                      data_fits() && fixed_is_kept();
    if (fine) return std::nullopt;
    return std::move(found_);
  }

 private:
  const Coordinate& coordinate(CoordinateIndex i) const {
    return op_.coordinates[static_cast<std::size_t>(i)];
  }
  const Use& use(CoordinateIndex i) const { return uses_[static_cast<std::size_t>(i)]; }
  CoordinateIndex count() const { return static_cast<CoordinateIndex>(op_.coordinates.size()); }
  std::string text(CoordinateIndex i) const { return coordinate_text(problem_, op_, names_, i); }
  // `SPLIT split(r1, r2)`
  std::string titled(CoordinateIndex i) const {
    return std::string(name_of(coordinate(i).kind)) + " " + text(i);
  }
  std::string size_text(const Size& size) const { return problem_.sizes.print(size); }

  // Always false, so that a rule can `return refuse(...)`.
  bool refuse(Rejection rejection, CoordinateIndex where = kNoCoordinate) {
    found_ = Violation{std::move(rejection), where};
    return false;
  }

  bool outputs_fit() {
    const std::size_t outputs = output_count(op_);
    if (outputs != problem_.output.size()) {
      return refuse(Rejection(Reason::ShapeMismatch, "out",
                              std::to_string(outputs) + " coordinates for the output " +
                                  shape_text(problem_.sizes, problem_.output)));
    }
    if (op_.data.size() != problem_.input.size()) {
      return refuse(Rejection(Reason::ShapeMismatch, "x",
                              std::to_string(op_.data.size()) + " coordinates for the input " +
                                  shape_text(problem_.sizes, problem_.input)));
    }
    for (std::size_t axis = 0; axis < outputs; ++axis) {
      const auto i = static_cast<CoordinateIndex>(axis);
      if (!domain_is(i, problem_.output[axis], "axis " + std::to_string(axis) + " of the output")) {
        return false;
      }
    }
    return true;
  }

  bool domain_is(CoordinateIndex i, const Size& wanted, const std::string& what) {
    if (coordinate(i).domain == wanted) return true;
    return refuse(
        Rejection(Reason::WrongDomain, titled(i),
                  size_text(coordinate(i).domain) + ", " + what + " is " + size_text(wanted)),
        i);
  }

  bool domains_fit() {
    for (CoordinateIndex i = 0; i < count(); ++i) {
      const Result<Size> derived = made_domain(op_, coordinate(i));
      if (!derived.ok()) return refuse(Rejection(derived.rejection()).at(titled(i)), i);
      if (!domain_is(i, *derived, "what its operands make")) return false;
      for (const Size& size : {coordinate(i).domain, coordinate(i).parameter}) {
        const Status whole = require_countable(size);
        if (whole.ok()) continue;
        return refuse(Rejection(whole.rejection()).at(size_text(size)).at(titled(i)), i);
      }
    }
    return true;
  }

  Status require_countable(const Size& size) const {
    CAMBIUM_REQUIRE(expr::require_integer(size, problem_.bindings));
    for (const expr::Binding& binding : problem_.bindings) {
      const auto value = expr::evaluate(size, binding);
      if (!value.ok()) return value.rejection();  // beyond 64 bits
    }
    return Ok{};
  }

  std::string consumer_text(const Use& by) const {
    if (by.axis >= 0) return "axis " + std::to_string(by.axis) + " of x";
    return titled(by.consumer);
  }

  bool consumed_once() {
    for (CoordinateIndex i = 0; i < count(); ++i) {
      if (use(i).consumptions <= 1) continue;
      return refuse(Rejection(Reason::CoordinateUsedTwice, titled(i),
                              std::to_string(use(i).consumptions) + " times, at last by " +
                                  consumer_text(use(i))),
                    i);
    }
    return true;
  }

  bool has_other_half(const Coordinate& c) const {
    const CoordinateKind other =
        c.kind == CoordinateKind::MergeHigh ? CoordinateKind::MergeLow : CoordinateKind::MergeHigh;
    return std::any_of(op_.coordinates.begin(), op_.coordinates.end(), [&](const Coordinate& o) {
      return o.kind == other && o.first == c.first && o.parameter == c.parameter;
    });
  }

  bool nothing_dangles() {
    for (CoordinateIndex i = 0; i < count(); ++i) {
      const Coordinate& c = coordinate(i);
      const bool half = c.kind == CoordinateKind::MergeHigh || c.kind == CoordinateKind::MergeLow;
      if (half && !has_other_half(c)) {
        return refuse(Rejection(Reason::CoordinateUnused, titled(i), "its other half is missing"),
                      i);
      }
      if (half || c.kind == CoordinateKind::Output) continue;
      if (use(i).consumptions == 0 && use(i).weights == 0) {
        return refuse(Rejection(Reason::CoordinateUnused, titled(i),
                                "neither the input nor a weight reads it"),
                      i);
      }
    }
    return true;
  }

  // A SHIFT or a MERGE that is expanded as a whole does no harm. But the terms outside an UNFOLD
  // would count as zero, and no equation would show where they are.
  bool unfolds_are_read() {
    std::vector<bool> is_read(op_.coordinates.size());
    const auto read = [&](CoordinateIndex i) {
      if (i != kNoCoordinate) is_read[static_cast<std::size_t>(i)] = true;
    };
    std::for_each(op_.data.begin(), op_.data.end(), read);
    for (const auto& weight : op_.weights) std::for_each(weight.begin(), weight.end(), read);
    for (CoordinateIndex i = count(); i-- > 0;) {
      const Coordinate& c = coordinate(i);
      if (is_read[static_cast<std::size_t>(i)]) {
        read(c.first);
        read(c.second);
      } else if (c.kind == CoordinateKind::Unfold) {
        return refuse(Rejection(Reason::CoordinateUnused, titled(i),
                                "neither the input nor a weight reads anything of it"),
                      i);
      }
    }
    return true;
  }

  bool weights_read_once() {
    for (std::size_t w = 0; w < op_.weights.size(); ++w) {
      const std::string name = "w" + std::to_string(w + 1);
      std::vector<CoordinateIndex> sorted = op_.weights[w];
      if (sorted.empty()) {
        return refuse(
            Rejection(Reason::ShapeMismatch, name, "a weight reads one coordinate at least"));
      }
      std::sort(sorted.begin(), sorted.end());
      const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
      if (twice != sorted.end()) {
        return refuse(Rejection(Reason::CoordinateUsedTwice, titled(*twice), "twice, by " + name),
                      *twice);
      }
    }
    return true;
  }

  bool strides_keep_data() {
    for (CoordinateIndex i = 0; i < count(); ++i) {
      if (coordinate(i).kind == CoordinateKind::Stride && !stride_keeps_data(i)) return false;
    }
    return true;
  }

  bool stride_keeps_data(CoordinateIndex i) {
    const auto discards = [&](std::string why) {
      return refuse(Rejection(Reason::DiscardsData, titled(i), std::move(why)), i);
    };
    const CoordinateIndex by = use(i).consumer;
    if (by == kNoCoordinate || coordinate(by).kind != CoordinateKind::Unfold) {
      return discards("it must go into an UNFOLD");
    }
    if (coordinate(by).second == i) return true;  // a dilated window under a base that is dense
    const CoordinateIndex window = coordinate(by).second;
    if (coordinate(window).kind == CoordinateKind::Stride) {
      return discards("both base and window of " + titled(by) + " are strided");
    }
    for (std::size_t b = 0; b < problem_.bindings.size(); ++b) {
      const auto step = expr::evaluate(coordinate(i).parameter, problem_.bindings[b]);
      const auto width = expr::evaluate(coordinate(window).domain, problem_.bindings[b]);
      if (!step.ok()) return refuse(step.rejection(), i);
      if (!width.ok()) return refuse(width.rejection(), window);
      if (*width >= *step) continue;
      return discards("the window " + text(window) + " is " + std::to_string(*width) +
                      ", the step is " + std::to_string(*step) + " (binding " + std::to_string(b) +
                      ")");
    }
    return true;
  }

  bool data_fits() {
    for (std::size_t axis = 0; axis < op_.data.size(); ++axis) {
      const std::string what = "axis " + std::to_string(axis) + " of the input";
      if (!domain_is(op_.data[axis], problem_.input[axis], what)) return false;
    }
    return true;
  }

  bool fixed_is_kept() {
    for (const FixedPair pair : problem_.fixed) {
      const auto output = static_cast<CoordinateIndex>(pair.output);
      const CoordinateIndex read = op_.data[pair.input];
      const std::string axis = "axis " + std::to_string(pair.output) + " of the output";
      if (read != output) {
        return refuse(Rejection(Reason::MixesFixedAxis, axis,
                                "axis " + std::to_string(pair.input) + " of x is " + titled(read)),
                      read);
      }
      if (use(output).weights != 0) {
        return refuse(Rejection(Reason::MixesFixedAxis, axis, "a weight reads " + text(output)),
                      output);
      }
    }
    return true;
  }

  const Problem& problem_;
  const Operator& op_;
  const LeafNames& names_;
  std::vector<Use> uses_;
  std::optional<Violation> found_;
};

}  // namespace

std::optional<Violation> first_violation(const Problem& problem, const Operator& op,
                                         const LeafNames& names) {
  CAMBIUM_CHECK(is_ordered(op), "the places of the coordinates are out of order");
  return Checker(problem, op, names).run();
}

Status check(const Problem& problem, const Operator& op) {
  std::optional<Violation> found = first_violation(problem, op, derived_names(problem, op));
  if (found) return std::move(found->rejection);
  return Ok{};
}

}  // namespace cambium::spaces::coordinate
