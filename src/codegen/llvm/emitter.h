// Emitter: turns a Ready program into one LLVM function with the signature of kernel_abi.h, plus
// one function per parallel loop. The program makes all decisions: unrolled loops are written out,
// vectorized loops become vectors, and register buffers become SSA values. Within a stretch of
// straight code, equal loads, broadcasts and sums are emitted once. Refuses NotInRegisters and
// CodeTooLarge.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/machine.h"
#include "base/result.h"
#include "codegen/llvm/known.h"
#include "codegen/llvm/locals.h"
#include "codegen/llvm/ops.h"
#include "codegen/llvm/registers.h"
#include "codegen/llvm/scope.h"
#include "codegen/llvm/target.h"
#include "program/walk.h"

namespace cambium::codegen {

class Emitter {
 public:
  Emitter(program::Context& cx, const program::Program& program, const Machine& machine,
          const LlvmTarget& target, llvm::Module& module);

  Status emit(const std::string& symbol);
  const Workspace& workspace() const { return locals_.workspace; }

 private:
  using Buffer = program::Buffer;

  // The function that is being written.
  struct Function {
    llvm::Function* function = nullptr;
    Value* buffers = nullptr;
    Value* workspace = nullptr;
    Value* parallel = nullptr;  // nullptr in a task: parallel loops within run in order
    Value* worker = nullptr;
    std::map<const Buffer*, Value*> bases;
  };
  // emitter.cpp: functions and loops
  void begin_function(llvm::Function* function, BasicBlock*& body);
  void statement(program::Stmt s);
  void loop(const program::Loop& loop);
  void running_loop(const program::Loop& loop, Expr axis, Value* begin, Value* end,
                    const std::function<void()>& body);
  void serial(const program::Loop& loop);
  void copies(const program::Loop& loop, std::int64_t from, std::int64_t to);
  void vectorized(const program::Loop& loop);
  void begin_iteration(const program::Loop& loop);
  BasicBlock* block_named(const char* name);

  // parallel.cpp
  void parallel(const program::Loop& loop);
  llvm::Function* task(const program::Loop& loop, llvm::StructType* shared,
                       const std::vector<Expr>& axes);
  void run_task(llvm::Function* task, const program::Loop& loop, Value* shared);

  // emit_block.cpp: blocks and what they compute
  void block(const program::Block& block);
  void instance(const program::Block& block);
  // What the condition of a sum (`y += select([...], value, 0.0)`) still requires at this place,
  // without the conditions in `assumed_`.
  std::vector<Expr> demands_of(const program::Block& block);
  void where_it_adds(const program::Loop& loop, const std::function<void()>& body);
  Value* combined(const program::Body& body, program::Scalar by, const Position& target);
  void prefetch(const program::Block& block, std::int64_t ahead);
  Expr flat(const Buffer& buffer, std::span<const Expr> indices);
  Expr over_loops(Expr e);
  Value* value(program::Scalar s);
  Value* binary(program::Scalar s);
  Value* contracted(program::Scalar product, program::Scalar other, bool minus_product,
                    bool minus_other);
  Value* select(program::Scalar s);
  Value* select_by_index(program::Scalar s);
  Value* select_by_lanes(Value* condition, program::Scalar first, program::Scalar second);
  Value* gather(program::Scalar s);
  void level_lanes(Value*& x, Value*& y);
  Value* splat(Value* scalar);
  // Branches on a condition that is equal in all lanes. Returns the value of the branch that is
  // taken.
  Value* branch(Value* condition, const std::function<Value*()>& first,
                const std::function<Value*()>& second);
  void guarded(Value* condition, const std::function<void()>& body);

  // emit_memory.cpp: loads and stores
  const Buffer* memory_of(const Buffer* buffer) const;
  Value* base(const Buffer* buffer);
  Value* load(const Buffer* buffer, const Position& position);
  Value* load_span(const Buffer* buffer, Value* pointer, std::int64_t at, std::int64_t lanes);
  Value* load_lanes(const Buffer* buffer, Value* pointer, const Position& position);
  struct Copy {  // the copy of an unrolled loop that is being emitted
    Expr axis;
    std::int64_t number, of;
  };
  bool all_take_part(const Copy& copy, std::int64_t from, std::int64_t count);
  Value* load_transposed(const Buffer* buffer, Value* pointer, const Position& position);
  struct Window {
    std::int64_t start;               // from the pointer, in elements
    std::vector<std::int64_t> lanes;  // the position of each lane in it; empty: in order
  };
  std::optional<Window> window_of(const Buffer* buffer, const Position& position);
  std::optional<Value*> load_where(Expr condition, const Buffer* buffer, const Position& position,
                                   Value* otherwise);
  Value* load_by_pointers(const Buffer* buffer, Value* pointers);
  Value* lane_pointers(const Buffer* buffer, Value* pointer, const Position& position);
  Value* shifted(Value* pointer, std::int64_t bytes);
  void store(const Buffer* buffer, const Position& position, Value* value);
  void store_in_memory(const Buffer* buffer, const Position& position, Value* value);
  std::optional<std::vector<std::int64_t>> register_positions(const Buffer* buffer,
                                                              const Position& position);
  std::optional<Position> of_lanes_that_take_part(const Position& position) const;
  bool masks_padding_alone(const Buffer* buffer, std::span<const std::int64_t> at) const;

  bool failed() const { return failure_.has_value(); }
  void fail(Rejection rejection);
  IrBuilder& b() { return builder_; }

  program::Context& cx_;
  const program::Program& program_;
  const Machine& machine_;
  const LlvmTarget& target_;
  llvm::Module& module_;
  IrBuilder builder_;
  Ops ops_;
  Scope scope_;
  Registers registers_;
  std::vector<program::Site> sites_;
  Locals locals_;
  Function now_;
  Known known_;
  std::vector<Expr> running_;  // axes of the running loops, outermost first
  std::vector<Copy> copies_;   // outermost first
  const program::Block* block_ = nullptr;
  std::unordered_map<const program::Block*, std::map<Known::Key, Expr>> flats_;
  std::vector<Expr> assumed_;  // conditions of sums that a branch around this place decided
  Value* mask_ = nullptr;      // lanes that take part; nullptr: all
  bool some_lane_ = true;      // whether at least one certainly does
  std::optional<Rejection> failure_;
};

}  // namespace cambium::codegen
