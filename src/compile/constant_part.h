// Splits a scheduled program in two: what depends on constants alone (weights packed into the order
// in which the code reads them, changes of layout) is a load program, run once; the rest is the run
// program, for which the buffers between the two are constants. Only whole statements at the root
// move: what a schedule has put inside a loop is computed there because it wants it there.
#pragma once

#include <optional>
#include <vector>

#include "program/context.h"

namespace cambium::compile {

// What stands behind a parameter: one of the program that was split, or a packed buffer.
struct Source {
  bool packed = false;
  std::size_t index = 0;  // of the parameter of the whole program, or of the packed buffer

  friend bool operator==(const Source&, const Source&) = default;
};

struct ConstantPart {
  std::optional<program::Program> load;  // constants -> packed buffers; nothing: there are none
  std::vector<Source> load_parameters;
  program::Program run;
  std::vector<Source> run_parameters;  // constants that it no longer reads are gone
  std::size_t packed = 0;              // how many buffers stand between
};

ConstantPart split_constant_part(program::Context& cx, const program::Program& program);

}  // namespace cambium::compile
