// Trials that differ by a number. For tests of this folder and the program that they kill.
#pragma once

#include <filesystem>
#include <string>

#include <stdlib.h>

#include "base/scratch_folder_testing.h"
#include "store/tuning_store.h"

namespace cambium::store {

inline TuningKey key_number(std::uint64_t number) {
  return {fingerprint_of("program", number), fingerprint_of("machine", number), 1, "llvm-1"};
}

inline Trial trial_number(std::uint64_t number) {
  Trial trial;
  trial.scheduled = fingerprint_of("scheduled", number);
  trial.trace = "split(loop: l0, factors: [0, " + std::to_string(number) + "]) -> l0.0, l0.1\n";
  trial.strategy = "evolution";
  trial.seed = ~std::uint64_t{0} - number;
  trial.number = static_cast<std::int64_t>(number);
  trial.samples = {{Protocol::Rank, 1e-3 / static_cast<double>(number + 3), 0.0123, 10, 0.25}};
  trial.features = {1.5F, static_cast<float>(number), -0.1F, 3e-20F};
  trial.rows = 2;
  return trial;
}

inline Trial refused_trial(std::uint64_t number) {
  Trial trial = trial_number(number);
  trial.samples.clear();
  trial.reason = "KernelTimeout";
  trial.detail = "the kernel ran longer than 100 ms";
  return trial;
}

}  // namespace cambium::store
