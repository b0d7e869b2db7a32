// Vendor libraries, asked for their time on an operator. They are linked by a program of their own,
// cambium-peers, found beside this one as benchmarks are; where it is absent, so are they. It is
// started as
//   cambium-peers --threads N
// reads a model in the text form of model/text.h on standard input, and prints JSON lines, one per
// library:
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
  double seconds = 0;  // of one call; 0: it has none, and `missing` says why
  double spread = 0;
  std::string missing;
};

// The path of cambium-peers beside this program; empty: it is not there.
std::string find_peers();

// `executable` empty: none, and none answer. Refuses what starting it refuses, Unstartable when it
// fails or takes longer than that, and BadRecord for a line that is not as above.
inline constexpr double kPeersSeconds = 60;  // for all libraries on one operator
// `stop`, once set, ends it as the end of its time would.
Result<std::vector<PeerTime>> ask_peers(const std::string& executable, const model::Model& model,
                                        int threads, double seconds = kPeersSeconds,
                                        const std::atomic<bool>* stop = nullptr);

// The fastest that answered; nullptr: none did.
const PeerTime* best_peer(const std::vector<PeerTime>& peers);

}  // namespace cambium::engine
