#include "schedule/recipe/accesses.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "expr/simplify.h"
#include "expr/text.h"
#include "program/analysis.h"
#include "schedule/neural/nest.h"
#include "schedule/recipe/nest_parts.h"
#include "schedule/steps/rebuild.h"

namespace cambium::schedule {
namespace {

using neural::Digit;
using neural::Digits;
using neural::digits_of;
using program::Expr;
using program::Iterator;

constexpr std::size_t kSamples = 0, kChannels = 1, kFirstOfSpace = 2;  // dimensions of x and y

using Exprs = std::span<const Expr>;

bool any_uses(Exprs exprs, Expr axis) {
  return std::any_of(exprs.begin(), exprs.end(), [&](Expr e) { return program::uses(e, axis); });
}

std::int64_t place(const Digits& digits, Expr axis) {
  const Digit* const digit = digits.find(axis);
  return digit == nullptr ? 0 : digit->coefficient;
}

class Weighing {
 public:
  Weighing(Context& cx, const Accesses& accesses) : cx_(cx), a_(accesses) {}

  bool run() { return covers_samples() && covers_space() && reads_channels() && reads_own(); }

 private:
  bool is_weighted(Expr axis) const { return any_uses(a_.weights_at, axis); }
  Exprs y_space() const { return Exprs(a_.y_at).subspan(kFirstOfSpace); }

  // Whether the index takes every place of that dimension of y.
  bool covers(std::size_t dim) {
    const std::optional<Digits> digits = digits_of(cx_, a_.y_at[dim]);
    return digits && digits->offset == 0 && digits->dense_size() == a_.y->dims[dim];
  }

  bool covers_samples() {
    const Expr sample = a_.y_at[kSamples];
    return sample == a_.x_at[kSamples] && a_.y->dims[kSamples] == a_.x->dims[kSamples] &&
           covers(kSamples) &&
           std::none_of(a_.iterators.begin(), a_.iterators.end(), [&](const Iterator& it) {
             return program::uses(sample, it.axis) && is_weighted(it.axis);
           });
  }

  bool covers_space() {
    for (std::size_t dim = kFirstOfSpace; dim < a_.y_at.size(); ++dim) {
      if (!covers(dim)) return false;
    }
    return true;
  }

  // Loops over channels and taps have elements of their own; of loops over rows, slabs have.
  bool reads_channels() {
    const std::optional<Digits> out = digits_of(cx_, a_.y_at[kChannels]);
    const std::optional<Digits> in = digits_of(cx_, a_.x_at[kChannels]);
    if (!out || !in) return false;
    for (const Iterator& it : a_.iterators) {
      if (it.extent() == 1 || program::uses(a_.y_at[kSamples], it.axis)) continue;
      const bool moves_out = place(*out, it.axis) > 0, moves_in = place(*in, it.axis) > 0;
      if (any_uses(y_space(), it.axis)) {
        if (is_weighted(it.axis)) continue;
        if (moves_out || moves_in) return false;
        continue;
      }
      if (!is_weighted(it.axis)) return false;
      const bool moves_rows = any_uses(Exprs(a_.x_at).subspan(kFirstOfSpace), it.axis) ||
                              any_uses(a_.conditions, it.axis);
      if ((moves_out || moves_in) && moves_rows) return false;
    }
    return has_usual_slabs(*out);
  }

  // In the order of the digits of the rows, and of those alone.
  bool has_usual_slabs(const Digits& out) {
    if (a_.y_at.size() == kFirstOfSpace) return true;
    const bool has_rows = a_.y_at.size() >= kFirstOfSpace + 2;
    const std::optional<Digits> rows =
        digits_of(cx_, a_.y_at[has_rows ? a_.y_at.size() - 2 : kFirstOfSpace]);
    enum { kOfWeights, kOfChannels, kNone } stage = kOfWeights;
    std::int64_t above = 0;  // place of the slabs before, in the output channels
    std::size_t found = 0;
    for (std::size_t i = rows->all.size(); i-- > 0;) {
      const Expr axis = rows->all[i].axis;
      const std::int64_t channels = place(out, axis);
      const auto now = !is_weighted(axis) ? kNone : channels > 0 ? kOfChannels : kOfWeights;
      if (now < stage) return false;
      stage = now;
      if (now == kNone) continue;
      ++found;
      if (now == kOfChannels && above > 0 && channels >= above) return false;
      if (now == kOfChannels) above = channels;
    }
    const auto slabs = std::count_if(a_.iterators.begin(), a_.iterators.end(), [&](const auto& it) {
      return it.extent() > 1 && is_weighted(it.axis) && any_uses(y_space(), it.axis);
    });
    return slabs == 0 || (has_rows && static_cast<std::size_t>(slabs) == found);
  }

  // Whether different places of the loops read different elements.
  bool reads_own() {
    std::vector<Digit> elements;
    std::int64_t stride = 1;
    for (std::size_t dim = a_.weights_at.size(); dim-- > 0;) {
      const std::optional<Digits> digits = digits_of(cx_, a_.weights_at[dim]);
      if (!digits) return false;
      for (Digit digit : digits->all) {
        digit.coefficient *= stride;
        const auto same = std::find_if(elements.begin(), elements.end(),
                                       [&](const Digit& d) { return d.axis == digit.axis; });
        if (same == elements.end()) {
          elements.push_back(digit);
        } else {
          same->coefficient += digit.coefficient;
        }
      }
      stride *= a_.weights->dims[dim];
    }
    std::sort(elements.begin(), elements.end(),
              [](const Digit& a, const Digit& b) { return a.coefficient < b.coefficient; });
    std::int64_t below = 0;  // the largest number of the digits below
    for (const Digit& digit : elements) {
      if (digit.coefficient <= below) return false;
      below += digit.coefficient * (digit.extent - 1);
    }
    return true;
  }

  Context& cx_;
  const Accesses& a_;
};

// Two parts, and the loop that they may be ranges of.
class Joining {
 public:
  Joining(Context& cx, const Accesses& first, const Accesses& second, std::size_t loop)
      : cx_(cx), first_(first), second_(second), loop_(loop) {}

  std::optional<Accesses> run() {
    const std::int64_t before = own(first_).extent(), behind = own(second_).extent();
    const Expr whole = cx_.axis(expr::name_of(own(first_).axis), before + behind);
    joined_ = first_;
    joined_.iterators[loop_].axis = whole;
    expr::Context& ex = cx_.indices();
    const Expr of_second = expr::add(ex, own(second_).axis, cx_.number(before));
    // A loop of one iteration may be missing from the indices of its part.
    const bool is_by_first = before > 1;
    const expr::Replacement grown =
        is_by_first
            ? expr::Replacement{own(first_).axis, whole}
            : expr::Replacement{own(second_).axis, expr::sub(ex, whole, cx_.number(before))};
    const Accesses& part = is_by_first ? first_ : second_;
    for (const auto at :
         {&Accesses::y_at, &Accesses::x_at, &Accesses::weights_at, &Accesses::conditions}) {
      if ((first_.*at).size() != (second_.*at).size()) return std::nullopt;
      for (std::size_t d = 0; d < (part.*at).size(); ++d) {
        const Expr e = with((part.*at)[d], grown.axis, grown.by);
        if (with(e, whole, own(first_).axis) != expr::simplify(ex, (first_.*at)[d]) ||
            with(e, whole, of_second) != expr::simplify(ex, (second_.*at)[d])) {
          return std::nullopt;
        }
        (joined_.*at)[d] = e;
      }
    }
    return std::move(joined_);
  }

 private:
  const Iterator& own(const Accesses& accesses) const { return accesses.iterators[loop_]; }

  Expr with(Expr e, Expr axis, Expr by) {
    const expr::Replacement one[] = {{axis, by}};
    return replaced(cx_, e, one);
  }

  Context& cx_;
  const Accesses& first_;
  const Accesses& second_;
  std::size_t loop_;
  Accesses joined_;
};

}  // namespace

std::optional<Accesses> joined(Context& cx, const Accesses& first, const Accesses& second) {
  const auto &a = first.iterators, &b = second.iterators;
  if (first.y != second.y || first.x != second.x || first.weights != second.weights) return {};
  if (a.size() != b.size()) return {};
  for (std::size_t loop = 0; loop < a.size(); ++loop) {
    bool agree = true;
    for (std::size_t i = 0; i < a.size(); ++i) {
      agree = agree && a[i].kind == b[i].kind &&
              (i == loop ? expr::name_of(a[i].axis) == expr::name_of(b[i].axis)
                         : a[i].axis == b[i].axis);
    }
    if (!agree) continue;
    if (auto whole = Joining(cx, first, second, loop).run()) return whole;
  }
  return {};
}

Accesses accesses_of(const program::Block& block) {
  const program::Body& body = *block.body;
  const NestParts parts = parts_of(body);
  Accesses accesses;
  accesses.block = block.name;
  accesses.iterators.assign(body.iterators.begin(), body.iterators.end());
  accesses.y = body.target;
  accesses.x = parts.x;
  accesses.weights = parts.weights;
  accesses.y_at.assign(body.indices.begin(), body.indices.end());
  accesses.x_at.assign(parts.x_at.begin(), parts.x_at.end());
  accesses.weights_at.assign(parts.weights_at.begin(), parts.weights_at.end());
  accesses.conditions = parts.conditions;
  return accesses;
}

std::string text_of(Context& cx, const Accesses& accesses) {
  std::string text;
  for (const Iterator& it : accesses.iterators) {
    text += std::string(expr::name_of(it.axis)) + " in " + std::to_string(it.extent()) + "; ";
  }
  const auto add = [&](const char* what, Exprs exprs) {
    text += what;
    for (Expr e : exprs) text += " " + expr::print(cx.indices(), e) + ";";
  };
  add("y", accesses.y_at);
  add("x", accesses.x_at);
  add("weights", accesses.weights_at);
  add("if", accesses.conditions);
  return text;
}

bool share_weights(const Accesses& a, const Accesses& b) {
  if (a.weights != b.weights) return false;
  for (std::size_t dim = 0; dim < a.weights_at.size(); ++dim) {
    const auto &in_a = a.weights_at[dim]->range, &in_b = b.weights_at[dim]->range;
    if (in_a.hi < in_b.lo || in_b.hi < in_a.lo) return false;
  }
  return true;
}

bool have_usual_weights(Context& cx, const Accesses& accesses) {
  return Weighing(cx, accesses).run();
}

}  // namespace cambium::schedule
