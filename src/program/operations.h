// How many operations a program executes: each function application and each accumulation counts
// once per iteration of its block.
#pragma once

#include <cstdint>

#include "program/program.h"

namespace cambium::program {

std::int64_t operations_of(const Program& program);

}  // namespace cambium::program
