#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "expr/simplify.h"
#include "program/analysis.h"
#include "schedule/neural/neural.h"
#include "schedule/neural/separation.h"

namespace cambium::schedule {
namespace {

using neural::Draft;
using neural::Indices;
using neural::Nest;
using neural::NestAxis;
using neural::SeparatedDimension;
using neural::Separation;
using neural::WeightDimension;

class Separating {
 public:
  Separating(Draft& draft, Separation separation)
      : cx_(draft.cx()), draft_(draft), s_(std::move(separation)) {}

  NeuralApplied run() {
    make();
    return draft_.finish(std::move(made_));
  }

 private:
  void make() {
    const std::vector<std::int64_t> x_dims = draft_.dims_of(s_.padded ? s_.padded->source : s_.c.x);
    const std::vector<std::int64_t> read_dims = draft_.dims_of(s_.c.x);
    const std::vector<std::int64_t> target_dims = draft_.dims_of(s_.c.nest->target);
    std::vector<std::int64_t> middle_dims;
    for (std::size_t d = 0; d < s_.dims.size(); ++d) {
      const SeparatedDimension& dim = s_.dims[d];
      const bool is_unpadded = s_.padded && s_.padded->pads(d) && dim.has_second_tap;
      std::int64_t size = target_dims[dim.of_target];
      if (dim.has_second_tap) size = is_unpadded ? x_dims[d] : read_dims[d];
      if (dim.is_channels) size = s_.channels;
      s_.dims[d].size = size;
      middle_dims.push_back(size);
    }
    const Buffer* const middle = draft_.add_local(s_.c.nest->target, ".middle", middle_dims);
    const Indices weights_before = s_.c.weights_at(), x_before = s_.c.x_at();
    const std::vector<std::int64_t> weight_dims = draft_.dims_of(s_.c.weights);
    Nest first = first_nest(middle, x_before, weights_before);
    const Buffer* const second_weights = add_second_weights(weight_dims);
    resize_first_weights(weight_dims);
    edit_second(middle, second_weights, x_before, weights_before);
    put_first(std::move(first), middle);
  }

  // Where the middle is written, and where it is read if it is not padded.
  Nest first_nest(const Buffer* middle, const Indices& x_at, const Indices& weights_at) {
    Nest first;
    first.name = draft_.fresh().block(std::string(s_.c.nest->name) + ".first");
    first.target = middle;
    first.combine = s_.c.nest->combine;
    first.init = s_.c.nest->init;
    first_x_ = first_source();
    Indices reads = x_at;
    for (std::size_t d = 0; d < s_.dims.size(); ++d) {
      const SeparatedDimension& dim = s_.dims[d];
      if (dim.is_channels) {
        first.indices.push_back(s_.channel(cx_));
      } else if (dim.has_second_tap) {
        NestAxis place;
        place.loop = draft_.fresh().loop(dim.pixels.empty() ? "place" : dim.pixels);
        place.extent = dim.size;
        place.iterator = cx_.axis(cx_.name(std::string(place.loop) + ".place"), dim.size);
        first.indices.push_back(place.iterator);
        reads[d] = place.iterator;
        first.axes.push_back(place);
      } else {
        first.indices.push_back(s_.c.nest->indices[dim.of_target]);
      }
    }
    for (const NestAxis& axis : s_.c.nest->axes) {
      if (axis.iterator == nullptr || !s_.is_in_first(axis)) continue;
      NestAxis copy = axis;
      copy.loop = draft_.fresh().loop(axis.loop);
      copy.how = program::LoopKind::Serial;
      copy.annotations = {};
      const bool is_middle = s_.is_channel_of_middle(axis);
      if (is_middle) copy.kind = program::IteratorKind::Spatial;
      first.axes.push_back(copy);
    }
    Indices at = weights_at;
    for (std::size_t d = 0; d < at.size(); ++d) {
      const WeightDimension& dim = s_.weights[d];
      if (dim.has_second_tap || (s_.keeps_ins && (dim.has_in || dim.has_out)))
        at[d] = cx_.number(0);
    }
    if (s_.keeps_ins) at[s_.out_dim] = s_.channel(cx_);
    first.value =
        cx_.binary(program::BinaryFn::Mul, cx_.load(first_x_, reads), cx_.load(s_.c.weights, at));
    // Loops of one iteration that the second sum keeps.
    for (const NestAxis& axis : s_.c.nest->axes) {
      if (axis.iterator != nullptr && axis.extent == 1 && !s_.is_in_first(axis)) {
        first.substitute(cx_, axis.iterator, cx_.number(0));
      }
    }
    return first;
  }

  // What the first nest reads: x, with as much of the padding as its own taps need.
  const Buffer* first_source() {
    if (!s_.padded) return s_.c.x;
    std::vector<std::int64_t> dims = draft_.dims_of(s_.padded->source);
    bool is_padded = false;
    for (std::size_t d = 0; d < s_.dims.size(); ++d) {
      if (s_.dims[d].has_second_tap || !s_.padded->pads(d)) continue;
      dims[d] = draft_.dims_of(s_.c.x)[d];
      is_padded = true;
    }
    if (!is_padded) return s_.padded->source;
    const Buffer* const own = draft_.add_local(s_.c.x, "", dims);
    const Nest& copy = **draft_.edit(s_.padded->block);
    Nest pad;
    pad.name = draft_.fresh().block(copy.name);
    pad.target = own;
    pad.combine = copy.combine;
    for (const NestAxis& axis : copy.axes) {
      const auto at = std::find(copy.indices.begin(), copy.indices.end(), axis.iterator);
      const auto d = static_cast<std::size_t>(at - copy.indices.begin());
      NestAxis mine = axis;
      mine.loop = draft_.fresh().loop(axis.loop);
      mine.extent = dims[d];
      mine.iterator = cx_.axis(expr::name_of(axis.iterator), dims[d]);
      pad.axes.push_back(mine);
    }
    const auto own_iterator = [&](std::size_t d) {
      return cx_.axis(expr::name_of(copy.indices[d]), dims[d]);
    };
    for (std::size_t d = 0; d < s_.dims.size(); ++d) pad.indices.push_back(own_iterator(d));
    pad.value = s_.padded->value(cx_, s_.padded->source, pad.indices, padded_by(false));
    first_pad_ = std::move(pad);
    return own;
  }

  const Buffer* add_second_weights(const std::vector<std::int64_t>& before) {
    std::vector<std::int64_t> dims = before;
    for (std::size_t d = 0; d < dims.size(); ++d) {
      const WeightDimension& dim = s_.weights[d];
      if (dim.has_first_tap || (!s_.keeps_ins && dim.has_in)) dims[d] = 1;
    }
    if (s_.step->mixes) dims[s_.in_dim] = s_.mixed_count();
    return draft_.add_weights(s_.c.weights, dims);
  }

  void resize_first_weights(const std::vector<std::int64_t>& before) {
    for (std::size_t d = 0; d < before.size(); ++d) {
      const WeightDimension& dim = s_.weights[d];
      std::int64_t size = before[d];
      if (dim.has_second_tap || (s_.keeps_ins && dim.has_in)) size = 1;
      if (s_.keeps_ins && d == s_.out_dim) size = s_.channels;
      if (size != before[d]) draft_.resize(s_.c.weights, d, size);
    }
  }

  void edit_second(const Buffer* middle, const Buffer* second_weights, const Indices& x_at,
                   const Indices& weights_at) {
    Nest& nest = *s_.c.nest;
    std::map<std::string_view, Expr> mixed;
    Expr mixed_channel = cx_.number(0);
    std::vector<NestAxis> added;
    if (s_.step->mixes) {
      expr::Context& ex = cx_.indices();
      std::int64_t place = s_.mixed_count();
      for (const NestAxis& axis : s_.middle) {
        if (s_.c.in_x(axis.iterator)) continue;
        NestAxis in = axis;
        in.kind = program::IteratorKind::Reduce;
        in.loop = draft_.fresh().loop(std::string(axis.loop) + ".in");
        in.how = program::LoopKind::Serial;
        in.annotations = {};
        in.iterator = cx_.axis(cx_.name(std::string(in.loop) + ".mixed"), axis.extent);
        mixed[axis.loop] = in.iterator;
        place /= axis.extent;
        mixed_channel =
            expr::add(ex, mixed_channel, expr::mul(ex, in.iterator, expr::Monomial::of(place)));
        added.push_back(in);
      }
    }
    Indices reads;
    for (std::size_t d = 0; d < s_.dims.size(); ++d) {
      const SeparatedDimension& dim = s_.dims[d];
      reads.push_back(dim.is_channels      ? s_.channel(cx_, mixed)
                      : dim.has_second_tap ? x_at[d]
                                           : nest.indices[dim.of_target]);
    }
    Indices at = weights_at;
    for (std::size_t d = 0; d < at.size(); ++d) {
      const WeightDimension& dim = s_.weights[d];
      if (dim.has_first_tap || (!s_.keeps_ins && dim.has_in)) at[d] = cx_.number(0);
    }
    if (s_.step->mixes) at[s_.in_dim] = expr::simplify(cx_.indices(), mixed_channel);
    const Buffer* const read = s_.padded ? pad_middle(middle) : middle;
    nest.value =
        cx_.binary(program::BinaryFn::Mul, cx_.load(read, reads), cx_.load(second_weights, at));
    // Loops of one iteration may stand in what it keeps.
    for (const NestAxis& axis : std::vector<NestAxis>(nest.axes)) {
      if (axis.iterator != nullptr && axis.extent == 1 && s_.is_first(axis)) {
        nest.substitute(cx_, axis.iterator, cx_.number(0));
      }
    }
    std::erase_if(nest.axes, [&](const NestAxis& axis) { return s_.is_first(axis); });
    nest.axes.insert(nest.axes.end(), added.begin(), added.end());
  }

  // The padded dimensions that have taps of that sum.
  std::vector<bool> padded_by(bool is_second) const {
    std::vector<bool> padded;
    for (std::size_t d = 0; d < s_.dims.size(); ++d) {
      padded.push_back(s_.padded->pads(d) && s_.dims[d].has_second_tap == is_second);
    }
    return padded;
  }

  // The block that padded x pads the middle now.
  const Buffer* pad_middle(const Buffer* middle) {
    Nest& copy = **draft_.edit(s_.padded->block);
    const std::vector<bool> pads = padded_by(true);
    for (std::size_t d = 0; d < s_.dims.size(); ++d) {
      if (pads[d]) continue;
      const auto axis = std::find_if(copy.axes.begin(), copy.axes.end(), [&](const NestAxis& a) {
        return a.iterator == copy.indices[d];
      });
      copy.resize(cx_, *axis, s_.dims[d].size);
      draft_.resize(s_.c.x, d, s_.dims[d].size);
    }
    copy.value = s_.padded->value(cx_, middle, copy.indices, pads);
    return s_.c.x;
  }

  void put_first(Nest first, const Buffer* middle) {
    made_ = {std::string(first.name), std::string(middle->name)};
    for (const NestAxis& axis : first.axes) made_.emplace_back(axis.loop);
    const Block* const before = s_.padded ? s_.padded->block : s_.c.block;
    if (first_pad_) draft_.put(before, false, std::move(*first_pad_));
    draft_.put(before, false, std::move(first));
  }

  Context& cx_;
  Draft& draft_;
  Separation s_;
  const Buffer* first_x_ = nullptr;  // what the first nest reads
  std::optional<Nest> first_pad_;    // and the block that pads it, if it needs one of its own
  Names made_;
};

}  // namespace

Result<NeuralApplied> Separate::apply(Context& cx, const Program& program) const {
  if (first.empty()) return Rejection(Reason::BadFactors, kName, "the first sum is empty");
  Draft draft(cx, program);
  CAMBIUM_TRY(Separation separation, separation_of(draft, *this));
  return Separating(draft, std::move(separation)).run();
}

}  // namespace cambium::schedule
