// Rewrites of a model before it is lowered; each keeps what it computes (batch-norm folding up to
// rounding). The pipeline is one table; `--off` of the command line names its rows.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "model/model.h"

namespace cambium::lower {

struct Pass {
  std::string_view name;
  std::string_view text;  // one line: what it does
  Result<model::Model> (*run)(const model::Model& model);
};

// fold-constants, fold-batch-norm, drop-identities, remove-dead ... in the order in which they run.
std::span<const Pass> passes();

Result<model::Model> prepare(const model::Model& model, std::span<const std::string> off = {});

}  // namespace cambium::lower
