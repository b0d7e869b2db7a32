#include "spaces/loopnest/graph_writes.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>

namespace cambium::spaces::loopnest {
namespace {

using model::Ints;
using model::Value;

bool is_in_place(const Box& a, const Box& b) {
  return a.begin == b.begin && a.extent == b.extent;
}

bool overlap(const Box& a, const Box& b) {
  for (std::size_t d = 0; d < a.begin.size(); ++d) {
    if (a.end(d) <= b.begin[d] || b.end(d) <= a.begin[d]) return false;
  }
  return true;
}

// Puts boxes together within a region, which it cuts where no box is cut.
class Joining {
 public:
  Joining(model::Builder& builder, bool has_zeros) : builder_(builder), has_zeros_(has_zeros) {}

  // Invalid if a part is missing.
  Value joined(const Box& region, const std::vector<Box>& boxes) {
    if (boxes.size() == 1) return padded(region, boxes[0]);
    for (std::size_t d = 0; d < region.begin.size(); ++d) {
      const std::vector<std::int64_t> cuts = cuts_of(d, boxes);
      if (cuts.size() > 2) return concatenated(d, cuts, region, boxes);
    }
    return {};
  }

 private:
  Value padded(const Box& region, const Box& box) {
    if (is_in_place(region, box)) return box.value;
    if (!has_zeros_) return {};
    const std::size_t rank = region.begin.size();
    model::Pad pad{model::PadMode::Constant, Ints(2 * rank, 0), 0};
    for (std::size_t d = 0; d < rank; ++d) {
      pad.pads[d] = box.begin[d] - region.begin[d];
      pad.pads[d + rank] = region.end(d) - box.end(d);
    }
    return builder_.add(std::move(pad), {box.value});
  }

  // Where one box begins or ends and none goes on, the first and the last included.
  static std::vector<std::int64_t> cuts_of(std::size_t d, const std::vector<Box>& boxes) {
    std::set<std::int64_t> cuts;
    for (const Box& box : boxes) cuts.insert({box.begin[d], box.end(d)});
    for (const Box& box : boxes) {
      cuts.erase(cuts.upper_bound(box.begin[d]), cuts.lower_bound(box.end(d)));
    }
    return {cuts.begin(), cuts.end()};
  }

  // A gap between two cuts becomes zeros behind the part before it. Gaps at the border become zeros
  // beside the first and the last part.
  Value concatenated(std::size_t d, const std::vector<std::int64_t>& cuts, const Box& region,
                     const std::vector<Box>& boxes) {
    std::vector<Box> parts;
    std::vector<std::vector<Box>> inside;
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
      std::vector<Box> here;
      for (const Box& box : boxes) {
        if (box.begin[d] >= cuts[i] && box.end(d) <= cuts[i + 1]) here.push_back(box);
      }
      if (here.empty()) continue;
      Box part = region;
      part.begin[d] = parts.empty() ? region.begin[d] : cuts[i];
      if (!parts.empty()) parts.back().extent[d] = part.begin[d] - parts.back().begin[d];
      part.extent[d] = region.end(d) - part.begin[d];
      parts.push_back(std::move(part));
      inside.push_back(std::move(here));
    }
    std::vector<Value> values;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      values.push_back(joined(parts[i], inside[i]));
      if (!values.back().valid()) return {};
    }
    if (values.size() == 1) return values[0];
    return builder_.add(model::Concat{static_cast<std::int64_t>(d)}, values);
  }

  model::Builder& builder_;
  const bool has_zeros_;
};

struct Digit {
  std::int64_t extent = 1, step = 1;
};

// Of loops that an axis of a buffer is written by, the largest step first, down to a step of 1.
// Nothing where the steps of one are no multiple of those behind it.
std::optional<std::vector<Digit>> digits_of(const AxisRead& axis) {
  std::vector<Digit> digits;
  auto below = static_cast<std::int64_t>(axis.at.size());  // iterations of the loops behind
  for (const std::int64_t extent : axis.extents) {
    below /= extent;
    if (extent == 1) continue;
    digits.push_back({extent, axis.at[static_cast<std::size_t>(below)] - axis.at[0]});
  }
  if (digits.empty() || digits.back().step > 1) digits.push_back({});
  for (std::size_t i = 0; i + 1 < digits.size(); ++i) {
    const Digit &high = digits[i], &low = digits[i + 1];
    if (low.step < 1 || high.step % low.step != 0) return std::nullopt;
    if (high.step / low.step < low.extent) return std::nullopt;
  }
  return digits;
}

Value shaped(model::Builder& builder, Value value, Ints dims) {
  if (builder.type(value).dims == dims) return value;
  return builder.add(model::Reshape{std::move(dims)}, {value});
}

// Closes the gaps between the digits of one axis: each digit gets all its values.
Value with_zeros_between(model::Builder& builder, Value value, const Ints& before,
                         const std::vector<Digit>& digits, const Ints& behind) {
  Ints dims = before;
  for (const Digit& digit : digits) dims.push_back(digit.extent);
  dims.insert(dims.end(), behind.begin(), behind.end());
  value = shaped(builder, value, dims);
  model::Pad pad{model::PadMode::Constant, Ints(2 * dims.size(), 0), 0};
  for (std::size_t i = 1; i < digits.size(); ++i) {
    pad.pads[dims.size() + before.size() + i] =
        digits[i - 1].step / digits[i].step - digits[i].extent;
  }
  value = builder.add(std::move(pad), {value});
  Ints merged = before;
  merged.push_back(digits[0].extent * digits[0].step);
  merged.insert(merged.end(), behind.begin(), behind.end());
  return shaped(builder, value, std::move(merged));
}

}  // namespace

bool is_dense(const AxisRead& axis) {
  for (std::size_t i = 0; i < axis.at.size(); ++i) {
    if (axis.at[i] != axis.at[0] + static_cast<std::int64_t>(i)) return false;
  }
  return true;
}

std::optional<Value> spread_out(model::Builder& builder, Value value,
                                const std::vector<AxisRead>& axes) {
  Ints behind;  // extents of the axes that are done
  for (std::size_t d = axes.size(); d-- > 0;) {
    const AxisRead& axis = axes[d];
    const std::int64_t extent = *std::max_element(axis.at.begin(), axis.at.end()) -
                                *std::min_element(axis.at.begin(), axis.at.end()) + 1;
    if (!is_dense(axis)) {
      Ints before;
      for (std::size_t i = 0; i < d; ++i) {
        before.insert(before.end(), axes[i].extents.begin(), axes[i].extents.end());
      }
      const auto digits = digits_of(axis);
      if (!digits) return std::nullopt;
      value = with_zeros_between(builder, value, before, *digits, behind);
      const Ints dims = builder.type(value).dims;
      model::Slice first{Ints(dims.size(), 0), dims, Ints(dims.size(), 1)};
      first.extents[before.size()] = extent;
      value = builder.add(std::move(first), {value});
    }
    behind.insert(behind.begin(), extent);
  }
  return value;
}

bool Pieces::add_zeros() {
  has_zeros_ = true;
  return boxes_.empty();
}

bool Pieces::add(model::Builder& builder, Box box, bool adds) {
  for (Box& other : boxes_) {
    if (!overlap(box, other)) continue;
    if (!adds || !is_in_place(box, other)) return false;
    other.value = builder.add(model::Binary{model::BinaryFn::Add}, {other.value, box.value});
    return true;
  }
  if (adds && !has_zeros_) return false;
  boxes_.push_back(std::move(box));
  return true;
}

Value Pieces::whole(model::Builder& builder, const Ints& dims) const {
  if (boxes_.empty()) return {};
  const Box region{Ints(dims.size(), 0), dims, {}};
  return Joining(builder, has_zeros_).joined(region, boxes_);
}

}  // namespace cambium::spaces::loopnest
