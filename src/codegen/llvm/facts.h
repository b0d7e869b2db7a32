// Facts about object code: its size, its instructions as text, and how often vector instructions in
// innermost loops access the stack. In our code, only spills do that.
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

// Refuses CodegenFailed if the bytes are not an object for this machine.
Result<Disassembly> disassemble(const std::string& object, const Machine& machine, bool with_text);

}  // namespace cambium::codegen
