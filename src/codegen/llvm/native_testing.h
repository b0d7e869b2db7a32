// Runs programs natively in this process and compares them with the interpreter, for the tests of
// this folder.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/machine.h"
#include "base/result.h"
#include "codegen/codegen.h"
#include "codegen/llvm/llvm_backend.h"
#include "program/interpret.h"

namespace cambium::codegen {

// What outputs the code computes. `threads`: 0 runs parallel loops without a pool. Code that leaves
// its buffers dies: behind their last element (up to the alignment) without a pool, before their
// first with one.
Result<std::vector<program::Array>> run_native(const program::Program& program,
                                               const ObjectCode& code,
                                               std::span<const program::Array> arguments,
                                               int threads = 0);

// Arguments of the program from a seed: small numbers, so that whole types do not overflow often.
std::vector<program::Array> random_arguments(const program::Program& program, std::uint64_t seed);

// The elements of a buffer as they lie in memory, and back.
std::string bytes_of(const program::Array& array);
program::Array array_of(const std::string& bytes, DType dtype);

// Empty when equal: floating numbers up to `tolerance`, relative to the larger one or 1.
std::string difference(const std::vector<program::Array>& got,
                       const std::vector<program::Array>& want, double tolerance);

// Compiles for the host, runs with and without threads, compares with the interpreter. Empty when
// all is well.
std::string mismatch(program::Context& cx, const program::Program& program, std::uint64_t seed,
                     double tolerance = 1e-5);
std::string mismatch(program::Context& cx, const program::Program& program,
                     std::span<const program::Array> arguments, double tolerance = 1e-5);

// A pool as generated code sees it.
class Pool {
 public:
  explicit Pool(int threads);
  const cambium_parallel* abi() const { return &abi_; }

 private:
  static void run(void* self, std::int64_t n, std::int64_t grain, cambium_task task, void* context);
  cambium_parallel abi_;
};

}  // namespace cambium::codegen
