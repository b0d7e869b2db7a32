#include "spaces/coordinate/search/options.h"

#include "spaces/kind.h"

namespace cambium::spaces::coordinate {

namespace {

constexpr int kMostMixed = 8;

}  // namespace

Settings settings_of(SpaceOptions& options) {
  Settings settings("the coordinate space");
  for (const synthesis::LimitInfo& info : synthesis::limit_infos()) {
    settings.whole(info.name, options.limits.*info.limit, info.least, info.most, info.what);
  }
  settings.limit("least-macs", options.least_macs, "least MACs, as a share of the original's")
      .limit("most-macs", options.most_macs, "most MACs, as a share of the original's")
      .limit("most-parameters", options.most_parameters,
             "most parameters, as a share of the original's")
      .limit("most-memory", options.most_memory,
             "most bytes of input, output, weights and results between stages, as a share of the "
             "original's")
      .limit(std::string(kMostActivations), options.most_activations,
             "most activations of one pass of the network, as a share of those of the original; a "
             "search sets it from --max-activations");
  for (CoefficientOption& one : options.coefficients) {
    settings.whole(one.name, one.value, 1, std::numeric_limits<std::int64_t>::max(),
                   one.is_divisor ? "a divisor of numbers of channels" : "the length of a window");
  }
  return settings
      .whole("least-mixed", options.least_mixed, SpaceOptions::kAsTheOriginal, kMostMixed,
             "least number of input axes read through a reduction; -1: as many as the original")
      .yes_no("weight-free", options.limits.weight_free, "also propose operators without weights");
}

}  // namespace cambium::spaces::coordinate
