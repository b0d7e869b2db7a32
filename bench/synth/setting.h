// The setting of the paper's search, in which the coordinate space is measured:
// [N, Ci, H, W] -> [N, Co, H, W] at the sizes of ResNet-34, with the limits of its search script.
#pragma once

#include <memory>

#include "base/result.h"
#include "spaces/coordinate/synthesis/sample.h"

namespace cambium::bench {

Result<spaces::coordinate::Problem> resnet_problem();
Result<std::unique_ptr<spaces::coordinate::synthesis::Space>> resnet_space(
    int primitives, spaces::coordinate::synthesis::RuleSet rules = {});
// MACs of the convolution 3x3, over all layers.
double convolution_macs(const spaces::coordinate::Problem& problem);

}  // namespace cambium::bench
