#include "model/onnx/rows.h"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>
#include <vector>

namespace cambium::model::onnx_io {

namespace {

using Table = std::unordered_map<std::string_view, std::vector<const Row*>>;

Table make_table() {
  Table table;
  for (const auto rows : {activation_rows(), arithmetic_rows(), constant_rows(), contraction_rows(),
                          control_rows(), index_rows(), movement_rows(), normalization_rows(),
                          pooling_rows(), reduction_rows(), view_rows()}) {
    for (const Row& row : rows) table[row.type].push_back(&row);
  }
  return table;
}

}  // namespace

Result<const Row*> find_row(std::string_view type, std::int64_t opset) {
  static const Table kTable = make_table();
  const auto known = kTable.find(type);
  if (known == kTable.end()) {
    return Rejection(Reason::UnsupportedOperator, std::string(type),
                     " (opset " + std::to_string(opset) + ")");
  }
  std::int64_t first = kNewestOpset, last = 0;
  for (const Row* row : known->second) {
    if (opset >= row->first && opset <= row->last) return row;
    first = std::min<std::int64_t>(first, row->first);
    last = std::max<std::int64_t>(last, row->last);
  }
  return Rejection(Reason::UnsupportedVersion, std::string(type), "", opset,
                   std::max(first, kOldestOpset), std::min(last, kNewestOpset));
}

}  // namespace cambium::model::onnx_io
