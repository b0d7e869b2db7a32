#include "lower/passes.h"

#include <algorithm>

#include <fmt/format.h>

#include "lower/nest_form.h"
#include "model/composite.h"
#include "model/recognize/recognize.h"

namespace cambium::lower {
namespace {

// Recognition comes first: it looks for what synthesizers write, and leaves weights to rearrange.
// Movements are merged before identities go, because two of them often make one; batch norms come
// last, when what stood between them and their convolution is gone.
constexpr Pass kPasses[] = {
    {"recognize", "turn einsums over windows into convolutions", recognize},
    {"fold-constants", "compute values that depend only on weights", fold_constants},
    {"merge-movements", "merge consecutive transposes and reshapes", merge_movements},
    {"drop-identities", "remove nodes that change nothing", drop_identities},
    {"fold-batch-norm", "fold batch norms into the weights before them", fold_batch_norm},
};

}  // namespace

Result<model::Model> recognize(const model::Model& model) {
  return model::recognize(model).model;
}

std::span<const Pass> passes() {
  return kPasses;
}

Result<model::Model> prepare(const model::Model& model, std::span<const std::string> off,
                             const WeightRowsOf& rows_of) {
  for (const std::string& name : off) {
    if (std::none_of(std::begin(kPasses), std::end(kPasses),
                     [&](const Pass& pass) { return pass.name == name; })) {
      std::vector<std::string_view> names;
      for (const Pass& pass : kPasses) names.push_back(pass.name);
      return Rejection(Reason::UnknownPass, name, fmt::format("{}", fmt::join(names, ", ")));
    }
  }
  model::Model prepared =
      model::expanded_except(model, [&](model::NodeId id) { return is_nest(model, id); }).model;
  for (const Pass& pass : kPasses) {
    if (std::find(off.begin(), off.end(), pass.name) != off.end()) continue;
    CAMBIUM_TRY(prepared, pass.run(prepared).at(fmt::format("pass {}", pass.name)));
    if (pass.run != fold_batch_norm || rows_of == nullptr) continue;
    CAMBIUM_TRY(prepared, fold_nest_norm(prepared, rows_of).at(fmt::format("pass {}", pass.name)));
  }
  return prepared;
}

}  // namespace cambium::lower
