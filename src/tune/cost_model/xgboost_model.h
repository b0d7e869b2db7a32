// The cost model by XGBoost: trees over the rows of features, whose sum over a program's rows
// corrects the analytic model's estimate. It starts from the shipped model, which was trained on
// other operators, and continues to learn. Refuses Unavailable in a build without XGBoost,
// LearnerFailed, and ModelUnfit for a file of other features.
#pragma once

#include <memory>
#include <string>

#include "tune/cost_model.h"

namespace cambium::tune {

struct ModelOptions {
  int rounds = 300;  // most trees; fewer if the held-out part stops improving
  int patience = 30;
  double rate = 0.1;
  int depth = 5;
  double held_out = 0.2;
};

// An untrained model; until it is trained, its score is that of the analytic model.
Result<std::unique_ptr<CostModel>> new_xgboost_model(const ModelOptions& options = {});
// The model that is shipped in this program.
Result<std::unique_ptr<CostModel>> pretrained_model(const ModelOptions& options = {});

Result<std::unique_ptr<CostModel>> load_model(const std::string& path,
                                              const ModelOptions& options = {});
Status save_model(const CostModel& model, const std::string& path);

}  // namespace cambium::tune
