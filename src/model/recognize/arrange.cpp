// How the axes of the data are laid out for Conv and Pool.
#include <algorithm>

#include "model/recognize/roles.h"

namespace cambium::model::recognition {

namespace {

using Positions = std::vector<std::size_t>;

constexpr std::size_t kMostWindows = 3;  // nobody has a convolution of more axes

// Groups of positions that become one axis of space each: every window, and axes behind the
// channels that are left alone, as long as the convolution stays two-dimensional.
std::vector<Positions> space_groups(const Roles& roles, const std::vector<std::size_t>& channels,
                                    const std::vector<Loop>& loops) {
  const std::size_t count = roles.roles.size();
  std::size_t anchor = 0, windows = 0;
  bool anchored = false;
  for (std::size_t i = 0; i < count; ++i) {
    windows += roles.roles[i].window ? 1 : 0;
    if (!roles.roles[i].window && contains(channels, roles.roles[i].loop))
      anchor = i, anchored = true;
  }
  for (std::size_t i = 0; i < count && !anchored; ++i) {
    if (roles.roles[i].window) anchor = i, anchored = true;
  }
  std::vector<Positions> groups;
  bool open = false;
  for (std::size_t i = 0; i < count; ++i) {
    const Role& role = roles.roles[i];
    const bool alone = !role.window && !contains(channels, role.loop) && i > anchor;
    if (role.window) groups.push_back({i});
    if (alone) {
      if (!open) groups.emplace_back();
      groups.back().push_back(i);
    }
    open = alone;
  }
  const auto size_of = [&](const Positions& group) {
    std::int64_t size = 1;
    for (const std::size_t i : group) size *= loops[roles.roles[i].loop].extent;
    return roles.roles[group[0]].window ? std::int64_t{0} : size;
  };
  if (windows == 0 && groups.size() == 1 && groups[0].size() > 1) {
    groups.push_back({groups[0].back()});  // height and width stay two axes
    groups[0].pop_back();
  }
  while (groups.size() > std::max<std::size_t>(windows, 2)) {
    // The smallest group that is no window goes to the batch.
    auto smallest = groups.end();
    for (auto group = groups.begin(); group != groups.end(); ++group) {
      if (size_of(*group) == 0) continue;
      if (smallest == groups.end() || size_of(*group) < size_of(*smallest)) smallest = group;
    }
    groups.erase(smallest);
  }
  return groups;
}

}  // namespace

std::optional<Arranged> arrange(Emitter& emit, const std::vector<Loop>& loops, const Roles& roles,
                                const std::vector<std::size_t>& channels) {
  const std::vector<Positions> groups = space_groups(roles, channels, loops);
  if (groups.empty() || groups.size() > kMostWindows) return std::nullopt;
  Arranged out;
  out.channels = channels;
  Slice crop{Ints(roles.roles.size(), 0), extents_of(roles.x), Ints(roles.roles.size(), 1)};
  Ints dims = {1, extent_of(channels, loops)};
  std::vector<std::size_t> perm;
  std::vector<bool> taken(roles.roles.size(), false);
  for (const Positions& group : groups) {
    Window window;
    std::vector<std::size_t> own;
    for (const std::size_t i : group) {
      taken[i] = true;
      own.push_back(roles.roles[i].loop);
    }
    window.extent = extent_of(own, loops);
    const Role& role = roles.roles[group[0]];
    if (role.window) {
      const auto found = window_of(roles.x.axes[group[0]], role, loops);
      if (!found) return std::nullopt;
      window = *found;
      crop.starts[group[0]] = window.start;
      crop.extents[group[0]] = window.extent;
    }
    dims.push_back(window.extent);
    out.windows.push_back(window);
    out.space.push_back(std::move(own));
    out.kernels.push_back(role.window ? role.kernel : std::nullopt);
  }
  for (std::size_t i = 0; i < roles.roles.size(); ++i) {
    if (taken[i] || contains(channels, roles.roles[i].loop)) continue;
    perm.push_back(i);
    out.batch.push_back(roles.roles[i].loop);
  }
  dims[0] = extent_of(out.batch, loops);
  for (const std::size_t channel : channels) {
    for (std::size_t i = 0; i < roles.roles.size(); ++i) {
      if (!roles.roles[i].window && roles.roles[i].loop == channel) perm.push_back(i);
    }
  }
  for (const Positions& group : groups) perm.insert(perm.end(), group.begin(), group.end());
  out.x = emit.slice(shaped(emit, roles.x), crop);
  out.x = emit.reshape(emit.transpose(out.x, perm), dims);
  return out;
}

}  // namespace cambium::model::recognition
