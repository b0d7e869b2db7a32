// Programs that each try one thing code generation has to get right; run on every kind of machine.
#pragma once

#include <span>

namespace cambium::codegen {

struct Case {
  const char* name;
  const char* text;
};

std::span<const Case> cases();

}  // namespace cambium::codegen
