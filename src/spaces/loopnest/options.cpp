#include "spaces/loopnest/options.h"

#include <cstdint>

namespace cambium::spaces::loopnest {

schedule::MoveLimits LoopNestOptions::limits() const {
  schedule::MoveLimits limits;
  limits.most_factor = most_factor;
  limits.narrows_outputs = outputs && !is_tied();
  limits.slabs = slabs;
  limits.space = rows;
  limits.separates = separate;
  limits.interleaves = interleave;
  return limits;
}

Settings settings_of(LoopNestOptions& options) {
  Settings settings("the loopnest space");
  settings
      .whole("most-factor", options.most_factor, 2, 1024,
             "largest factor of a bottleneck, slabs or groups")
      .whole("steps", options.steps, 1, 8, "most neural steps of one document")
      .real("original", options.original, 0, 1, "share of layers that a sample leaves unchanged")
      .yes_no("outputs", options.outputs,
              "also compute fewer output channels, if every reader can take fewer")
      .yes_no("slabs", options.slabs,
              "also divide rows into slabs with weights or channels of their own")
      .yes_no("rows", options.rows, "also skip rows and columns of the output")
      .yes_no("separate", options.separate, "also separate one nest into two")
      .yes_no("interleave", options.interleave,
              "also make interleaved groups, of every G-th channel")
      .yes_no("published", options.published,
              "give each layer of a sample one of the paper's sequences instead of random steps")
      .name("tie", options.tie, "none, shape or stage", "layers that share one document")
      .whole("list-steps", options.list_steps, 1, 4,
             "most neural steps of one document in lists and in options by layer")
      .whole("most-options", options.most_options, 1, 100000, "most options of one layer");
  return settings;
}

Status check_options(const LoopNestOptions& options) {
  if (options.tie == "none" || options.tie == "shape" || options.tie == "stage") return Ok{};
  return Rejection(Reason::BadOption, "tie", "expected none, shape or stage");
}

}  // namespace cambium::spaces::loopnest
