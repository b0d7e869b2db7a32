#include "train/recipe_settings.h"

#include <string>

#include "train/recipe.h"

namespace cambium::train {

namespace {

struct Row {
  const char* name;
  const char* meaning;
  const char* values;
};

constexpr const char* kWholeFrom1 = "a whole number from 1";
constexpr const char* kPixels = "a whole number from 0";
constexpr const char* kShare = "a number from 0 to 1";
constexpr const char* kDecay = "a number from 0 to below 1";
constexpr const char* kYesNo = "yes or no";

constexpr Row kRows[] = {
    {"epochs", "number of epochs", kWholeFrom1},
    {"batch", "samples per step", kWholeFrom1},
    {"optimizer", "the optimizer", "sgd, adamw or rmsprop"},
    {"momentum", "momentum of sgd and rmsprop", kDecay},
    {"nesterov", "whether sgd uses Nesterov's momentum", kYesNo},
    {"beta1", "decay per step of the mean gradient of adamw", kDecay},
    {"beta2", "decay per step of the mean squared gradient of adamw", kDecay},
    {"alpha", "decay per step of the mean squared gradient of rmsprop", kDecay},
    {"epsilon", "added to the divisor by adamw and rmsprop", kShare},
    {"weight-decay", "decay of weights of rank 2 and more; decoupled for adamw",
     "a number from 0 to 1000"},
    {"decays-norms", "whether all weights decay, also scales and biases of norms", kYesNo},
    {"clip", "largest norm of all gradients together; 0: no limit", "a number from 0"},
    {"law", "schedule of the learning rate", "constant, cosine, multi-step or one-cycle"},
    {"rate", "peak learning rate", "a number from 0"},
    {"warmup", "share of all steps in which the rate rises linearly to its peak", kShare},
    {"start", "rate at the first step of the rise, as a share of the peak", kShare},
    {"end", "rate at the last step of cosine and one-cycle, as a share of the peak", kShare},
    {"milestones", "shares of all steps at which the rate of multi-step falls",
     "rising numbers from 0 to 1, separated by commas"},
    {"factor", "multiplies the rate at each milestone", kShare},
    {"label-smoothing", "share of the loss that goes to all classes", kDecay},
    {"ema", "decay per step of averaged weights, which are judged then; 0: no averaging", kDecay},
    {"pad", "black pixels added on every side before a random crop", kPixels},
    {"flip", "whether every second image is mirrored", kYesNo},
    {"cutout", "side in pixels of a square that is blanked at a random place; 0: none", kPixels},
    {"length", "length of a window of text; the model's own length comes first", kWholeFrom1},
    {"precision", "of convolutions and products, by autocast; weights stay f32", "f32 or bf16"},
    {"channels-last", "whether channels are the last dimension of images and kernels in memory",
     kYesNo},
};

}  // namespace

std::vector<SettingInfo> recipe_settings() {
  std::vector<SettingInfo> all;
  const auto defaults = settings_of(Recipe{});
  for (const Row& row : kRows) {
    SettingInfo info{row.name, row.meaning, row.values, ""};
    for (const auto& [name, value] : defaults) {
      if (name == row.name) info.standard = value.empty() ? "none" : value;
    }
    all.push_back(std::move(info));
  }
  return all;
}

}  // namespace cambium::train
