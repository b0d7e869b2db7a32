// The table of ONNX operators: the supported versions, and the handler that defines each operator.
// One file per family defines its rows. Operators and versions without a row are refused here.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/result.h"
#include "model/onnx/node_context.h"

namespace cambium::model::onnx_io {

inline constexpr std::int64_t kOldestOpset = 1;  // the oldest opset of any row; complete from 11 on
inline constexpr std::int64_t kNewestOpset = 21;
inline constexpr int kAny = 1 << 20;  // any number of inputs; as last opset: still valid

struct Row {
  std::string_view type;
  int first, last;   // opsets of the file
  int fewest, most;  // inputs
  Status (*handler)(NodeContext&);
};

std::span<const Row> activation_rows();
std::span<const Row> arithmetic_rows();
std::span<const Row> constant_rows();
std::span<const Row> contraction_rows();
std::span<const Row> control_rows();
std::span<const Row> index_rows();
std::span<const Row> movement_rows();
std::span<const Row> normalization_rows();
std::span<const Row> pooling_rows();
std::span<const Row> reduction_rows();
std::span<const Row> view_rows();

// Refuses UnsupportedOperator and UnsupportedVersion.
Result<const Row*> find_row(std::string_view type, std::int64_t opset);

}  // namespace cambium::model::onnx_io
