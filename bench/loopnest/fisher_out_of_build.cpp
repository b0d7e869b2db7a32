// Stands in for fisher.cpp in a build without libtorch.
#include <string>

#include <nlohmann/json.hpp>

#include "base/features.h"
#include "loopnest/parts.h"

namespace cambium::bench {

Status bench_fisher(const LoopNestBenchOptions& /*options*/, nlohmann::json& /*out*/) {
  return require_feature("torch");
}
Status bench_blockswap(const LoopNestBenchOptions& /*options*/, nlohmann::json& /*out*/) {
  return require_feature("torch");
}
std::string fisher_text(const nlohmann::json& /*row*/) {
  return "";
}
std::string blockswap_text(const nlohmann::json& /*row*/) {
  return "";
}

}  // namespace cambium::bench
