#include "spaces/loopnest/graph_reads.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "expr/evaluate.h"
#include "program/analysis.h"

namespace cambium::spaces::loopnest {
namespace {

using model::Ints;
using model::Value;

constexpr std::int64_t kMostIterations = std::int64_t{1} << 20;

bool are_among(const std::vector<Expr>& some, const std::vector<Expr>& all) {
  return std::all_of(some.begin(), some.end(),
                     [&](Expr one) { return std::find(all.begin(), all.end(), one) != all.end(); });
}

// Every iteration of these loops, the last one fastest.
class Iterations {
 public:
  explicit Iterations(const std::vector<Expr>& loops) {
    for (const Expr loop : loops) values_.push_back({loop, 0});
  }
  std::int64_t value(Expr e) const { return expr::evaluate(e, values_).value(); }
  void step() {
    for (std::size_t i = values_.size(); i-- > 0;) {
      if (++values_[i].value < extent_of_loop(values_[i].axis)) return;
      values_[i].value = 0;
    }
  }

 private:
  std::vector<expr::AxisValue> values_;
};

// Loops whose steps are larger stand before others; of equal steps, places before taps, as the
// expression has them.
void sort_by_step(Expr e, std::vector<Expr>& loops) {
  std::vector<std::pair<std::int64_t, Expr>> steps;
  for (const Expr loop : loops) {
    std::vector<expr::AxisValue> values;
    for (const Expr each : loops) {
      // A quotient moves at the last iteration at the latest.
      values.push_back({each, each == loop ? extent_of_loop(each) - 1 : 0});
    }
    const std::int64_t last = expr::evaluate(e, values).value();
    for (expr::AxisValue& value : values) value.value = 0;
    const std::int64_t first = expr::evaluate(e, values).value();
    const std::int64_t times = std::max<std::int64_t>(extent_of_loop(loop) - 1, 1);
    steps.emplace_back((last - first) / times, loop);
  }
  std::stable_sort(steps.begin(), steps.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  for (std::size_t i = 0; i < loops.size(); ++i) loops[i] = steps[i].second;
}

// Places first, first + step, first + 2 * step ...
struct Progression {
  std::int64_t first = 0, step = 1;
};
std::optional<Progression> progression_of(const std::vector<std::int64_t>& at) {
  Progression found{at[0], at.size() > 1 ? at[1] - at[0] : 1};
  for (std::size_t i = 0; i < at.size(); ++i) {
    if (at[i] != found.first + found.step * static_cast<std::int64_t>(i)) return std::nullopt;
  }
  if (found.step < 1) return std::nullopt;
  return found;
}

// How many times each place of the axis is read, one place after the other; 0: not so.
std::int64_t repetition_of(const std::vector<std::int64_t>& at, std::int64_t extent) {
  const auto times = static_cast<std::int64_t>(at.size()) / extent;
  for (std::size_t i = 0; i < at.size(); ++i) {
    if (times == 0 || at[i] != static_cast<std::int64_t>(i) / times) return 0;
  }
  return times;
}

// Changes one axis of a value after the other, the last one first.
class Viewing {
 public:
  Viewing(model::Builder& builder, Value value) : builder_(builder), value_(value) {
    shape_ = builder.type(value).dims;
  }

  // False where the border is uneven.
  bool axis(std::size_t d, const AxisRead& read) {
    if (!builder_.ok()) return true;
    std::vector<std::int64_t> at = read.at;
    if (std::find(read.is_inside.begin(), read.is_inside.end(), false) != read.is_inside.end() &&
        !border(d, read, at)) {
      return false;
    }
    if (builder_.ok()) places(d, read, at);
    return true;
  }

  // With an axis for each loop.
  Value done() {
    if (builder_.type(value_).dims == shape_) return value_;
    return builder_.add(model::Reshape{shape_}, {value_});
  }

 private:
  std::int64_t extent(std::size_t d) const { return builder_.type(value_).dims[d]; }

  void slice(std::size_t d, std::int64_t first, std::int64_t count, std::int64_t step) {
    if (first == 0 && count == extent(d) && step == 1) return;
    const Ints dims = builder_.type(value_).dims;
    model::Slice slice{Ints(dims.size(), 0), dims, Ints(dims.size(), 1)};
    slice.starts[d] = first;
    slice.extents[d] = count;
    slice.steps[d] = step;
    value_ = builder_.add(std::move(slice), {value_});
  }

  // Leaves the part that is read, with zeros around it for what is not.
  bool border(std::size_t d, const AxisRead& read, std::vector<std::int64_t>& at) {
    std::int64_t low = 0, high = -1;  // of the places inside
    for (std::size_t i = 0; i < at.size(); ++i) {
      if (!read.is_inside[i]) continue;
      low = high < low ? at[i] : std::min(low, at[i]);
      high = std::max(high, at[i]);
    }
    if (high < low) return false;
    for (std::size_t i = 0; i < at.size(); ++i) {
      if (read.is_inside[i] != (low <= at[i] && at[i] <= high)) return false;
    }
    const auto [first, last] = std::minmax_element(at.begin(), at.end());
    const std::int64_t begin = *first, end = *last;
    slice(d, low, high - low + 1, 1);
    if (!builder_.ok()) return true;
    const std::size_t rank = builder_.type(value_).dims.size();
    model::Pad pad{model::PadMode::Constant, Ints(2 * rank, 0), 0};
    pad.pads[d] = low - begin;
    pad.pads[d + rank] = end - high;
    value_ = builder_.add(std::move(pad), {value_});
    for (std::int64_t& place : at) place -= begin;
    return true;
  }

  void places(std::size_t d, const AxisRead& read, const std::vector<std::int64_t>& at) {
    const auto count = static_cast<std::int64_t>(at.size());
    if (const auto progression = progression_of(at)) {
      slice(d, progression->first, count, progression->step);
      set_axes(d, read.extents);
      return;
    }
    if (const std::int64_t times = repetition_of(at, extent(d)); times > 0) {
      repeat(d, times);
      set_axes(d, read.extents);
      return;
    }
    const Value indices =
        builder_.weight("indices", model::Tensor::of<std::int64_t>(read.extents, at));
    value_ = builder_.add(model::Gather{static_cast<std::int64_t>(d)}, {value_, indices});
    set_axes(d, read.extents);
  }

  void repeat(std::size_t d, std::int64_t times) {
    Ints apart = builder_.type(value_).dims;
    Ints whole = apart;
    const auto behind = static_cast<std::ptrdiff_t>(d) + 1;
    apart.insert(apart.begin() + behind, 1);
    value_ = builder_.add(model::Reshape{apart}, {value_});
    apart[d + 1] = times;
    value_ = builder_.add(model::Expand{apart}, {value_});
    whole[d] *= times;
    value_ = builder_.add(model::Reshape{whole}, {value_});
  }

  void set_axes(std::size_t d, const Ints& extents) {
    const auto at = shape_.begin() + static_cast<std::ptrdiff_t>(d);
    shape_.insert(shape_.erase(at), extents.begin(), extents.end());
  }

  model::Builder& builder_;
  Value value_;
  Ints shape_;  // that the value gets in the end
};

}  // namespace

Result<AxisRead> axis_read_of(Expr e, std::vector<Expr>& conditions) {
  AxisRead read;
  read.loops = program::axes_of(e);
  sort_by_step(e, read.loops);
  std::int64_t count = 1;
  for (const Expr loop : read.loops) {
    read.extents.push_back(extent_of_loop(loop));
    count *= read.extents.back();
    if (count > kMostIterations) {
      return Rejection(Reason::SizeOutOfRange, "the number of places that are read", {}, count, 1,
                       kMostIterations);
    }
  }
  std::vector<Expr> own, others;
  for (const Expr condition : conditions) {
    const std::vector<Expr> loops = program::axes_of(condition);
    (are_among(loops, read.loops) ? own : others).push_back(condition);
  }
  conditions = std::move(others);
  Iterations iterations(read.loops);
  for (std::int64_t i = 0; i < count; ++i, iterations.step()) {
    read.at.push_back(iterations.value(e));
    read.is_inside.push_back(std::all_of(
        own.begin(), own.end(), [&](Expr condition) { return iterations.value(condition) != 0; }));
  }
  return read;
}

std::variant<View, Uneven> view_of(model::Builder& builder, Value value,
                                   const std::vector<AxisRead>& axes) {
  Viewing viewing(builder, value);
  View view;
  for (std::size_t d = axes.size(); d-- > 0;) {
    if (!viewing.axis(d, axes[d])) return Uneven{axes[d].loops};
    view.loops.insert(view.loops.begin(), axes[d].loops.begin(), axes[d].loops.end());
  }
  view.value = viewing.done();
  return view;
}

}  // namespace cambium::spaces::loopnest
