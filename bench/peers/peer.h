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

// None where the library has nothing for the shape. oneDNN throws where it cannot.
std::vector<std::unique_ptr<Peer>> onednn_peers(const Shape& shape, int threads);
std::vector<std::unique_ptr<Peer>> openblas_peers(const Shape& shape, int threads);
std::vector<std::unique_ptr<Peer>> libxsmm_peers(const Shape& shape, int threads);

// All of them; a library without a peer is missing, never just absent.
struct VendorPeers {
  struct Missing {
    std::string library, why;
  };
  std::vector<std::unique_ptr<Peer>> peers;
  std::vector<Missing> missing;
};
VendorPeers vendor_peers(const Shape& shape, int threads);
// Where no library can be asked.
VendorPeers no_vendor_peers(const std::string& why);

}  // namespace cambium::bench
