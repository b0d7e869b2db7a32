// Rewrites of a model before it is lowered; each keeps what it computes (batch-norm folding up to
// rounding). The pipeline is one table; `--off` of the command line names its rows. Nodes that
// nothing needs any more leave with every rewrite, since a Model is built without them.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/model.h"

namespace cambium::lower {

struct Pass {
  std::string_view name;
  std::string_view text;  // one line: what it does
  Result<model::Model> (*run)(const model::Model& model);
};

// In the order in which they run.
std::span<const Pass> passes();

// Composites are expanded first. Refuses UnknownPass.
Result<model::Model> prepare(const model::Model& model, std::span<const std::string> off = {});

// The passes, each in a file of its name; the first one is model/recognize.
//
Result<model::Model> recognize(const model::Model& model);
// Nodes whose inputs are all weights become weights, unless the result holds over a mebibyte more
// than what it is made of: a scalar expanded to gigabytes stays an expansion.
Result<model::Model> fold_constants(const model::Model& model);
// Batch norms become part of the weights and bias of the Conv, ConvTranspose, Gemm or MatMul that
// they alone read.
Result<model::Model> fold_batch_norm(const model::Model& model);
// Nodes that give back what they read.
Result<model::Model> drop_identities(const model::Model& model);
// A transpose of a transpose, a reshape of a reshape.
Result<model::Model> merge_movements(const model::Model& model);

}  // namespace cambium::lower
