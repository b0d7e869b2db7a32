// Splits a scheduled program in two. The load program computes everything that depends only on
// constants (weights packed in the order in which the code reads them, changes of layout) and runs
// once. The run program computes the rest; for it, the buffers between the two are constants. Only
// whole statements at the root move to the load program. A computation that a schedule put into a
// loop stays there.
#pragma once

#include <optional>
#include <vector>

#include "program/context.h"

namespace cambium::compile {

// The argument for a parameter: a parameter of the program that was split, or a packed buffer.
struct Source {
  bool packed = false;
  std::size_t index = 0;  // number of the parameter of the whole program, or of the packed buffer

  friend bool operator==(const Source&, const Source&) = default;
};

struct ConstantPart {
  std::optional<program::Program>
      load;  // from constants to packed buffers; nothing: there are no packed buffers
  std::vector<Source> load_parameters;
  program::Program run;
  std::vector<Source> run_parameters;  // without constants that it no longer reads
  std::size_t packed = 0;              // number of packed buffers
};

ConstantPart split_constant_part(program::Context& cx, const program::Program& program);

}  // namespace cambium::compile
