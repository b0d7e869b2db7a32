// Object code: the native code of one program, and the facts that are needed to call it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace cambium::codegen {

// The format of the bytes of object code.
enum class CodeFormat : std::uint8_t {
  Elf,  // a relocatable ELF object; its only undefined symbols are functions of libm
};

inline std::string name_of(CodeFormat format) {
  switch (format) {
    case CodeFormat::Elf: return "ELF objects";
  }
  return "object code of unknown format " + std::to_string(static_cast<int>(format));
}

// Memory that a kernel needs besides its buffers.
struct Workspace {
  std::int64_t shared_bytes = 0;  // once per call
  std::int64_t worker_bytes = 0;  // once per worker

  std::int64_t bytes(std::int64_t workers) const { return shared_bytes + workers * worker_bytes; }
};

// Numbers about the code, for benchmarks, for reports and for rejecting bad schedules.
struct CodeFacts {
  std::int64_t ir_instructions = 0;
  std::int64_t code_bytes = 0;
  std::int64_t loop_spills = 0;  // accesses to the stack by vector instructions in innermost loops
  double seconds = 0;            // to compile
};

struct ObjectCode {
  CodeFormat format = CodeFormat::Elf;
  std::string bytes;
  std::string symbol;  // the kernel, or the driver
  Workspace workspace;
  CodeFacts facts;
};

// In the header because `measure` uses codegen's headers without its library, which links LLVM.
// Refuses Unavailable if the code has another format than its reader accepts. Every reader of the
// bytes calls this first: loaders, the linker, the runner's staging.
inline Status check_format(const ObjectCode& code, CodeFormat wanted, std::string_view reader) {
  if (code.format == wanted) return Ok{};
  return Rejection(Reason::Unavailable, name_of(code.format),
                   std::string(reader) + " reads " + name_of(wanted));
}

}  // namespace cambium::codegen
