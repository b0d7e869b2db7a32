// The frameworks that whole models are compared with, each a script of this folder in a process of
// its own (peer.py has the protocol). One that cannot be had is reported as missing, with the
// reason. Called by `cambium bench models` and `cambium bench tune`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "measure/timing.h"
#include "model/model.h"

namespace cambium::bench {

struct FrameworkOptions {
  std::string folder;                    // of the scripts: bench/peers
  std::string python = "python3";        // runs those that come from PyPI
  std::string torch_python = "python3";  // the one that has torch
  int threads = 1;
  int rounds = 15;          // ours and theirs take turns
  double tune_seconds = 0;  // of those that tune; 0: they are left out
  std::string work = {};    // where these keep their logs
};

// One object per framework: {"peer", "version", "note", "ratio", "spread", "ours_seconds",
// "theirs_seconds"} or {"peer", "missing"}. A ratio above 1: ours is faster.
nlohmann::json compare_frameworks(const model::Model& model, const measure::Call& ours,
                                  const FrameworkOptions& options);

}  // namespace cambium::bench
