#include "model/recognize/roles.h"

#include <algorithm>
#include <numeric>

namespace cambium::model::recognition {

namespace {

class Assigner {
 public:
  Assigner(std::vector<Loop>& loops, const std::vector<bool>& summed, const Access* other)
      : loops_(loops), summed_(summed), other_(other) {}

  bool sums(std::size_t loop) const { return loop < summed_.size() && summed_[loop]; }
  bool shared(std::size_t loop) const { return other_ != nullptr && other_->uses(loop); }

  // Strided axes behind the channels are read by the stride of a convolution; cropping them first
  // would cost a copy.
  std::vector<bool> strided(const Access& x) const {
    std::vector<bool> keep(x.axes.size(), false);
    bool behind_channels = false;
    for (std::size_t i = 0; i < x.axes.size(); ++i) {
      const std::vector<std::size_t> own = x.axes[i].loops();
      keep[i] = behind_channels && own.size() == 1 && x.axes[i].step(own[0]) > 1 && !sums(own[0]) &&
                !shared(own[0]);
      for (const std::size_t loop : own) behind_channels = behind_channels || shared(loop);
    }
    return keep;
  }

  // [.., o, k, ..] that was one axis is a window of stride k, unless all that is summed stands at
  // the end, where it is a matrix product or a plain reduction already.
  void join_patches(Access& x) const {
    bool suffix = true;
    for (std::size_t i = x.axes.size(), at_end = 1; i-- > 0;) {
      const bool is_summed = plain(x, i) && sums(x.axes[i].loops()[0]);
      if (!is_summed) at_end = 0;
      suffix = suffix && (at_end == 1 || !is_summed);
    }
    if (suffix) return;
    for (std::size_t i = 0; i + 1 < x.axes.size(); ++i) {
      if (!plain(x, i) || !plain(x, i + 1) || x.axes[i].origin != x.axes[i + 1].origin) continue;
      const std::size_t o = x.axes[i].loops()[0], k = x.axes[i + 1].loops()[0];
      if (sums(o) || shared(o) || !sums(k) || (other_ != nullptr && !shared(k))) continue;
      Axis joined{x.axes[i].extent * x.axes[i + 1].extent, 0, 0, 0, x.axes[i].origin, {}};
      joined.high = joined.extent;
      joined.set_step(o, x.axes[i + 1].extent);
      joined.set_step(k, 1);
      x.axes[i] = std::move(joined);
      x.axes.erase(x.axes.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    }
  }

  std::optional<Role> role(Roles& out, std::size_t i) {
    const std::vector<std::size_t> own = out.x.axes[i].loops();
    if (plain(out.x, i)) return Role{own[0], false, {}, 1, 1};
    std::vector<std::size_t> kernel, rest;
    for (const std::size_t loop : own) (sums(loop) ? kernel : rest).push_back(loop);
    if (rest.empty() || kernel.size() > 1) return std::nullopt;
    const bool moves = rest.size() == 1 && out.x.users(rest[0]) == 1 && !shared(rest[0]) &&
                       out.x.axes[i].step(rest[0]) > 0;
    if (kernel.empty()) {
      // Pooling has nothing to gain from a window of one.
      if (moves && other_ != nullptr) {
        return Role{rest[0], true, {}, out.x.axes[i].step(rest[0]), 1};
      }
      return Role{whole(out, i), false, {}, 1, 1};
    }
    const std::int64_t dilation = out.x.axes[i].step(kernel[0]);
    if (out.x.users(kernel[0]) != 1 || dilation < 1) return std::nullopt;
    const std::size_t by = moves ? rest[0] : rest_of(out, i, rest);
    return Role{by, true, kernel[0], out.x.axes[i].step(by), dilation};
  }

 private:
  bool plain(const Access& x, std::size_t i) const { return is_plain(x, x.axes[i], loops_); }

  std::size_t fresh(std::int64_t extent) {
    loops_.push_back({extent, false});
    return loops_.size() - 1;
  }

  // The axis is computed for every place of the base.
  std::size_t whole(Roles& out, std::size_t i) {
    const std::size_t loop = fresh(out.x.axes[i].extent);
    out.deferred[loop] = out.x.axes[i];
    out.x.axes[i] = plain_axis(loop, loops_[loop].extent);
    return loop;
  }

  // The part of the axis that is not summed becomes one loop, in the steps that it takes.
  std::size_t rest_of(Roles& out, std::size_t i, const std::vector<std::size_t>& rest) {
    Axis& axis = out.x.axes[i];
    Axis part{1, 0, 0, 1, axis.origin, {}};
    std::int64_t stride = 0;
    for (const std::size_t loop : rest) stride = std::gcd(stride, axis.step(loop));
    for (const std::size_t loop : rest) part.set_step(loop, axis.step(loop) / stride);
    const Reach reach = reach_of(part, loops_);
    part.constant = -reach.low;
    part.extent = part.high = reach.high - reach.low + 1;
    for (const std::size_t loop : rest) axis.set_step(loop, 0);
    const std::size_t loop = fresh(part.extent);
    axis.set_step(loop, stride);
    axis.constant += reach.low * stride;
    out.deferred[loop] = std::move(part);
    return loop;
  }

  std::vector<Loop>& loops_;
  const std::vector<bool>& summed_;
  const Access* other_;
};

}  // namespace

bool Roles::has_window() const {
  return std::any_of(roles.begin(), roles.end(), [](const Role& role) { return role.window; });
}

std::optional<Roles> assign_roles(Emitter& emit, std::vector<Loop>& loops, Access x,
                                  const std::vector<bool>& summed, const Access* other) {
  Assigner assign(loops, summed, other);
  settle(emit, loops, x, assign.strided(x));
  straighten(emit, loops, x);
  assign.join_patches(x);
  Roles out{std::move(x), {}, {}};
  for (std::size_t i = 0; i < out.x.axes.size(); ++i) {
    const std::optional<Role> role = assign.role(out, i);
    if (!role) return std::nullopt;
    out.roles.push_back(*role);
  }
  out.x.base = shaped(emit, out.x);
  return out;
}

std::optional<Window> window_of(const Axis& axis, const Role& role,
                                const std::vector<Loop>& loops) {
  Window w;
  w.stride = role.stride;
  w.dilation = role.dilation;
  w.kernel = role.kernel ? loops[*role.kernel].extent : 1;
  const std::int64_t offset = axis.constant - axis.low;
  w.start = axis.low + std::max<std::int64_t>(offset, 0);
  w.before = std::max<std::int64_t>(-offset, 0);
  w.extent = axis.high - w.start;
  const std::int64_t span = w.dilation * (w.kernel - 1) + 1;
  const std::int64_t places = loops[role.loop].extent;
  w.after = w.stride * (places - 1) + span - w.before - w.extent;
  if (w.after < 0) {
    // What a stride leaves over does no harm; a whole further place does.
    if ((w.before + w.extent - span) / w.stride + 1 > places) w.extent += w.after;
    w.after = 0;
  }
  if (w.extent < 1) return std::nullopt;
  return w;
}

std::int64_t extent_of(const std::vector<std::size_t>& own, const std::vector<Loop>& loops) {
  std::int64_t extent = 1;
  for (const std::size_t loop : own) extent *= loops[loop].extent;
  return extent;
}

bool contains(const std::vector<std::size_t>& own, std::size_t loop) {
  return std::find(own.begin(), own.end(), loop) != own.end();
}

std::vector<Axis> result_axes(const std::vector<std::size_t>& own, const std::vector<Loop>& loops,
                              const Roles& roles) {
  std::vector<Axis> axes;
  for (const std::size_t loop : own) {
    const auto deferred = roles.deferred.find(loop);
    axes.push_back(deferred != roles.deferred.end() ? deferred->second
                                                    : plain_axis(loop, loops[loop].extent));
  }
  return axes;
}

}  // namespace cambium::model::recognition
