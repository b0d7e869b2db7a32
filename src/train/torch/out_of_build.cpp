#include "base/features.h"
#include "train/device.h"
#include "train/passes.h"
#include "train/proxies.h"
#include "train/trainer.h"

namespace cambium::train {
namespace {

Rejection unavailable() {
  return require_feature("torch").rejection();
}

}  // namespace

Result<Device> device_of(std::string_view) {
  return unavailable();
}

void set_threads(int) {}

Result<TrainReport> train(const model::Model&, const data::Dataset&, const TrainOptions&) {
  return unavailable();
}

Result<Quality> judge(const model::Model&, const data::Dataset&, data::Split, const JudgeOptions&) {
  return unavailable();
}

Status check_split(const model::Model&, const data::Dataset&, data::Split, const JudgeOptions&) {
  return unavailable();
}

Result<FisherReport> fisher_potential(const model::Model&, const ProxyBatch&,
                                      const FisherOptions&) {
  return unavailable();
}

Result<std::vector<std::vector<double>>> time_passes(std::span<const PassCase>,
                                                     const PassOptions&) {
  return unavailable();
}

std::vector<Result<FisherReport>> fisher_of_many(std::int64_t count, const NetworkSource&,
                                                 const ProxyBatch&, const FisherManyOptions&) {
  return std::vector<Result<FisherReport>>(static_cast<std::size_t>(count), unavailable());
}

std::span<const Proxy> proxies() {
  return {};
}

Result<const Proxy*> proxy_named(std::string_view) {
  return unavailable();
}

}  // namespace cambium::train
