// What a search over the loop-nest space may propose: plain numbers. Refuses (BadOption) values out
// of range and an unknown way to tie layers.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "base/settings.h"
#include "schedule/recipe/moves.h"

namespace cambium::spaces::loopnest {

struct LoopNestOptions {
  // The allowed moves (schedule/recipe/moves.h).
  std::int64_t most_factor = 8;
  bool outputs = true, slabs = true, rows = true, separate = true, interleave = true;

  int steps = 4;          // most neural steps of one document
  double original = 0.5;  // share of layers that a sample leaves unchanged
  // A sample gives every layer one of the paper's sequences at random, and no other document.
  bool published = false;
  // Layers that get one document together: "none", those of one "shape", or those of one "stage"
  // (equal kernel, stride, groups and rows). Tied layers keep their numbers of channels.
  std::string tie = "none";

  // Limits of lists and of options by layer.
  int list_steps = 2;
  std::int64_t most_options = 200;  // of a layer

  bool is_tied() const { return tie != "none"; }
  schedule::MoveLimits limits() const;
};

// By name. `options` must outlive it.
Settings settings_of(LoopNestOptions& options);
Status check_options(const LoopNestOptions& options);

}  // namespace cambium::spaces::loopnest
