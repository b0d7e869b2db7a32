// Roles: how a contraction uses each axis of the data: read whole by one loop, or read as a window
// (stride * o + dilation * k + constant, where o stays and k is summed). Only roles tell
// convolutions, products and poolings apart.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "model/recognize/emitter.h"

namespace cambium::model::recognition {

struct Role {
  std::size_t loop = 0;  // the loop that reads the axis or moves the window
  bool window = false;
  std::optional<std::size_t> kernel;  // the summed loop of the window; none: a window of size one
  std::int64_t stride = 1, dilation = 1;
};

struct Roles {
  Access x;                 // every axis has a role
  std::vector<Role> roles;  // parallel to x.axes
  // Loops added here: the result is computed for every position of an axis and then read as this
  // axis says. A window over several loops therefore need not be unfolded: Z[h'] is computed once
  // and read at h + a.
  std::map<std::size_t, Axis> deferred;

  bool has_window() const;
};

// `summed` by loop: the loops that this step sums. `other`: the second operand, if any; loops that
// it reads cannot move a window. May add loops, and nodes that crop and shift. Returns nothing if
// an axis has neither role.
std::optional<Roles> assign_roles(Emitter& emit, std::vector<Loop>& loops, Access x,
                                  const std::vector<bool>& summed, const Access* other);

// A window as attributes of Conv and Pool.
struct Window {
  std::int64_t start = 0, extent = 1;  // the part of the axis that is read
  std::int64_t kernel = 1, stride = 1, dilation = 1, before = 0, after = 0;
};
std::optional<Window> window_of(const Axis& axis, const Role& role, const std::vector<Loop>& loops);

// The data in the form [batch, channels, space ...] of Conv and Pool.
struct Arranged {
  Value x;
  std::vector<Window> windows;                      // one per axis of space
  std::vector<std::size_t> batch, channels;         // loops, slowest first
  std::vector<std::vector<std::size_t>> space;      // loops of each axis of space
  std::vector<std::optional<std::size_t>> kernels;  // the summed loop of each axis of space
};
// `channels`: the loops that become channels, in that order. Returns nothing for more than three
// windows, or if a window reads nothing of the base.
std::optional<Arranged> arrange(Emitter& emit, const std::vector<Loop>& loops, const Roles& roles,
                                const std::vector<std::size_t>& channels);

std::int64_t extent_of(const std::vector<std::size_t>& own, const std::vector<Loop>& loops);
bool contains(const std::vector<std::size_t>& own, std::size_t loop);

// The axes of a result whose base has one axis for each of these loops.
std::vector<Axis> result_axes(const std::vector<std::size_t>& own, const std::vector<Loop>& loops,
                              const Roles& roles);

}  // namespace cambium::model::recognition
