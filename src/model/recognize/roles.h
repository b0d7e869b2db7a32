// Roles: what each axis of the data is in a contraction: read whole by one loop, or a window
// (stride * o + dilation * k + constant, o stays and k is summed). Convolutions, products and
// pooling are told apart by these alone.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "model/recognize/emitter.h"

namespace cambium::model::recognition {

struct Role {
  std::size_t loop = 0;  // the loop that reads the axis, or that the window moves by
  bool window = false;
  std::optional<std::size_t> kernel;  // the summed loop of the window; none: a window of one
  std::int64_t stride = 1, dilation = 1;
};

struct Roles {
  Access x;                 // every axis has its role
  std::vector<Role> roles;  // parallel to x.axes
  // Loops made here: the result is computed for every place of an axis, and read as this axis says.
  // So a window over several loops is not unfolded: Z[h'] is computed once and read at h + a.
  std::map<std::size_t, Axis> deferred;

  bool has_window() const;
};

// `summed` by loop: what this step sums. `other`: the second operand, if there is one; a loop that
// it reads cannot be the moving loop of a window. May add loops, and nodes that crop and shift.
// Nothing if an axis is none of the above.
std::optional<Roles> assign_roles(Emitter& emit, std::vector<Loop>& loops, Access x,
                                  const std::vector<bool>& summed, const Access* other);

// A window as the attributes of Conv and Pool see it.
struct Window {
  std::int64_t start = 0, extent = 1;  // what of the axis is read
  std::int64_t kernel = 1, stride = 1, dilation = 1, before = 0, after = 0;
};
std::optional<Window> window_of(const Axis& axis, const Role& role, const std::vector<Loop>& loops);

// The data brought into the form [batch, channels, space ...] of Conv and Pool.
struct Arranged {
  Value x;
  std::vector<Window> windows;                      // one per axis of space
  std::vector<std::size_t> batch, channels;         // loops, slowest first
  std::vector<std::vector<std::size_t>> space;      // loops of each axis of space
  std::vector<std::optional<std::size_t>> kernels;  // the summed loop of each axis of space
};
// `channels`: the loops that become channels, in that order. Nothing where there are more than
// three windows or a window reads nothing of the base.
std::optional<Arranged> arrange(Emitter& emit, const std::vector<Loop>& loops, const Roles& roles,
                                const std::vector<std::size_t>& channels);

std::int64_t extent_of(const std::vector<std::size_t>& own, const std::vector<Loop>& loops);
bool contains(const std::vector<std::size_t>& own, std::size_t loop);

// The axes of a result whose base has one axis for each of these loops.
std::vector<Axis> result_axes(const std::vector<std::size_t>& own, const std::vector<Loop>& loops,
                              const Roles& roles);

}  // namespace cambium::model::recognition
