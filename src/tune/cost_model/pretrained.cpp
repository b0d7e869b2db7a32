#include "tune/cost_model/pretrained.h"

// CAMBIUM_PRETRAINED is the path of the file. The assembler includes it, which is faster by far
// than compiling a list of numbers.
__asm__(
    ".pushsection .rodata\n"
    ".balign 16\n"
    ".hidden cambium_pretrained_begin\n"
    ".globl cambium_pretrained_begin\n"
    "cambium_pretrained_begin:\n"
    ".incbin \"" CAMBIUM_PRETRAINED
    "\"\n"
    ".hidden cambium_pretrained_end\n"
    ".globl cambium_pretrained_end\n"
    "cambium_pretrained_end:\n"
    ".byte 0\n"
    ".popsection\n");

extern "C" {
extern const std::byte cambium_pretrained_begin[];
extern const std::byte cambium_pretrained_end[];
}

namespace cambium::tune {

std::span<const std::byte> pretrained_bytes() {
  return {cambium_pretrained_begin, cambium_pretrained_end};
}

}  // namespace cambium::tune
