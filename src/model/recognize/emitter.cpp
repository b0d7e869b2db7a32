#include "model/recognize/emitter.h"

#include <algorithm>
#include <numeric>

#include "model/cost.h"
#include "model/infer.h"
#include "model/saturating.h"

namespace cambium::model::recognition {

bool Emitter::is_constant(Value value) const {
  if (!value.valid()) return false;
  // As deep as the rearrangements of a weight go; what is deeper is called data.
  std::vector<std::pair<Value, int>> open = {{value, 0}};
  for (std::size_t i = 0; i < open.size(); ++i) {
    const Node& node = builder_->node(open[i].first.node);
    if (node.as<Weight>() != nullptr) continue;
    if (node.inputs.empty() || open[i].second == 64 || open.size() > 256) return false;
    for (const Value input : node.inputs) open.emplace_back(input, open[i].second + 1);
  }
  return true;
}

Value Emitter::add(Op op, std::span<const Value> inputs) {
  std::vector<TensorType> types;
  for (const Value input : inputs) {
    if (!input.valid()) return {};
    types.push_back(type(input));
  }
  // The first refusal would stick to the builder; here it only ends the attempt.
  if (!infer(op, types).ok()) return {};
  std::string name = name_ + "." + std::string(name_of(op));
  const Value value = builder_->add(std::move(op), inputs, std::move(name));
  builder_->set_block(value.node, block_);
  const Node& node = builder_->node(value.node);
  effort_.macs = saturating_sum(effort_.macs, macs_of(node.op, types, node.outputs));
  if (node.as<Reshape>() == nullptr && !is_constant(value)) pay(node.outputs[0].bytes());
  return value;
}

Value Emitter::scale(Value value, double factor) {
  const Tensor scalar = type(value).dtype == DType::F64
                            ? Tensor::scalar<double>(factor)
                            : Tensor::scalar<float>(static_cast<float>(factor));
  return add(Binary{BinaryFn::Mul}, {value, builder_->weight(name_ + ".scale", scalar)});
}

Value Emitter::reshape(Value value, const Ints& dims) {
  if (!value.valid() || type(value).dims == dims) return value;
  // Of a reshape, only its origin matters.
  while (builder_->node(value.node).as<Reshape>() != nullptr) {
    value = builder_->node(value.node).inputs[0];
  }
  return type(value).dims == dims ? value : add(Reshape{dims}, {value});
}

Value Emitter::transpose(Value value, const std::vector<std::size_t>& perm) {
  if (std::is_sorted(perm.begin(), perm.end())) return value;
  return add(Transpose{Ints(perm.begin(), perm.end())}, {value});
}

Value Emitter::slice(Value value, const Slice& op) {
  const Ints& dims = type(value).dims;
  const bool whole =
      op.extents == dims && std::all_of(op.starts.begin(), op.starts.end(),
                                        [](std::int64_t start) { return start == 0; });
  return whole ? value : add(op, {value});
}

Ints extents_of(const Access& access) {
  Ints extents;
  for (const Axis& axis : access.axes) extents.push_back(axis.extent);
  return extents;
}

Value shaped(Emitter& emit, const Access& access) {
  return emit.reshape(access.base, extents_of(access));
}

void settle(Emitter& emit, const std::vector<Loop>& loops, Access& access,
            const std::vector<bool>& keep) {
  Slice crop{Ints(access.axes.size(), 0), extents_of(access), Ints(access.axes.size(), 1)};
  std::vector<Axis> axes;
  for (std::size_t i = 0; i < access.axes.size(); ++i) {
    const Axis& axis = access.axes[i];
    const auto digits = digits_of(axis, loops);
    if (!digits || leaves_base(axis, loops) || (i < keep.size() && keep[i])) {
      axes.push_back(axis);
      continue;
    }
    crop.starts[i] = axis.constant;
    crop.extents[i] = 1;
    if (!digits->empty()) crop.steps[i] = axis.step((*digits)[0]);
    for (auto loop = digits->rbegin(); loop != digits->rend(); ++loop) {
      Axis plain = plain_axis(*loop, loops[*loop].extent);
      plain.origin = axis.origin;
      crop.extents[i] *= plain.extent;
      axes.push_back(std::move(plain));
    }
  }
  access.base = emit.slice(shaped(emit, access), crop);
  access.axes = std::move(axes);
  access.base = shaped(emit, access);
}

namespace {

struct Skew {
  std::size_t axis;      // moved by both loops
  std::size_t own;       // the loop of this axis alone
  std::size_t shared;    // the loop that says by how much
  std::size_t selector;  // the axis that reads the shared loop and nothing else
};

constexpr std::size_t kNone = ~std::size_t{0};

bool reads_whole(const Axis& axis, std::size_t loop, const std::vector<Loop>& loops) {
  return axis.loops() == std::vector<std::size_t>{loop} && axis.step(loop) == 1 &&
         axis.constant == 0 && axis.low == 0 && axis.high == axis.extent &&
         axis.extent == loops[loop].extent;
}

std::optional<Skew> skew_of(const Access& access, std::size_t i, const std::vector<Loop>& loops,
                            bool pad_too) {
  const Axis& axis = access.axes[i];
  const std::vector<std::size_t> own = axis.loops();
  const auto moves_alone = [&](std::size_t loop) {
    return access.users(loop) == 1 && axis.step(loop) > 0;
  };
  if (own.size() == 1 && pad_too && moves_alone(own[0]) && leaves_base(axis, loops)) {
    return Skew{i, own[0], kNone, kNone};
  }
  if (own.size() != 2) return std::nullopt;
  for (const std::size_t shared : own) {
    const std::size_t other = own[0] == shared ? own[1] : own[0];
    if (!moves_alone(other)) continue;
    for (std::size_t j = 0; j < access.axes.size(); ++j) {
      if (j != i && reads_whole(access.axes[j], shared, loops)) return Skew{i, other, shared, j};
    }
  }
  return std::nullopt;
}

// The base, cut to what is valid and padded to what is read, and where its first element then is.
std::pair<Value, std::int64_t> covered(Emitter& emit, const std::vector<Loop>& loops,
                                       const Access& access, std::size_t i) {
  const Axis& axis = access.axes[i];
  const Reach reach = reach_of(axis, loops);
  const std::size_t rank = access.axes.size();
  Slice valid{Ints(rank, 0), extents_of(access), Ints(rank, 1)};
  valid.starts[i] = axis.low;
  valid.extents[i] = axis.high - axis.low;
  Pad pad{PadMode::Constant, Ints(2 * rank, 0), access.fill.value_or(0)};
  pad.pads[i] = std::max<std::int64_t>(axis.low - reach.low, 0);
  pad.pads[i + rank] = std::max<std::int64_t>(reach.high + 1 - axis.high, 0);
  Value base = emit.slice(shaped(emit, access), valid);
  if (pad.pads[i] + pad.pads[i + rank] != 0) base = emit.add(pad, {base});
  return {base, axis.low - pad.pads[i]};
}

}  // namespace

void straighten(Emitter& emit, const std::vector<Loop>& loops, Access& access, bool pad_too) {
  for (std::size_t i = 0; i < access.axes.size(); ++i) {
    const auto skew = skew_of(access, i, loops, pad_too);
    if (!skew) continue;
    const auto [base, origin] = covered(emit, loops, access, i);
    const Axis& axis = access.axes[i];
    const bool shifts = skew->shared != kNone;
    std::vector<Value> pieces;
    for (std::int64_t turn = 0; turn < (shifts ? loops[skew->shared].extent : 1); ++turn) {
      const std::size_t rank = access.axes.size();
      Slice piece{Ints(rank, 0), emit.type(base).dims, Ints(rank, 1)};
      piece.starts[i] = axis.constant - origin;
      piece.extents[i] = loops[skew->own].extent;
      piece.steps[i] = axis.step(skew->own);
      if (shifts) {
        piece.starts[i] += turn * axis.step(skew->shared);
        piece.starts[skew->selector] = turn;
        piece.extents[skew->selector] = 1;
      }
      pieces.push_back(emit.slice(base, piece));
    }
    access.base =
        shifts ? emit.add(Concat{static_cast<std::int64_t>(skew->selector)}, pieces) : pieces[0];
    access.axes[i] = plain_axis(skew->own, loops[skew->own].extent);
    if (shifts) emit.note("shift");
  }
}

bool all_plain(const Access& access, const std::vector<Loop>& loops) {
  return std::all_of(access.axes.begin(), access.axes.end(),
                     [&](const Axis& axis) { return is_plain(access, axis, loops); });
}

}  // namespace cambium::model::recognition
