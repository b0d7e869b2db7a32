// Exporters write one operator as several: Gelu as Div, Erf, Add, Mul, Mul; GroupNorm as a reshaped
// InstanceNorm. recognize restores the single operators. Each pattern is a named row (patterns.h).
// It is the last step of an import and refuses no valid Model.
#pragma once

#include "base/result.h"
#include "model/model.h"
#include "model/onnx/annotations.h"

namespace cambium::model::onnx_io {

// `own`: the annotations of a file that Cambium wrote. Then only nodes that it lists as composed
// are recognized (so a product of x and its sigmoid stays a product), and blocks and exact
// attributes are restored. Null: a file of another program.
Result<Model> recognize(const Model& model, const Annotations* own);

}  // namespace cambium::model::onnx_io
