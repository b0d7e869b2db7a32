// Scope: the loops around the place where code is being emitted. It knows the value of each axis
// there: a number in an unrolled copy, the variable of a running loop, or the lanes of a vector. It
// computes each index expression once, in the outermost loop that knows all variables of the
// expression.
#pragma once

#include <map>
#include <unordered_map>
#include <vector>

#include "codegen/llvm/ops.h"
#include "expr/linear.h"
#include "program/context.h"

namespace cambium::codegen {

using expr::Expr;

// The position of an access in its buffer, in elements: a sum of terms that are the same in all
// lanes, a number, and what lanes add to it.
struct Position {
  struct Term {
    std::int64_t factor;
    Expr atom;
    std::size_t level;
  };
  std::vector<Term> terms;  // by level
  std::int64_t number = 0;
  std::vector<std::int64_t> lanes;  // the offset of each lane; empty: no lane differs
  Expr varying = nullptr;           // the offset of the lanes if it is not a constant

  bool is_uniform() const { return lanes.empty() && varying == nullptr; }
  bool is_constant() const { return terms.empty() && varying == nullptr; }
  bool is_contiguous() const;
};

class Scope {
 public:
  Scope(program::Context& cx, Ops& ops) : cx_(cx), ops_(ops) {}

  // The levels: number 0 is the function, each running loop adds one. Code that belongs to a level
  // goes before `head`.
  void enter(llvm::Instruction* head) { frame_.levels.push_back({head, {}}); }
  void leave() { frame_.levels.pop_back(); }

  // Sets the value of an axis. `bind` makes it a variable of the innermost level.
  void bind(Expr axis, Value* value) { frame_.axes[axis] = {value, frame_.levels.size() - 1}; }
  void unbind(Expr axis) { frame_.axes.erase(axis); }
  void replace(Expr axis, Expr by);
  void restore(Expr axis);
  void set_lanes(Expr axis, std::int64_t lanes);  // nullptr: none
  Expr lane_axis() const { return lane_axis_; }
  std::int64_t lanes() const { return lanes_; }
  bool has_lanes(Expr e) const;  // whether the lanes differ in it

  // An expression over the loops as it is here, simplified.
  Expr here(Expr e);
  // Its value: i64, or i1 of a predicate; a vector if the lanes differ in it.
  Value* value(Expr e);
  Position position(Expr flat);
  // The address of the terms of a place (without its number), counting from `base`.
  Value* pointer(Value* base, const Position& position, std::int64_t element_bytes);

  // The running loops, outermost first. They can be left, to emit a separate function, and
  // restored.
  struct Bound {
    Value* value;
    std::size_t level;
  };
  struct Level {
    llvm::Instruction* head;
    std::map<std::vector<std::uint64_t>, Value*> known;
  };
  struct Frame {
    std::vector<Level> levels;
    std::unordered_map<Expr, Bound> axes;
  };
  Frame& frame() { return frame_; }

 private:
  struct LaneParts {       // of an expression in which the lanes differ
    bool is_number;        // what they add
    Expr first = nullptr;  // in lane 0
    std::vector<std::int64_t> added;
  };

  std::size_t level_of(Expr e) const;
  Value* scalar(Expr e);
  Value* vector(Expr e, unsigned bits);
  Value* compute(Expr e, Value* x, Value* y);
  Value* divide(Expr e, Value* x);
  const LaneParts& lane_parts(Expr e);

  program::Context& cx_;
  Ops& ops_;
  Frame frame_;
  std::unordered_map<Expr, Expr> replaced_;
  std::unordered_map<Expr, Expr> here_;  // what is known under these replacements
  std::unordered_map<Expr, LaneParts> lane_parts_;
  Expr lane_axis_ = nullptr;
  std::int64_t lanes_ = 1;
};

}  // namespace cambium::codegen
