// The networks of NAS-Bench-201 (Dong and Yang 2020), built from cells in the benchmark's spelling:
// |nor_conv_3x3~0|+|none~0|skip_connect~1|+|avg_pool_3x3~0|none~1|none~2|. Refuses other spellings
// (BadSyntax, naming the place). Used by benchmarks of proxies.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/model.h"
#include "model/zoo/options.h"

namespace cambium::model::zoo {

enum class CellOp : std::uint8_t { None, SkipConnect, Conv1x1, Conv3x3, AvgPool3x3 };

// A cell has four nodes; each is the sum of its incoming edges from earlier nodes.
struct Cell {
  std::array<CellOp, 6> edges{};  // 0-1, 0-2, 1-2, 0-3, 1-3, 2-3, the order of the text

  CellOp edge(std::size_t from, std::size_t to) const { return edges[to * (to - 1) / 2 + from]; }
  std::string text() const;  // parses back to the same cell
  friend bool operator==(const Cell&, const Cell&) = default;
};

Result<Cell> parse_cell(std::string_view text);

// Three stages of five cells with 16, 32 and 64 channels, for 32x32 images and 10 classes.
Result<Model> nasbench201(const Cell& cell, const ZooOptions& options = {});

}  // namespace cambium::model::zoo
