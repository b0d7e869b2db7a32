// The matrices of Winograd's algorithm for windows of 3 (Lavin and Gray, 2015), as scalar
// expressions: the transformed value of a row at one position of a tile. Products with 0 and 1 are
// left out. Parts that positions share are written identically, so that code generation computes
// them once where positions are unrolled.
#pragma once

#include <span>
#include <vector>

#include "program/context.h"

namespace cambium::schedule {

// The algorithm computes `tile` outputs from tile + 2 inputs with tile + 2 products.
bool is_winograd_tile(std::int64_t tile);

enum class Transform : std::uint8_t { Data, Weights, Output };

// The numbers of inputs and outputs of a transform: Data has tile + 2 and tile + 2, Weights 3 and
// tile + 2, Output tile + 2 and tile.
std::int64_t inputs_of(Transform transform, std::int64_t tile);
std::int64_t outputs_of(Transform transform, std::int64_t tile);

// The output at `position`, an index expression from 0 to outputs_of - 1. `inputs` has one scalar
// for each input.
program::Scalar transformed(program::Context& cx, Transform transform, std::int64_t tile,
                            program::Expr position, std::span<const program::Scalar> inputs);

}  // namespace cambium::schedule
