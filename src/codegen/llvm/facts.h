// What object code looks like: its size, its instructions as text, and how often vector
// instructions of innermost loops touch the stack, which in our code only spills do.
#pragma once

#include <string>

#include "base/machine.h"
#include "base/result.h"

namespace cambium::codegen {

struct Disassembly {
  std::int64_t code_bytes = 0;
  std::int64_t loop_spills = 0;
  std::string text;  // only when asked for
};

// Refuses CodegenFailed when the bytes are no object for this machine.
Result<Disassembly> disassemble(const std::string& object, const Machine& machine, bool with_text);

}  // namespace cambium::codegen
