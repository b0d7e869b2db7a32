// How a network is trained, as plain data: optimizer, learning rate, regularization, augmentation.
// A recipe, a seed, a model and a data set determine the result (on one device, with one number of
// threads). The trainer reads it, and every report prints it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/fields.h"
#include "base/fingerprint.h"
#include "base/result.h"
#include "data/augment.h"

namespace cambium::train {

enum class OptimizerKind : std::uint8_t { Sgd, AdamW, RmsProp };
enum class RateLaw : std::uint8_t { Constant, Cosine, MultiStep, OneCycle };
enum class Precision : std::uint8_t { F32, BF16 };  // BF16: autocast; weights stay f32

struct OptimizerOptions {
  OptimizerKind kind = OptimizerKind::Sgd;
  double momentum = 0.9;  // for SGD and RMSProp
  bool nesterov = true;   // for SGD; has no effect without momentum
  double beta1 = 0.9, beta2 = 0.999, alpha = 0.99, epsilon = 1e-8;
  double weight_decay = 5e-4;  // decoupled for AdamW
  bool decays_norms = false;   // also scales, biases and other weights of rank 1
  double clip = 0;             // largest norm of all gradients together; 0: no limit
};

// The rate as a share of `peak` over the steps of a training; steps are batches.
struct RateOptions {
  RateLaw law = RateLaw::OneCycle;
  double peak = 0.1;
  double warmup = 0;  // share of all steps, linear from `start` to the peak; OneCycle: its rise
  double start = 0;   // share of the peak where the warm-up begins
  double end = 0;     // share of the peak at the last step (Cosine, OneCycle)
  std::vector<double> milestones = {};  // MultiStep: shares of all steps, rising
  double factor = 0.1;                  // MultiStep: multiplies the rate at each
};

struct Recipe {
  std::int64_t epochs = 10;
  std::int64_t batch = 128;
  OptimizerOptions optimizer;
  RateOptions rate;
  double label_smoothing = 0;
  double ema = 0;  // decay per step of the averaged weights, which are judged; 0: no averaging
  data::Augmentation augmentation;
  std::int64_t length = 128;  // of a window of text
  Precision precision = Precision::F32;
  bool channels_last = true;

  // Every setting, under the name that `assign` and reports use.
  CAMBIUM_FIELDS(f("epochs", s.epochs), f("batch", s.batch), f("optimizer", s.optimizer.kind),
                 f("momentum", s.optimizer.momentum), f("nesterov", s.optimizer.nesterov),
                 f("beta1", s.optimizer.beta1), f("beta2", s.optimizer.beta2),
                 f("alpha", s.optimizer.alpha), f("epsilon", s.optimizer.epsilon),
                 f("weight-decay", s.optimizer.weight_decay),
                 f("decays-norms", s.optimizer.decays_norms), f("clip", s.optimizer.clip),
                 f("law", s.rate.law), f("rate", s.rate.peak), f("warmup", s.rate.warmup),
                 f("start", s.rate.start), f("end", s.rate.end), f("milestones", s.rate.milestones),
                 f("factor", s.rate.factor), f("label-smoothing", s.label_smoothing),
                 f("ema", s.ema), f("pad", s.augmentation.pad), f("flip", s.augmentation.flip),
                 f("cutout", s.augmentation.cutout), f("length", s.length),
                 f("precision", s.precision), f("channels-last", s.channels_last))
};

// Refuses BadOption for a setting that is negative, not finite, above 1 where a share is meant, or
// unordered.
Status check(const Recipe& recipe);

// Sets one field from text: "rate" to "0.05", "optimizer" to "adamw", "milestones" to "0.5,0.75".
// Refuses BadOption for an unknown name (naming the nearest) and for a value of another kind.
Status assign(Recipe& recipe, std::string_view name, std::string_view value);

// Recipes by name, for `cambium train --recipe`. Refuses BadOption, listing the names.
struct NamedRecipe {
  const char* name;
  const char* what;
  Recipe recipe;
};
const std::vector<NamedRecipe>& recipes();
Result<Recipe> recipe_named(std::string_view name);

// All fields with their values as text, in the order of the list above.
std::vector<std::pair<std::string, std::string>> settings_of(const Recipe& recipe);
// One line per setting that differs from `Recipe{}`, for reports.
std::string to_text(const Recipe& recipe);
Fingerprint fingerprint_of(const Recipe& recipe);

}  // namespace cambium::train
