// How a network is trained, as plain data: optimizer, learning rate, regularization, augmentation.
// Together with a seed, a model and a data set it determines the result (on one device, with one
// number of threads). Read by the trainer, printed in every report.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/fields.h"
#include "base/result.h"
#include "data/augment.h"

namespace cambium::train {

enum class OptimizerKind : std::uint8_t { Sgd, AdamW, RmsProp };
enum class RateLaw : std::uint8_t { Constant, Cosine, MultiStep, OneCycle };
enum class Precision : std::uint8_t { F32, BF16 };  // BF16: autocast; weights stay f32

struct OptimizerOptions {
  OptimizerKind kind = OptimizerKind::Sgd;
  double momentum = 0.9;  // of SGD and RMSProp
  bool nesterov = true;
  double beta1 = 0.9, beta2 = 0.999, alpha = 0.99, epsilon = 1e-8;
  double weight_decay = 5e-4;  // decoupled for AdamW
  bool decays_norms = false;   // also scales and biases, of norms and all others of rank 1
  double clip = 0;             // largest norm of all gradients together; 0: no limit
};

// The rate as a share of `peak` over the steps of a training; steps are batches.
struct RateOptions {
  RateLaw law = RateLaw::OneCycle;
  double peak = 0.1;
  double warmup = 0;  // share of all steps, linear from `start` to the peak; OneCycle: its rise
  double start = 0;   // share of the peak where the warm-up begins
  double end = 0;     // share of the peak at the last step (Cosine, OneCycle)
  std::vector<double> milestones;  // MultiStep: shares of all steps, rising
  double factor = 0.1;             // MultiStep: what the rate is multiplied by at each
};

struct Recipe {
  std::int64_t epochs = 10;
  std::int64_t batch = 128;
  OptimizerOptions optimizer;
  RateOptions rate;
  double label_smoothing = 0;
  double ema =
      0;  // decay per step of the averaged weights that are judged; 0: the last weights are
  data::Augmentation augmentation;
  std::int64_t length = 128;  // of a window of text
  Precision precision = Precision::F32;
  bool channels_last = true;
};

// Refuses BadOption: what is negative, not finite, beyond 1 where a share is meant, or unordered.
Status check(const Recipe& recipe);

// Recipes by name: what `cambium train --recipe` takes. Refuses BadOption, listing the names.
struct NamedRecipe {
  const char* name;
  const char* what;
  Recipe recipe;
};
const std::vector<NamedRecipe>& recipes();
Result<Recipe> recipe_named(std::string_view name);

// One line per setting that differs from `Recipe{}`, for reports.
std::string to_text(const Recipe& recipe);

}  // namespace cambium::train
