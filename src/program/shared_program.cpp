#include "program/shared_program.h"

#include "program/clone.h"
#include "program/text.h"

namespace cambium::program {

SharedProgram::SharedProgram(const Program& program) {
  auto own = std::make_shared<Own>();
  own->program = clone_into(own->cx, program);
  own_ = std::move(own);
}

// Printing makes index expressions in the context, so it prints a clone.
std::string to_text(const SharedProgram& program) {
  Context cx;
  return to_text(cx, clone_into(cx, *program));
}

}  // namespace cambium::program
