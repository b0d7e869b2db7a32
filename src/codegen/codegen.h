// From a program to native code: the interface that the rest of Cambium sees, free of LLVM. A
// program must be Ready (program/verify.h). Refuses Unavailable in a build without LLVM, and what
// the back-end cannot do, by name.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/machine.h"
#include "base/result.h"
#include "codegen/kernel_abi.h"
#include "program/context.h"

namespace cambium::codegen {

struct Workspace {
  std::int64_t shared_bytes = 0;  // once per call
  std::int64_t worker_bytes = 0;  // once per worker

  std::int64_t bytes(std::int64_t workers) const { return shared_bytes + workers * worker_bytes; }
};

// What was made, in numbers: for benchmarks, for rejecting bad schedules, for reports.
struct CodeFacts {
  std::int64_t ir_instructions = 0;
  std::int64_t code_bytes = 0;
  std::int64_t loop_spills = 0;  // accesses to the stack by vector instructions in innermost loops
  double seconds = 0;            // to compile
};

// A relocatable object with one kernel in it.
struct ObjectCode {
  std::string bytes;   // an ELF object; its only undefined symbols are functions of libm
  std::string symbol;  // the kernel, or the driver
  Workspace workspace;
  CodeFacts facts;
};

struct CodegenOptions {
  std::string symbol = "kernel";
  bool rejects_spills = false;  // refuse SpillsInLoop instead of making slow code
};

// Refuses NotInRegisters, CodeTooLarge, SpillsInLoop if asked, and CodegenFailed (a processor that
// LLVM does not know).
Result<ObjectCode> compile_kernel(program::Context& cx, const program::Program& program,
                                  const Machine& machine, const CodegenOptions& options = {});
// The text of the LLVM IR, or of the assembly, for people.
Result<std::string> print_ir(program::Context& cx, const program::Program& program,
                             const Machine& machine);
Result<std::string> print_assembly(const ObjectCode& object, const Machine& machine);

// A function that calls kernels one after the other: a whole model. Its own signature is
//   int NAME(const void* const* inputs, void* const* outputs, const void* weights,
//            void* workspace, const cambium_parallel* parallel);
// The workspace of the driver holds the plan's bytes first (rounded up to 64; ObjectCode tells) and
// after them what the most demanding kernel wants, which the caller adds.
struct Place {
  enum class Base : std::uint8_t { Input, Output, Weights, Plan };
  Base base;
  std::int64_t index = 0;   // of the input or output
  std::int64_t offset = 0;  // bytes
};
struct DriverCall {
  std::string symbol;
  std::vector<Place> buffers;
};
struct Driver {
  std::string symbol = "model";
  std::int64_t plan_bytes = 0;
  std::vector<DriverCall> calls;
};
Result<ObjectCode> compile_driver(const Driver& driver, const Machine& machine);

// The version of the code generator, with a hash of its sources, and of LLVM: part of the key of
// every measurement.
std::string version();

// Native code in this process, through ORC.
class Jit {
 public:
  static Result<Jit> create();
  Jit(Jit&&) noexcept;
  Jit& operator=(Jit&&) noexcept;
  ~Jit();

  // Symbols of earlier objects are visible to later ones. Refuses ForeignMachine and CodegenFailed.
  Status add(const ObjectCode& object);
  Result<void*> find(std::string_view symbol);  // refuses SymbolMissing

 private:
  struct State;
  explicit Jit(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Links objects into a shared library that exports `exported` alone, with the system's ld (or the
// cross ld of the machine). Refuses LinkerMissing and LinkFailed.
Status link_shared(std::span<const ObjectCode> objects, std::string_view exported,
                   const Machine& machine, const std::string& path);

}  // namespace cambium::codegen
