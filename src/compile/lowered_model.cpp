#include "compile/lowered_model.h"

#include <utility>

#include "compile/layouts.h"
#include "compile/weight_rows.h"
#include "lower/passes.h"

namespace cambium::compile {

Result<LoweredModel> lower_model(const model::Model& model, const std::vector<std::string>& off) {
  CAMBIUM_TRY(model::Model prepared, lower::prepare(model, off, weight_rows));
  auto cx = std::make_unique<program::Context>();
  CAMBIUM_TRY(Calls calls, calls_of(*cx, prepared, choose_layouts(prepared)));
  return LoweredModel{std::move(cx), std::move(prepared), std::move(calls)};
}

}  // namespace cambium::compile
