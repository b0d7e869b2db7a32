// The flat form that the interpreter runs. Indices live in *slots*: those that are linear in the
// loops are kept up to date by the loops themselves (one addition per step), the others are
// computed by instructions. Values live in *cells*. Used by the interpret_*.cpp files only.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "program/interpret.h"

namespace cambium::program {

enum class Form : std::uint8_t { F32, F64, Whole };

union Cell {
  float f;
  double d;
  std::int64_t i;
};

struct Memory {
  DType dtype;
  Form form;
  std::int64_t elements;
  void* data;             // of float, double or std::int64_t
  std::uint32_t* stamps;  // per element, the epoch in which it was written; or nullptr
  std::uint32_t epoch;    // in which the buffer currently lives
};

struct Instruction;

struct Machine {
  std::int64_t* slots;
  Cell* cells;
  Memory* memories;
  const Instruction* failed = nullptr;  // the instruction that was refused
  std::int64_t failed_value = 0;
};

// Runs and gives the next instruction; nullptr ends the instance, or all with `failed` set.
using Run = const Instruction* (*)(Machine&, const Instruction*);

struct Instruction {
  Run run;
  std::uint32_t to = 0;
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::uint32_t memory = 0;
  std::uint32_t access = 0;  // in InterpreterCode::accesses, for refusals
  std::uint32_t skip = 0;    // of jumps: how many instructions
  DType type = DType::F32;
  std::int64_t number = 0;
  double real = 0;
};

// The source of an instruction that may refuse.
struct AccessNote {
  const Block* block;
  const Buffer* buffer;
  std::vector<Expr> indices;  // over the loops; of a gather none
  bool is_write;
};

struct Step {
  std::uint32_t slot;
  std::int64_t by;  // for each iteration
};

struct Task {  // a statement
  StmtKind kind;
  // Loop
  std::int64_t extent = 0;
  bool is_parallel = false;
  std::uint32_t loop = 0;  // its number
  std::vector<Step> steps;
  std::vector<std::uint32_t> born;        // memories that lose their values in every iteration
  std::vector<Task> children;             // of a Loop and a Seq
  std::vector<Instruction> instructions;  // of a Block
};

struct InterpreterCode {
  struct Parameter {
    std::string name;
    Role role;
    std::uint32_t memory;
  };

  std::vector<Memory> memories;  // without data
  std::vector<std::string> memory_names;
  std::vector<Parameter> parameters;
  std::vector<bool> is_stamped;     // by memory
  std::vector<std::int64_t> slots;  // their initial values
  std::size_t cells = 0;
  std::vector<Expr> loops;  // axes by number
  std::vector<AccessNote> accesses;
  Task root;
};

// The instructions (interpret_ops.cpp).
namespace ops {
#define CAMBIUM_FOR_EACH_PLAIN_OP(X)                                  \
  X(add_scaled)        /* slots[to] = slots[a] + number * slots[b] */ \
  X(check_index)       /* refuses unless 0 <= slots[a] < number */    \
  X(end_unless)        /* ends the instance unless slots[a] */        \
  X(jump_unless_zero)  /* skips unless slots[a] is zero */            \
  X(jump_unless_set)   /* skips unless slots[a] */                    \
  X(jump_unless_below) /* skips unless 0 <= slots[a] < number */      \
  X(jump_unless_true)  /* skips unless cells[a] is true */            \
  X(jump)                                                             \
  X(end)                                                              \
  X(index_value)  /* cells[to] = slots[a] */                          \
  X(copy)         /* cells[to] = cells[a] */                          \
  X(gather_start) /* slots[to] = 0 */                                 \
  X(gather_step)  /* slots[to] = number * slots[to] + cells[a], checked */
#define CAMBIUM_X(name) const Instruction* name(Machine& m, const Instruction* i);
CAMBIUM_FOR_EACH_PLAIN_OP(CAMBIUM_X)
#undef CAMBIUM_X

Run slot(expr::Kind kind);          // slots[to] = slots[a] op slots[b]; of Div and Mod: op number
Run constant(Form form);            // cells[to] = number or real
Run load(Form form, bool stamped);  // cells[to] = memory[slots[a]]
Run store(Form form, bool rounded);
Run combine(Form form, BinaryFn fn, bool rounded);  // memory[slots[a]] = fn(it, cells[b])
Run unary(Form form, UnaryFn fn);
Run binary(Form form, BinaryFn fn);
Run cast(Form from, Form to);  // to whole numbers: of `type`; from them: of the type `b`
}  // namespace ops

// Why an instruction refused, for people.
Rejection explain(const InterpreterCode& code, const Instruction& failed, const Machine& machine,
                  std::span<const std::int64_t> loop_values);

}  // namespace cambium::program
