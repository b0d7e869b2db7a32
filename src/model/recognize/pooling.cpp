#include "model/recognize/pooling.h"

#include <algorithm>

#include <fmt/core.h>

#include "model/recognize/roles.h"

namespace cambium::model::recognition {

namespace {

// Axes that are summed whole.
void reduce_whole(Emitter& emit, Roles& roles, const std::vector<bool>& summed, ReduceFn fn) {
  Reduce op{fn, {}, false};
  Roles left{{roles.x.base, {}, roles.x.fill}, {}, std::move(roles.deferred)};
  for (std::size_t i = 0; i < roles.roles.size(); ++i) {
    const Role& role = roles.roles[i];
    if (!role.window && role.loop < summed.size() && summed[role.loop]) {
      op.axes.push_back(static_cast<std::int64_t>(i));
    } else {
      left.x.axes.push_back(roles.x.axes[i]);
      left.roles.push_back(role);
    }
  }
  if (!op.axes.empty()) {
    emit.note(fmt::format("reduce {}", name_of(fn)));
    left.x.base = emit.add(op, {shaped(emit, roles.x)});
  }
  roles = std::move(left);
}

std::optional<Access> pool(Emitter& emit, const std::vector<Loop>& loops, const Roles& roles,
                           ReduceFn fn) {
  std::vector<std::size_t> channels;  // the axis before the first window, as in [N, C, H, W]
  for (const Role& role : roles.roles) {
    if (role.window) break;
    channels = {role.loop};
  }
  const auto arranged = arrange(emit, loops, roles, channels);
  if (!arranged) return std::nullopt;
  const std::size_t axes = arranged->windows.size();
  Pool op;
  op.fn = fn == ReduceFn::Max ? PoolFn::Max : PoolFn::Average;
  op.count_include_pad = op.fn == PoolFn::Average;
  op.pads.assign(2 * axes, 0);
  std::int64_t count = 1;
  for (std::size_t i = 0; i < axes; ++i) {
    const Window& window = arranged->windows[i];
    op.kernel.push_back(window.kernel);
    op.strides.push_back(window.stride);
    op.dilations.push_back(window.dilation);
    op.pads[i] = window.before;
    op.pads[i + axes] = window.after;
    count *= window.kernel;
    // Libraries refuse the first and lack the second.
    if (std::max(window.before, window.after) > window.kernel / 2) return std::nullopt;
    if (window.dilation != 1 && op.fn == PoolFn::Average) return std::nullopt;
  }
  emit.note(op.fn == PoolFn::Max ? "max pool" : "average pool");
  Value y = emit.add(op, {arranged->x});
  if (fn == ReduceFn::Sum) y = emit.scale(y, static_cast<double>(count));
  std::vector<std::size_t> order = arranged->batch;
  order.insert(order.end(), channels.begin(), channels.end());
  for (const auto& own : arranged->space) order.insert(order.end(), own.begin(), own.end());
  Access out{y, result_axes(order, loops, roles), roles.x.fill};
  Ints dims;
  for (const std::size_t loop : order) dims.push_back(loops[loop].extent);
  out.base = emit.reshape(y, dims);
  return out;
}

}  // namespace

std::optional<Access> reduce(Emitter& emit, std::vector<Loop>& loops, const Access& access,
                             const std::vector<bool>& summed, ReduceFn fn) {
  auto roles = assign_roles(emit, loops, access, summed, nullptr);
  if (!roles) return std::nullopt;
  reduce_whole(emit, *roles, summed, fn);
  if (roles->has_window()) return pool(emit, loops, *roles, fn);
  std::vector<std::size_t> order;
  for (const Role& role : roles->roles) order.push_back(role.loop);
  return Access{roles->x.base, result_axes(order, loops, *roles), roles->x.fill};
}

}  // namespace cambium::model::recognition
