// Registers: buffers that live in SSA values. A buffer is a row of slots; each slot is a vector or
// one element. Reads and writes at known positions use whole slots if possible, otherwise single
// lanes. The state is copied where control flow splits, and merged where it joins.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "codegen/llvm/ops.h"
#include "program/program.h"

namespace cambium::codegen {

class Registers {
 public:
  explicit Registers(Ops& ops) : ops_(ops) {}

  using Slots = std::vector<Value*>;
  using State = std::map<const program::Buffer*, Slots>;

  // Slots of this many lanes, holding nothing yet.
  void add(const program::Buffer* buffer, std::int64_t lanes, std::int64_t slots);
  bool has(const program::Buffer* buffer) const { return lanes_.contains(buffer); }

  // `at`: the positions of the elements, one per lane; one position is read as a scalar.
  Value* read(const program::Buffer* buffer, std::span<const std::int64_t> at);
  void write(const program::Buffer* buffer, std::span<const std::int64_t> at, Value* value);

  State& state() { return state_; }
  // Merges the values where two branches join: `one` comes from block a, the current state from
  // block b.
  void merge(const State& one, BasicBlock* a, BasicBlock* b);

 private:
  Value* across_slots(const Slots& slots, std::int64_t lanes, std::span<const std::int64_t> at);

  Ops& ops_;
  std::map<const program::Buffer*, std::int64_t> lanes_;
  State state_;
};

}  // namespace cambium::codegen
