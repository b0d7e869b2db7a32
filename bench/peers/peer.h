// The vendor libraries that kernels are compared with, each doing the work of one workload on
// memory of its own, in this process. Weights are in the library's favourite order beforehand, as
// ours are.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernels/workload.h"

namespace cambium::bench {

class Peer {
 public:
  virtual ~Peer() = default;
  virtual void run() = 0;
  std::string name;            // "onednn-nhwc"
  std::string implementation;  // what the library says it uses
};

// None where the library has nothing for the shape.
std::vector<std::unique_ptr<Peer>> onednn_peers(const Shape& shape, int threads);
std::vector<std::unique_ptr<Peer>> openblas_peers(const Shape& shape, int threads);
std::vector<std::unique_ptr<Peer>> libxsmm_peers(const Shape& shape, int threads);

inline std::vector<std::unique_ptr<Peer>> vendor_peers(const Shape& shape, int threads) {
  std::vector<std::unique_ptr<Peer>> peers = onednn_peers(shape, threads);
  for (auto& peer : openblas_peers(shape, threads)) peers.push_back(std::move(peer));
  for (auto& peer : libxsmm_peers(shape, threads)) peers.push_back(std::move(peer));
  return peers;
}

}  // namespace cambium::bench
