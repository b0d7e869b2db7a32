// Exporters write one operator as several: Gelu as Div, Erf, Add, Mul, Mul; GroupNorm as a reshaped
// InstanceNorm. recognize puts the single operators back. Each pattern is a named row
// (patterns.h). Last step of an import; refuses nothing that was a Model.
#pragma once

#include "base/result.h"
#include "model/model.h"
#include "model/onnx/annotations.h"

namespace cambium::model::onnx_io {

// `own`: the annotations of a file that we wrote; then only nodes that it names as composed are
// recognized (a product of x and its sigmoid that was one stays one), and blocks and exact
// attributes are restored. Null: somebody else's file.
Result<Model> recognize(const Model& model, const Annotations* own);

}  // namespace cambium::model::onnx_io
