// A folder that is gone after the test, and trials that differ by a number. For tests of this
// folder and the program that they kill.
#pragma once

#include <filesystem>
#include <string>

#include <stdlib.h>

#include "store/tuning_store.h"

namespace cambium::store {

class ScratchFolder {
 public:
  ScratchFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "cambium.XXXXXX").string();
    CAMBIUM_CHECK(mkdtemp(pattern.data()) != nullptr, "a scratch folder can be made");
    folder_ = pattern;
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

 private:
  std::filesystem::path folder_;
};

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
