// The result of a transformation. Transformations are plain structs with fields, listed in
// schedule/trace/steps.h. They name loops, blocks and buffers, so a step is data that prints,
// parses and replays. Each step checks everything first. Programs are immutable, so a refusal
// changes nothing. Loops, blocks and buffers that a step does not mention keep their names.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/fields.h"
#include "base/result.h"
#include "program/context.h"
#include "program/program.h"

namespace cambium::schedule {

using program::Context;
using program::Program;
using Ints = std::vector<std::int64_t>;
using Names = std::vector<std::string>;

struct Applied {
  Program program;
  Names made;  // names of the new loops, blocks and buffers, in the order that the step documents
};

// How the interface changed: dimension `axis` of parameter `buffer`; `before` is 0 for a new
// parameter.
struct InterfaceChange {
  std::string buffer;
  std::int64_t axis;
  std::int64_t before, after;

  friend bool operator==(const InterfaceChange&, const InterfaceChange&) = default;
};

// Neural steps change the function, preserving steps never do. They have different result types, so
// they cannot be confused.
struct NeuralApplied {
  Program program;
  Names made;
  std::vector<InterfaceChange> changes;
};

}  // namespace cambium::schedule
