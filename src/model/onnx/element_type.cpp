#include "model/onnx/element_type.h"

#include <array>

#include "base/check.h"

namespace cambium::model::onnx_io {

namespace {

struct Row {
  std::int64_t code;
  const char* name;
  std::optional<DType> dtype;
};

// clang-format off
const std::array kRows = {
    Row{1, "float", DType::F32},         Row{2, "uint8", DType::U8},
    Row{3, "int8", DType::I8},           Row{4, "uint16", DType::U16},
    Row{5, "int16", DType::I16},         Row{6, "int32", DType::I32},
    Row{7, "int64", DType::I64},         Row{8, "strings", {}},
    Row{9, "bool", DType::Bool},         Row{10, "float16", DType::F16},
    Row{11, "double", DType::F64},       Row{12, "uint32", DType::U32},
    Row{13, "uint64", DType::U64},       Row{14, "complex64", {}},
    Row{15, "complex128", {}},           Row{16, "bfloat16", DType::BF16},
    Row{17, "float8e4m3fn", {}},         Row{18, "float8e4m3fnuz", {}},
    Row{19, "float8e5m2", {}},           Row{20, "float8e5m2fnuz", {}},
    Row{21, "uint4", {}},                Row{22, "int4", {}},
    Row{23, "float4e2m1", {}},
};
// clang-format on

const Row* row_of(std::int64_t code) {
  for (const Row& row : kRows) {
    if (row.code == code) return &row;
  }
  return nullptr;
}

}  // namespace

std::optional<DType> dtype_of_code(std::int64_t code) {
  const Row* row = row_of(code);
  return row != nullptr ? row->dtype : std::nullopt;
}

std::int64_t code_of(DType dtype) {
  for (const Row& row : kRows) {
    if (row.dtype == dtype) return row.code;
  }
  report_bug(__FILE__, __LINE__, "dtype has a code", name_of(dtype));
}

std::string describe_code(std::int64_t code) {
  const Row* row = row_of(code);
  return row != nullptr ? row->name : "element type " + std::to_string(code);
}

}  // namespace cambium::model::onnx_io
