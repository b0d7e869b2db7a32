// A tuned operator as native code in this process. It is checked against the interpreter before it
// is timed. Refuses what lowering, tuning and checking refuse.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/machine.h"
#include "base/result.h"
#include "engine/tune.h"
#include "kernels/native_kernel.h"
#include "lower/layout.h"
#include "measure/measure.h"
#include "model/model.h"
#include "program/context.h"

namespace cambium::bench {

struct LayerTuning {
  std::int64_t trials = 64;
  int threads = 1, jobs = 1;
  std::string db;
};

struct TunedLayer {
  std::unique_ptr<program::Context> cx;  // of the kernel
  NativeKernel kernel;
  engine::TuningRow tuning;
  double error = 0;  // the largest, as a share of its bound
};
Result<TunedLayer> tuned_layer(const model::Model& model, const lower::Layouts& layouts,
                               const Machine& machine, const LayerTuning& tuning,
                               measure::Runner& runner);

}  // namespace cambium::bench
