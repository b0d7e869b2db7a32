#include "model/recognize/product.h"

#include <algorithm>

#include <fmt/core.h>

#include "model/recognize/roles.h"

namespace cambium::model::recognition {

namespace {

using Loops = std::vector<std::size_t>;

// Loops of the two operands by what they are in a product.
struct Parts {
  Loops batch;    // in both, stay
  Loops rows;     // in the data only, stay
  Loops columns;  // in the weight only, stay
  Loops depth;    // in both, summed; without the loops of windows
};

Loops joined(std::initializer_list<const Loops*> lists) {
  Loops out;
  for (const Loops* list : lists) out.insert(out.end(), list->begin(), list->end());
  return out;
}

// Nothing if one of the operands is summed over a loop of its own.
std::optional<Parts> parts_of(const Roles& roles, const Access& w, const std::vector<bool>& summed,
                              const Loops& output) {
  const auto sums = [&](std::size_t loop) { return loop < summed.size() && summed[loop]; };
  Parts parts;
  Loops of_x;
  for (const Role& role : roles.roles) {
    of_x.push_back(role.loop);
    if (role.kernel) {
      if (!w.uses(*role.kernel)) return std::nullopt;
      of_x.push_back(*role.kernel);
    }
    if (role.window) continue;
    const bool shared = w.uses(role.loop);
    if (sums(role.loop)) {
      if (!shared) return std::nullopt;
      parts.depth.push_back(role.loop);
    } else {
      (shared ? parts.batch : parts.rows).push_back(role.loop);
    }
  }
  for (const Axis& axis : w.axes) {
    const std::size_t loop = axis.loops()[0];
    if (contains(of_x, loop)) continue;
    if (sums(loop)) return std::nullopt;
    parts.columns.push_back(loop);
  }
  // In the order of the result: rearranging a weight is cheaper than rearranging what it makes.
  const auto place = [&](std::size_t loop) {
    return std::find(output.begin(), output.end(), loop) - output.begin();
  };
  std::stable_sort(parts.columns.begin(), parts.columns.end(),
                   [&](std::size_t a, std::size_t b) { return place(a) < place(b); });
  return parts;
}

// The base of a plain access with its axes in the order of these loops, merged to `dims`.
Value laid_out(Emitter& emit, const Access& access, const Loops& order, const Ints& dims) {
  std::vector<std::size_t> perm;
  for (const std::size_t loop : order) {
    for (std::size_t i = 0; i < access.axes.size(); ++i) {
      if (access.axes[i].step(loop) != 0) perm.push_back(i);
    }
  }
  return emit.reshape(emit.transpose(shaped(emit, access), perm), dims);
}

Access result(Emitter& emit, Value value, const Loops& order, const std::vector<Loop>& loops,
              const Roles& roles) {
  Access out{value, result_axes(order, loops, roles), roles.x.fill};
  Ints dims;
  for (const std::size_t loop : order) dims.push_back(loops[loop].extent);
  out.base = emit.reshape(value, dims);
  return out;
}

std::string describe(const Conv& conv, const Ints& kernel, std::int64_t channels) {
  std::string out = conv.groups == 1          ? "conv"
                    : conv.groups == channels ? "depthwise conv"
                                              : "grouped conv";
  std::string size;
  for (const std::int64_t k : kernel) size += fmt::format("{}{}", size.empty() ? "" : "x", k);
  out += " " + size;
  const auto differs = [](std::int64_t value) { return value != 1; };
  if (std::any_of(conv.strides.begin(), conv.strides.end(), differs)) out += " strided";
  if (std::any_of(conv.dilations.begin(), conv.dilations.end(), differs)) out += " dilated";
  return out;
}

std::optional<Access> convolve(Emitter& emit, const std::vector<Loop>& loops, const Roles& roles,
                               const Access& w, const Parts& parts) {
  const auto arranged = arrange(emit, loops, roles, joined({&parts.batch, &parts.depth}));
  if (!arranged) return std::nullopt;
  const std::size_t axes = arranged->windows.size();
  Conv conv{Ints(axes, 1), Ints(2 * axes, 0), Ints(axes, 1), extent_of(parts.batch, loops)};
  Ints kernel;
  Loops kernels;
  for (std::size_t i = 0; i < axes; ++i) {
    const Window& window = arranged->windows[i];
    conv.strides[i] = window.stride;
    conv.dilations[i] = window.dilation;
    conv.pads[i] = window.before;
    conv.pads[i + axes] = window.after;
    kernel.push_back(window.kernel);
    if (arranged->kernels[i]) kernels.push_back(*arranged->kernels[i]);
  }
  Ints dims = {extent_of(parts.batch, loops) * extent_of(parts.columns, loops),
               extent_of(parts.depth, loops)};
  dims.insert(dims.end(), kernel.begin(), kernel.end());
  const Value weight =
      laid_out(emit, w, joined({&parts.batch, &parts.columns, &parts.depth, &kernels}), dims);
  emit.note(describe(conv, kernel, extent_of(arranged->channels, loops)));
  const Value y = emit.add(conv, {arranged->x, weight});
  Loops order = joined({&arranged->batch, &parts.batch, &parts.columns});
  for (const Loops& own : arranged->space) order.insert(order.end(), own.begin(), own.end());
  return result(emit, y, order, loops, roles);
}

Access multiply(Emitter& emit, const std::vector<Loop>& loops, const Roles& roles, const Access& w,
                const Parts& parts, const Loops& output) {
  const std::int64_t rows = extent_of(parts.rows, loops), depth = extent_of(parts.depth, loops);
  const std::int64_t columns = extent_of(parts.columns, loops);
  Ints batch;
  for (const std::size_t loop : parts.batch) batch.push_back(loops[loop].extent);
  const auto dims = [&](std::int64_t a, std::int64_t b) {
    Ints out = batch;
    out.push_back(a);
    out.push_back(b);
    return out;
  };
  const auto first = [&](const Loops& own) {
    std::size_t place = output.size();
    for (std::size_t i = output.size(); i-- > 0;) {
      if (contains(own, output[i])) place = i;
    }
    return place;
  };
  emit.note(batch.empty() ? "matmul" : "batched matmul");
  if (first(parts.columns) < first(parts.rows)) {  // the product of the transposes
    const Value a = laid_out(emit, w, joined({&parts.batch, &parts.columns, &parts.depth}),
                             dims(columns, depth));
    const Value b = laid_out(emit, roles.x, joined({&parts.batch, &parts.depth, &parts.rows}),
                             dims(depth, rows));
    return result(emit, emit.add(MatMul{}, {a, b}),
                  joined({&parts.batch, &parts.columns, &parts.rows}), loops, roles);
  }
  const Value a =
      laid_out(emit, roles.x, joined({&parts.batch, &parts.rows, &parts.depth}), dims(rows, depth));
  const Value b =
      laid_out(emit, w, joined({&parts.batch, &parts.depth, &parts.columns}), dims(depth, columns));
  return result(emit, emit.add(MatMul{}, {a, b}),
                joined({&parts.batch, &parts.rows, &parts.columns}), loops, roles);
}

// Whether data that stands as [.., depth, rows] is better off as a convolution with a kernel of 1:
// a matrix product would have to transpose it.
bool rows_follow_depth(const Roles& roles, const Parts& parts) {
  const std::size_t last = roles.roles.back().loop;
  return contains(parts.rows, last);
}

std::optional<Access> contract_as(Emitter& emit, Nest& nest, const Access& data,
                                  const Access& weight, const std::vector<bool>& summed) {
  Access w = weight;
  settle(emit, nest.loops, w);
  if (!all_plain(w, nest.loops)) return std::nullopt;
  const auto roles = assign_roles(emit, nest.loops, data, summed, &w);
  if (!roles) return std::nullopt;
  const auto parts = parts_of(*roles, w, summed, nest.output);
  if (!parts) return std::nullopt;
  const bool constant = emit.is_constant(w.base);
  if (roles->has_window()) {
    if (!constant) return std::nullopt;
    return convolve(emit, nest.loops, *roles, w, *parts);
  }
  if (parts->depth.empty() || (parts->rows.empty() && parts->columns.empty())) return std::nullopt;
  if (constant && !emit.is_constant(roles->x.base) && rows_follow_depth(*roles, *parts)) {
    return convolve(emit, nest.loops, *roles, w, *parts);
  }
  return multiply(emit, nest.loops, *roles, w, *parts, nest.output);
}

}  // namespace

std::optional<Access> contract(Emitter& emit, Nest& nest, std::size_t left, std::size_t right) {
  std::vector<bool> summed(nest.loops.size());
  for (std::size_t l = 0; l < nest.loops.size(); ++l) {
    summed[l] = nest.loops[l].reduced;
    for (std::size_t i = 0; i < nest.operands.size(); ++i) {
      if (i != left && i != right && nest.operands[i].uses(l)) summed[l] = false;
    }
  }
  const Access &a = nest.operands[left], &b = nest.operands[right];
  const bool swap = emit.is_constant(a.base) && !emit.is_constant(b.base);
  const std::vector<Loop> before = nest.loops;
  Emitter attempt = emit;
  if (auto done = contract_as(attempt, nest, swap ? b : a, swap ? a : b, summed)) {
    emit = attempt;
    return done;
  }
  nest.loops = before;
  attempt = emit;
  auto done = contract_as(attempt, nest, swap ? a : b, swap ? b : a, summed);
  if (done) emit = attempt;
  return done;
}

}  // namespace cambium::model::recognition
