// A peer in a separate process: a script of this folder, asked for bursts (the protocol is in
// peer.py). Tuning peers may take long before they are ready.
#pragma once

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "measure/timing.h"

namespace cambium::bench {

class PeerProcess {
 public:
  // Refuses Unstartable. An unavailable peer says why in `missing`.
  static Result<PeerProcess> start(const std::vector<std::string>& argv);
  PeerProcess(PeerProcess&&) noexcept;
  PeerProcess& operator=(PeerProcess&&) noexcept;
  ~PeerProcess();

  std::string name, version, note;
  std::string missing;  // why there is none; empty: it is ready

  // Seconds of one call, as measure::time_burst gives them. Refuses RunnerFailed.
  Result<double> burst(const measure::BurstOptions& options);

 private:
  struct State;
  explicit PeerProcess(std::unique_ptr<State> state);
  Result<std::string> answer();
  std::unique_ptr<State> state_;
};

}  // namespace cambium::bench
