#include "base/features.h"
#include "tune/cost_model/xgboost_model.h"

namespace cambium::tune {
namespace {

Rejection unavailable() {
  return require_feature("xgboost").rejection();
}

}  // namespace

Result<std::unique_ptr<CostModel>> new_xgboost_model(const ModelOptions&) {
  return unavailable();
}

Result<std::unique_ptr<CostModel>> pretrained_model(const ModelOptions&) {
  return unavailable();
}

Result<std::unique_ptr<CostModel>> load_model(const std::string&, const ModelOptions&) {
  return unavailable();
}

Status save_model(const CostModel&, const std::string&) {
  return unavailable();
}

}  // namespace cambium::tune
