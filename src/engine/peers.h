// Asks vendor libraries for their time on an operator. A separate program links them:
// cambium-peers, in the folder of this program. Without it, there are no peers. It is started as
//   cambium-peers --threads N
// It reads a model in the text form of model/text.h from standard input, and prints one JSON line
// per library:
//   {"peer": "oneDNN", "implementation": "jit:avx512_core", "seconds": 5.1e-5, "spread": 0.01}
//   {"peer": "OpenBLAS", "missing": "it has no convolutions"}
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/model.h"

namespace cambium::engine {

struct PeerTime {
  std::string peer, implementation;
  double seconds = 0;  // of one call; 0: there is none, and `missing` says why
  double spread = 0;
  std::string missing;
};

// The path of cambium-peers in the folder of this program; empty: it was not found.
std::string find_peers();

// An empty `executable` gives no answers. Refuses what starting it refuses, Unstartable if it fails
// or takes longer than `seconds`, and BadRecord for a malformed line.
inline constexpr double kPeersSeconds = 60;  // for all libraries on one operator
// Once set, `stop` ends the program like the end of its time.
Result<std::vector<PeerTime>> ask_peers(const std::string& executable, const model::Model& model,
                                        int threads, double seconds = kPeersSeconds,
                                        const std::atomic<bool>* stop = nullptr);

// The fastest library that answered; nullptr: none did.
const PeerTime* best_peer(const std::vector<PeerTime>& peers);

}  // namespace cambium::engine
