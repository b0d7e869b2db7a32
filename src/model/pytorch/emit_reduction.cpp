// Pools and reductions as PyTorch code.
#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "model/pytorch/node_text.h"

namespace cambium::model::pytorch {

namespace {

std::string spatial_suffix(const Pool& op) {
  return std::to_string(op.kernel.size()) + "d";
}

// How far windows reach beyond the input at its end, by axis: less than nothing where they leave a
// part of it out.
Ints reach(const Pool& op, const NodeText& t) {
  Ints pads(op.pads.begin(), op.pads.begin() + std::ssize(op.kernel));
  for (std::size_t i = 0; i < op.kernel.size(); ++i) {
    const std::int64_t covered =
        (t.out().dims[i + 2] - 1) * op.strides[i] + (op.kernel[i] - 1) * op.dilations[i] + 1;
    pads.push_back(covered - t.type(0).dims[i + 2] - op.pads[i]);
  }
  return pads;
}

// Whether PyTorch's own pooling can be told all this.
bool is_plain(const Pool& op) {
  const std::size_t axes = op.kernel.size();
  for (std::size_t i = 0; i < axes; ++i) {
    if (op.pads[i] != op.pads[i + axes] || 2 * op.pads[i] > op.kernel[i]) return false;
  }
  return !op.ceil_mode;
}

std::string windows(const Pool& op, bool with_pads) {
  std::string text = ", " + one_or_list(op.kernel) + ", stride=" + one_or_list(op.strides);
  const Ints pads(op.pads.begin(), op.pads.begin() + std::ssize(op.kernel));
  if (with_pads && !all_equal(pads, 0)) text += ", padding=" + one_or_list(pads);
  if (!all_equal(op.dilations, 1)) text += ", dilation=" + one_or_list(op.dilations);
  return text;
}

Text max_pool(const Pool& op, NodeText& t) {
  const std::string call = "F.max_pool" + spatial_suffix(op) + "(";
  if (is_plain(op) && !op.with_indices) return call + t.in(0) + windows(op, true) + ")";
  if (!op.with_indices) {
    const std::string padded = t.let("padded", pad_call(t.in(0), reach(op, t), number(-HUGE_VAL)));
    return call + padded + windows(op, false) + ")";
  }
  if (!is_plain(op)) return t.refusal("the indices of a pool with uneven pads or in ceil mode");
  if (op.column_major_indices) return t.refusal("column-major indices of a pool");
  // PyTorch counts within a plane, a Model over the whole tensor.
  const std::string plane =
      t.let("plane", call + t.in(0) + windows(op, true) + ", return_indices=True)");
  const Ints& dims = t.type(0).dims;
  std::int64_t elements = 1;
  Ints view{dims[0], dims[1]};
  for (std::size_t i = 2; i < dims.size(); ++i) {
    elements *= dims[i];
    view.push_back(1);
  }
  const std::string first =
      t.let("first", "torch.arange(" + std::to_string(dims[0] * dims[1]) + ", device=" + t.in(0) +
                         ".device).reshape(" + arguments(view) + ")");
  return "(" + plane + "[0], " + plane + "[1] + " + std::to_string(elements) + " * " + first + ")";
}

Text average_pool(const Pool& op, NodeText& t) {
  const std::string suffix = spatial_suffix(op);
  if (is_plain(op) && all_equal(op.dilations, 1)) {
    const bool pads = !all_equal(op.pads, 0);
    return "F.avg_pool" + suffix + "(" + t.in(0) + windows(op, true) +
           (pads && !op.count_include_pad ? ", count_include_pad=False" : "") + ")";
  }
  // Sums and counts as convolutions with ones, one channel at a time.
  const std::size_t axes = op.kernel.size();
  const Ints pads = reach(op, t);
  const Ints &in = t.type(0).dims, &out = t.out().dims;
  Ints one{1, 1}, plane{1, 1}, flat{-1, 1};
  one.insert(one.end(), op.kernel.begin(), op.kernel.end());
  plane.insert(plane.end(), in.begin() + 2, in.end());
  flat.insert(flat.end(), in.begin() + 2, in.end());
  const std::string ones = t.let("ones", t.in(0) + ".new_ones(" + arguments(one) + ")");
  const std::string convolved =
      ", " + ones + ", stride=" + one_or_list(op.strides) +
      (all_equal(op.dilations, 1) ? "" : ", dilation=" + one_or_list(op.dilations)) + ")";
  const auto sum = [&](const std::string& x) { return "F.conv" + suffix + "(" + x + convolved; };
  std::string seen = t.let("seen", t.in(0) + ".new_ones(" + arguments(plane) + ")");
  Ints rest = pads;
  if (op.count_include_pad) {
    seen = pad_call(seen, op.pads, "1.0");
    for (std::size_t i = 0; i < axes; ++i) rest[i] = 0;
    for (std::size_t i = 0; i < axes; ++i) rest[i + axes] -= op.pads[i + axes];
  }
  const std::string counts = t.let("counts", sum(pad_call(seen, rest, "")));
  const std::string sums =
      t.let("sums", sum(pad_call(t.in(0) + ".reshape(" + arguments(flat) + ")", pads, "")));
  return "(" + sums + " / " + counts + ".clamp(min=1)).reshape(" +
         arguments(t.dims_for_any_batch(out)) + ")";
}

std::string elements_for(ReduceFn fn, const std::string& x) {
  switch (fn) {
    case ReduceFn::L1: return x + ".abs()";
    case ReduceFn::L2:
    case ReduceFn::SumSquare: return x + ".square()";
    default: return x;
  }
}

std::string result_for(ReduceFn fn, const std::string& x) {
  switch (fn) {
    case ReduceFn::L2: return x + ".sqrt()";
    case ReduceFn::LogSum: return x + ".log()";
    default: return x;
  }
}

}  // namespace

Text emit(const Pool& op, NodeText& t) {
  if (op.kernel.empty() || op.kernel.size() > 3) return t.refusal("more than three axes of space");
  if (!is_floating(t.type(0).dtype)) return t.refusal("a pool of whole numbers");
  return op.fn == PoolFn::Max ? max_pool(op, t) : average_pool(op, t);
}

Text emit(const Reduce& op, NodeText& t) {
  if (op.axes.empty()) return t.in(0);
  const bool whole = !is_floating(t.type(0).dtype);
  const bool divides = op.fn == ReduceFn::Mean || op.fn == ReduceFn::L2 ||
                       op.fn == ReduceFn::LogSum || op.fn == ReduceFn::LogSumExp;
  if (whole && divides) return t.refusal("such a reduction of whole numbers");
  const std::string x = elements_for(op.fn, t.in(0));
  const std::string keep = op.keep ? ", keepdim=True" : "";
  const std::string axes =
      "dim=" + (op.axes.size() == 1 ? std::to_string(op.axes[0]) : "(" + arguments(op.axes) + ")");
  switch (op.fn) {
    case ReduceFn::Max: return x + ".amax(" + axes + keep + ")";
    case ReduceFn::Min: return x + ".amin(" + axes + keep + ")";
    case ReduceFn::Mean: return x + ".mean(" + axes + keep + ")";
    case ReduceFn::LogSumExp: return "torch.logsumexp(" + x + ", " + axes + keep + ")";
    case ReduceFn::Prod: {
      CAMBIUM_TRY(const std::string type, torch_type(t.out().dtype));
      std::string product = x;  // one axis at a time, the last one first
      for (std::size_t i = op.axes.size(); i-- > 0;) {
        product += ".prod(dim=" + std::to_string(op.axes[i]) + keep + ", dtype=" + type + ")";
      }
      return product;
    }
    default: break;
  }
  CAMBIUM_TRY(const std::string type, torch_type(t.out().dtype));
  const std::string wide = whole ? ", dtype=" + type : "";
  return result_for(op.fn, x + ".sum(" + axes + keep + wide + ")");
}

Text emit(const ArgReduce& op, NodeText& t) {
  const std::string call = std::string(op.maximum ? ".argmax(" : ".argmin(") +
                           "dim=" + std::to_string(op.axis) + (op.keep ? ", keepdim=True)" : ")");
  if (!op.last) return t.in(0) + call;
  const std::int64_t extent = t.type(0).dims[static_cast<std::size_t>(op.axis)];
  return std::to_string(extent - 1) + " - " + t.in(0) + ".flip(" + std::to_string(op.axis) + ")" +
         call;
}

}  // namespace cambium::model::pytorch
