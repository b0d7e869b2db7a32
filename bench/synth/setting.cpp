#include "synth/setting.h"

#include <string>
#include <vector>

namespace cambium::bench {

namespace coordinate = spaces::coordinate;
namespace synthesis = spaces::coordinate::synthesis;

// The convolutions 3x3 of ResNet-34, stride done by pooling before as in the paper's search.
Result<coordinate::Problem> resnet_problem() {
  constexpr int kLayers[][3] = {{64, 64, 56},   {64, 128, 28}, {128, 128, 28}, {128, 256, 14},
                                {256, 256, 14}, {256, 512, 7}, {512, 512, 7}};
  std::vector<std::string> bindings;
  for (const auto& [in, out, side] : kLayers) {
    bindings.push_back("N=1, Ci=" + std::to_string(in) + ", Co=" + std::to_string(out) +
                       ", H=" + std::to_string(side) + ", W=" + std::to_string(side) +
                       ", k=3, k2=7, s=2, g=32");
  }
  return coordinate::problem_of("[N, Ci, H, W]", "[N, Co, H, W]", bindings);
}

// Limits are those of the paper's search script.
Result<std::unique_ptr<synthesis::Space>> resnet_space(int primitives, synthesis::RuleSet rules) {
  CAMBIUM_TRY(coordinate::Problem problem, resnet_problem());
  synthesis::Limits limits;
  limits.primitives = primitives;
  limits.window_ratio = 2.3;
  const auto set = [&](std::string_view name, std::uint8_t most) {
    limits.occurrences[problem.sizes.find(name)->index] = most;
  };
  set("H", 0), set("W", 0), set("Ci", 2), set("Co", 4);
  set("k", 2), set("k2", 2), set("s", 2), set("g", 3);
  return synthesis::Space::make(std::move(problem), limits, rules);
}

double convolution_macs(const coordinate::Problem& problem) {
  double sum = 0;
  for (const expr::Binding& binding : problem.bindings) {
    const auto value = [&](std::string_view name) {
      return static_cast<double>(binding[*problem.sizes.find(name)]);
    };
    sum += value("Ci") * value("Co") * value("H") * value("W") * 9;
  }
  return sum;
}

}  // namespace cambium::bench
