// Rewrites of a model before it is lowered. Each keeps the result of the model; batch-norm folding
// keeps it up to rounding. The pipeline is one table, and the option `--off` names its rows. Every
// rewrite also drops nodes that nothing needs any more, because a Model is built without them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/model.h"

namespace cambium::lower {

// For each weight of a rewritten nest: the output channel that each of its rows (dimension 0)
// computes. The list is empty for a weight whose results are multiplied by another weight. Nothing
// if a row computes several channels.
using WeightRows = std::vector<std::vector<std::int64_t>>;
using WeightRowsOf =
    std::function<std::optional<WeightRows>(const model::Model& model, model::NodeId nest)>;

struct Pass {
  std::string_view name;
  std::string_view text;  // one line: what it does
  Result<model::Model> (*run)(const model::Model& model);
};

// The passes in the order in which they run.
std::span<const Pass> passes();

// Expands Composites first, except those that are lowered as nests (lower/nest_form.h). A batch
// norm behind such a nest is folded too, if `rows_of` is given. Refuses UnknownPass.
Result<model::Model> prepare(const model::Model& model, std::span<const std::string> off = {},
                             const WeightRowsOf& rows_of = {});

// The passes, each in a file of the same name; the first one is model/recognize.
//
Result<model::Model> recognize(const model::Model& model);
// Nodes whose inputs are all weights become weights. Exception: a result that is more than a
// mebibyte larger than its inputs. So a scalar expanded to gigabytes stays an expansion.
Result<model::Model> fold_constants(const model::Model& model);
// A batch norm becomes part of the weights and bias of the Conv, ConvTranspose, Gemm or MatMul that
// it reads, if nothing else reads that node.
Result<model::Model> fold_batch_norm(const model::Model& model);
// The same for a rewritten nest. `rows_of` gives the channels of its weights, because lowering does
// not know what the recipe does.
Result<model::Model> fold_nest_norm(const model::Model& model, const WeightRowsOf& rows_of);
// Removes nodes that return their input.
Result<model::Model> drop_identities(const model::Model& model);
// Merges a transpose of a transpose, and a reshape of a reshape.
Result<model::Model> merge_movements(const model::Model& model);

}  // namespace cambium::lower
