// Decides where the locals of a program live: in registers if they are marked so, in a result if
// possible (in_place.h), otherwise in the workspace. Locals that are never alive at the same time
// share bytes there. Refuses NotInRegisters.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <vector>

#include "base/machine.h"
#include "base/result.h"
#include "codegen/codegen.h"
#include "codegen/llvm/in_place.h"
#include "program/walk.h"

namespace cambium::codegen {

// How a local lies in registers: in slots of `lanes` elements. If the length of a row is not a
// multiple of the lanes, each row is padded with unused elements, so that it starts a slot.
struct RegisterForm {
  std::int64_t lanes = 1;                // elements of one register value
  std::vector<std::int64_t> dims;        // of the local, one of them rounded up
  std::int64_t row = 1, padded_row = 1;  // elements of a row, without and with padding

  std::int64_t slots() const;
};

struct LocalHome {
  const program::Loop* loop = nullptr;  // program::home_of
  bool in_registers = false;
  bool per_worker = false;  // it lives inside a parallel loop
  std::int64_t offset = 0;  // in the shared part or in that of a worker; unused in registers
  RegisterForm form;        // in registers
  bool per_lane = false;    // it lives in one iteration of a vectorized loop
  InPlace inside;           // the result in which it lives; otherwise nothing
};

struct Locals {
  std::map<const program::Buffer*, LocalHome> homes;
  // Locals in registers whose values pass from one iteration of a loop to the next.
  std::map<const program::Loop*, std::vector<const program::Buffer*>> carried;
  // Vectorized loops that run one by one, because each iteration has memory of its own.
  std::set<const program::Loop*> one_by_one;
  Workspace workspace;
};

Result<Locals> place_locals(program::Context& cx, const program::Program& program,
                            std::span<const program::Site> sites, const Machine& machine);

// The flat position, in elements, of an access by a block, over the loops around it, in a buffer of
// these dimensions.
expr::Expr flat_position(program::Context& cx, const program::Block& block,
                         std::span<const std::int64_t> dims, std::span<const expr::Expr> indices);

// The number of lanes of each copy of a vectorized loop, in order: full vectors, then the rest.
std::vector<std::int64_t> chunks_of(std::int64_t extent, const Machine& machine);

}  // namespace cambium::codegen
