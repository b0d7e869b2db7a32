#include "schedule/neural/separation.h"

#include <algorithm>
#include <string>
#include <utility>

#include "expr/simplify.h"
#include "program/analysis.h"

namespace cambium::schedule::neural {
namespace {

using program::ScalarKind;

class Finding {
 public:
  Finding(Draft& draft, const Separate& step) : draft_(draft) { s_.step = &step; }

  Result<Separation> run() {
    CAMBIUM_TRY(s_.c, contraction_at(draft_, s_.step->first.front()));
    CAMBIUM_REQUIRE(check_form());
    CAMBIUM_REQUIRE(sort_loops());
    CAMBIUM_REQUIRE(own_weights(draft_, s_.c));
    CAMBIUM_REQUIRE(find_dimensions());
    CAMBIUM_REQUIRE(find_padding());
    CAMBIUM_REQUIRE(choose_channels());
    CAMBIUM_REQUIRE(check_weights());
    return std::move(s_);
  }

 private:
  Rejection refused(std::string why) const { return not_a_contraction(s_.c, std::move(why)); }

  std::vector<NestAxis> axes_of(LoopRole role) const {
    std::vector<NestAxis> found;
    for (const NestAxis& axis : s_.c.nest->axes) {
      if (axis.iterator != nullptr && s_.c.role_of(axis) == role) found.push_back(axis);
    }
    return found;
  }

  Status check_form() {
    for (const NestAxis& axis : s_.c.nest->axes) {
      if (axis.is_shared) return refused("it shares loop '" + std::string(axis.loop) + "'");
    }
    for (const Scalar factor : {s_.c.nest->value->operands[0], s_.c.nest->value->operands[1]}) {
      if (factor->kind != ScalarKind::Load) return refused("it reads x under a condition");
    }
    return Ok{};
  }

  Status sort_loops() {
    for (const std::string& loop : s_.step->first) {
      const NestAxis* const axis = s_.c.nest->find(loop);
      if (axis == nullptr) {
        if (program::find_loop(draft_.program(), loop) == nullptr) {
          return Rejection(Reason::UnknownName, loop);
        }
        return Rejection(Reason::NotNested, s_.step->first.front(), loop);
      }
      const LoopRole role = s_.c.role_of(*axis);
      if (role != LoopRole::In && role != LoopRole::Tap) {
        return refused("loop '" + loop + "' counts neither input channels nor taps");
      }
    }
    std::int64_t firsts = 1, seconds = 1, ins = 1, first_ins = 1;
    for (const NestAxis& axis : s_.c.nest->axes) {
      if (axis.iterator == nullptr || axis.is_spatial()) continue;
      (s_.is_first(axis) ? firsts : seconds) *= axis.extent;
      if (s_.c.role_of(axis) == LoopRole::Tap) continue;
      ins *= axis.extent;
      if (s_.is_first(axis)) first_ins *= axis.extent;
    }
    if (firsts == 1)
      return Rejection(Reason::BadFactors, Separate::kName, "the first sum is empty");
    if (seconds == 1 && !s_.step->mixes) {
      return Rejection(Reason::BadFactors, Separate::kName, "the second sum is empty");
    }
    if (first_ins != 1 && first_ins != ins) {
      return refused("one sum must have all loops over input channels");
    }
    s_.keeps_ins = ins > 1 && first_ins == 1;
    if (s_.keeps_ins && s_.step->mixes) {
      return Rejection(Reason::BadFactors, Separate::kName,
                       "mixes is not possible: the second sum already has the input channels");
    }
    return Ok{};
  }

  Status find_dimensions() {
    const Indices at = s_.c.x_at();
    s_.dims.resize(at.size());
    std::size_t channel_dims = 0;
    for (std::size_t d = 0; d < at.size(); ++d) {
      SeparatedDimension& dim = s_.dims[d];
      bool has_pixel = false;
      for (const NestAxis& axis : s_.c.nest->axes) {
        if (axis.iterator == nullptr || !program::uses(at[d], axis.iterator)) continue;
        const LoopRole role = s_.c.role_of(axis);
        if (role == LoopRole::In || role == LoopRole::Out) dim.is_channels = true;
        if (axis.extent == 1) continue;
        if (role == LoopRole::Tap)
          (s_.is_first(axis) ? dim.has_first_tap : dim.has_second_tap) = true;
        if (role != LoopRole::Pixel) continue;
        CAMBIUM_TRY(const std::size_t of_target, pixel_dimension(axis));
        if (has_pixel && dim.of_target != of_target) return refused("its rows are not in order");
        dim.of_target = of_target;
        if (!has_pixel) dim.pixels = axis.loop;
        has_pixel = true;
      }
      if (dim.is_channels) {
        ++channel_dims;
        channels_ = d;
      }
      const bool is_mixed =
          dim.is_channels && (has_pixel || dim.has_first_tap || dim.has_second_tap);
      if (is_mixed || (dim.has_first_tap && dim.has_second_tap)) {
        return refused("a dimension of x moves with loops of both sums");
      }
      if (!has_pixel && !dim.is_channels) CAMBIUM_REQUIRE(find_single(d));
    }
    if (channel_dims != 1) return refused("x has no dimension of channels");
    return Ok{};
  }

  Result<std::size_t> pixel_dimension(const NestAxis& axis) const {
    const auto moves = [&](const Indices& at) {
      std::vector<std::size_t> dims;
      for (std::size_t d = 0; d < at.size(); ++d) {
        if (program::uses(at[d], axis.iterator)) dims.push_back(d);
      }
      return dims;
    };
    const std::vector<std::size_t> of_target = moves(s_.c.nest->indices);
    if (of_target.size() == 1 && moves(s_.c.x_at()).size() == 1) return of_target[0];
    return refused("loop '" + std::string(axis.loop) + "' does not count one dimension of pixels");
  }

  // A dimension in which one place is computed: the first one of the target that is free.
  Status find_single(std::size_t dim) {
    const std::vector<std::int64_t> sizes = draft_.dims_of(s_.c.nest->target);
    if (sizes.size() != s_.dims.size() || sizes[dim] != 1) {
      return refused("the target has other dimensions than x");
    }
    s_.dims[dim].of_target = dim;
    return Ok{};
  }

  // ---- padding

  Status find_padding() {
    std::vector<const Block*> writers, readers;
    for (const program::Site& site : draft_.sites()) {
      if (site.block->body->target == s_.c.x) writers.push_back(site.block);
      if (site.block == s_.c.block) continue;
      const auto used = site.block->body->buffers;
      const bool reads = std::find(used.begin(), used.end(), s_.c.x) != used.end();
      if (reads && site.block->body->target != s_.c.x) readers.push_back(site.block);
    }
    const bool moves =
        std::any_of(s_.dims.begin(), s_.dims.end(),
                    [](const SeparatedDimension& dim) { return dim.has_second_tap; });
    if (s_.c.x->role == program::Role::Input || writers.size() != 1 || !moves) return Ok{};
    CAMBIUM_TRY(const Nest* const copy, draft_.edit(writers[0]));
    std::optional<PaddedCopy> padded = padded_copy_of(draft_.cx(), writers[0], *copy);
    if (!padded) return Ok{};
    bool pads_second = false;
    for (std::size_t d = 0; d < s_.dims.size(); ++d) {
      pads_second = pads_second || (s_.dims[d].has_second_tap && padded->pads(d));
    }
    if (!pads_second) return Ok{};
    if (!readers.empty()) {
      return refused("block '" + std::string(readers[0]->name) + "' reads its padding too");
    }
    s_.padded = std::move(padded);
    return Ok{};
  }

  // ---- channels of the middle

  // Groups first, then the channels within them, by their places.
  Status choose_channels() {
    const Indices in = s_.c.x_at();
    std::optional<std::size_t> outs;
    for (std::size_t d = 0; d < s_.c.nest->indices.size() && !outs; ++d) {
      for (const NestAxis& axis : axes_of(LoopRole::Out)) {
        if (program::uses(s_.c.nest->indices[d], axis.iterator)) outs = d;
      }
    }
    for (const NestAxis& axis : axes_of(LoopRole::Out)) {
      if (!s_.keeps_ins || s_.c.in_x(axis.iterator)) s_.middle.push_back(axis);
    }
    if (s_.keeps_ins) {
      for (const NestAxis& axis : axes_of(LoopRole::In)) s_.middle.push_back(axis);
    }
    if (s_.middle.empty()) return refused("it has only one channel");
    const Expr order = s_.keeps_ins ? in[channels_] : s_.c.nest->indices[*outs];
    const std::optional<Digits> digits = digits_of(draft_.cx(), order);
    if (!digits) return refused("its channels are not counted by digits");
    const auto place = [&](const NestAxis& axis) {
      const Digit* const digit = digits->find(axis.iterator);
      return digit == nullptr ? 0 : digit->coefficient;
    };
    std::stable_sort(s_.middle.begin(), s_.middle.end(),
                     [&](const NestAxis& a, const NestAxis& b) { return place(a) > place(b); });
    for (const NestAxis& axis : s_.middle) s_.channels *= axis.extent;
    return Ok{};
  }

  // ---- weights

  Status check_weights() {
    const Indices at = s_.c.weights_at();
    s_.weights.resize(at.size());
    for (std::size_t d = 0; d < at.size(); ++d) {
      WeightDimension& dim = s_.weights[d];
      for (const NestAxis& axis : s_.c.nest->axes) {
        if (axis.iterator == nullptr || !program::uses(at[d], axis.iterator)) continue;
        const LoopRole role = s_.c.role_of(axis);
        if (role == LoopRole::Out) dim.has_out = true;
        if (role == LoopRole::In) dim.has_in = true;
        if (role == LoopRole::Tap)
          (s_.is_first(axis) ? dim.has_first_tap : dim.has_second_tap) = true;
      }
      const int kinds =
          int(dim.has_out) + int(dim.has_in) + int(dim.has_first_tap) + int(dim.has_second_tap);
      if (kinds > 1) return refused("a dimension of its weights has several roles");
    }
    const auto find = [&](auto wanted) {
      const auto found = std::find_if(s_.weights.begin(), s_.weights.end(), wanted);
      return static_cast<std::size_t>(found - s_.weights.begin());
    };
    const auto is_free = [](const WeightDimension& dim) {
      return !dim.has_out && !dim.has_in && !dim.has_first_tap && !dim.has_second_tap;
    };
    s_.out_dim = find([](const WeightDimension& dim) { return dim.has_out; });
    s_.in_dim = find([](const WeightDimension& dim) { return dim.has_in; });
    if (s_.out_dim == s_.weights.size()) s_.out_dim = find(is_free);
    if (s_.in_dim == s_.weights.size()) {
      for (s_.in_dim = 0; s_.in_dim < s_.weights.size(); ++s_.in_dim) {
        if (s_.in_dim != s_.out_dim && is_free(s_.weights[s_.in_dim])) break;
      }
    }
    const bool needs_ins = s_.step->mixes;
    if (s_.out_dim == s_.weights.size() || (needs_ins && s_.in_dim == s_.weights.size())) {
      return refused("its weights have no dimension of channels");
    }
    const auto outs = std::count_if(s_.weights.begin(), s_.weights.end(),
                                    [](const WeightDimension& dim) { return dim.has_out; });
    if (s_.keeps_ins && outs > 1) return refused("its weights count output channels twice");
    return Ok{};
  }

  Draft& draft_;
  Separation s_;
  std::size_t channels_ = 0;  // the dimension of x that counts them
};

}  // namespace

bool Separation::is_first(const NestAxis& axis) const {
  return std::find(step->first.begin(), step->first.end(), axis.loop) != step->first.end();
}

bool Separation::is_channel_of_middle(const NestAxis& axis) const {
  return std::any_of(middle.begin(), middle.end(),
                     [&](const NestAxis& other) { return other.loop == axis.loop; });
}

bool Separation::is_in_first(const NestAxis& axis) const {
  if (!axis.is_spatial()) return is_first(axis) || is_channel_of_middle(axis);
  if (c.role_of(axis) == LoopRole::Out) return is_channel_of_middle(axis);
  for (const SeparatedDimension& dim : dims) {
    const bool moves = !dim.is_channels && !dim.has_second_tap &&
                       program::uses(c.nest->indices[dim.of_target], axis.iterator);
    if (moves) return true;
  }
  return false;
}

Expr Separation::channel(Context& cx, const std::map<std::string_view, Expr>& others) const {
  expr::Context& ex = cx.indices();
  Expr sum = cx.number(0);
  std::int64_t place = channels;
  for (const NestAxis& axis : middle) {
    place /= axis.extent;
    const auto other = others.find(axis.loop);
    const Expr iterator = other == others.end() ? axis.iterator : other->second;
    sum = expr::add(ex, sum, expr::mul(ex, iterator, expr::Monomial::of(place)));
  }
  return expr::simplify(ex, sum);
}

std::int64_t Separation::mixed_count() const {
  std::int64_t count = 1;
  for (const NestAxis& axis : middle) count *= c.in_x(axis.iterator) ? 1 : axis.extent;
  return count;
}

Result<Separation> separation_of(Draft& draft, const Separate& step) {
  return Finding(draft, step).run();
}

}  // namespace cambium::schedule::neural
