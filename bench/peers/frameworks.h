// The frameworks that models and operators are compared with, each a script of this folder in a
// process of its own (peer.py has the protocol). The process and this one take turns and never work
// at once. An unavailable framework is reported as missing, with the reason. Called by `cambium
// bench models` and `cambium bench tune`.
#pragma once

#include <cstdint>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "measure/timing.h"
#include "model/model.h"

namespace cambium::bench {

enum class Framework : std::uint8_t { OnnxRuntime, OpenVino, LibTorch, Tvm };
const char* name_of(Framework framework);  // "onnxruntime"

struct FrameworkOptions {
  std::string folder;                    // of the scripts: bench/peers
  std::string python = "python3";        // runs those that come from PyPI
  std::string torch_python = "python3";  // the one that has torch
  int threads = 1;
  std::int64_t rounds = 15;  // ours and theirs take turns
  double most_seconds = 60;  // after which no further round begins
  measure::BurstOptions burst = {};
  // Limits for frameworks that tune: seconds, or trials. Without either, they are not tuned.
  double tune_seconds = 0;
  std::int64_t tune_trials = 0;
  std::string work = {};  // folder of their tuning logs; the time of a continued log counts
};

struct FrameworkComparison {
  std::string peer;                // the name that it reports, or that of the framework
  std::string version, note = {};  // as it reports them
  measure::Comparison comparison = {};
  std::string missing = {};  // why there is no comparison; empty: there is
};
FrameworkComparison compare_framework(Framework framework, const model::Model& model,
                                      const measure::Call& ours, const FrameworkOptions& options);

// {"peer", "version", "note", "ratio", "spread", "rounds", "ours_seconds", "theirs_seconds"} or
// {"peer", "missing"}. A ratio above 1: ours is faster.
nlohmann::json json_of(const FrameworkComparison& comparison);

}  // namespace cambium::bench
