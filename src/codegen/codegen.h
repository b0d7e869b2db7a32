// From a program to native code. `Backend` is the interface of all code generators; `backend_for`
// chooses one for a machine. A program must be Ready (program/verify.h). A build without a back-end
// for the machine refuses Unavailable. A back-end refuses, with a reason, what it cannot compile.
// docs/howto/add_backend.md says how to add one.
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
#include "codegen/object_code.h"
#include "program/context.h"

namespace cambium::codegen {

struct CodegenOptions {
  std::string symbol = "kernel";
  bool rejects_spills = false;  // refuse SpillsInLoop instead of making slow code
};

// A driver is a function that runs a whole model by calling its kernels one after the other. Its
// signature is
//   int NAME(const void* const* inputs, void* const* outputs, const void* weights,
//            void* workspace, const cambium_parallel* parallel);
// Its workspace begins with the plan's bytes, rounded up to 64 (ObjectCode::workspace has the sum).
// After them the caller adds the workspace of the kernel that needs most.
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

// Object code that this process can call.
class LoadedCode {
 public:
  virtual ~LoadedCode() = default;
  virtual Result<void*> find(std::string_view symbol) = 0;  // refuses SymbolMissing
};

// A code generator. Back-ends hold no state: several threads may use one at once.
class Backend {
 public:
  virtual ~Backend() = default;

  virtual std::string_view name() const = 0;
  // Part of the key of every measurement: it changes whenever the code for a machine may change.
  virtual std::string version(const Machine& machine) const = 0;

  // Refuses NotInRegisters, CodeTooLarge, SpillsInLoop if asked, and CodegenFailed (for example a
  // processor that the back-end does not know).
  virtual Result<ObjectCode> compile_kernel(program::Context& cx, const program::Program& program,
                                            const Machine& machine,
                                            const CodegenOptions& options) const = 0;
  virtual Result<ObjectCode> compile_driver(const Driver& driver, const Machine& machine) const = 0;

  // For people: the intermediate code of a program, and the instructions of object code.
  virtual Result<std::string> print_ir(program::Context& cx, const program::Program& program,
                                       const Machine& machine) const = 0;
  virtual Result<std::string> print_assembly(const ObjectCode& object,
                                             const Machine& machine) const = 0;

  // Loads objects, which may call each other, into this process. Refuses ForeignMachine,
  // CodegenFailed, and Unavailable for a format of another back-end.
  virtual Result<std::unique_ptr<LoadedCode>> load(std::span<const ObjectCode> objects) const = 0;
};

// Refuses Unavailable in a build without a back-end for the machine.
Result<const Backend*> backend_for(const Machine& machine);

// Compiles with the back-end for the machine.
Result<ObjectCode> compile_kernel(program::Context& cx, const program::Program& program,
                                  const Machine& machine, const CodegenOptions& options = {});
std::string version(const Machine& machine);  // "none" where there is no back-end

// Links ELF objects into a shared library that exports `exported` alone, with the system's ld (or
// the cross ld of the machine). Refuses LinkerMissing, LinkFailed, and Unavailable for objects of
// another format.
Status link_shared(std::span<const ObjectCode> objects, std::string_view exported,
                   const Machine& machine, const std::string& path);

}  // namespace cambium::codegen
