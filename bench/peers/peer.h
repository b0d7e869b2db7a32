// The vendor libraries that kernels are compared with. Each runs one workload in this process, on
// its own memory. Its weights are in its preferred order before timing, as ours are.
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

// Empty if the library has no function for the shape. oneDNN throws if it cannot run it.
std::vector<std::unique_ptr<Peer>> onednn_peers(const Shape& shape, int threads);
std::vector<std::unique_ptr<Peer>> openblas_peers(const Shape& shape, int threads);
std::vector<std::unique_ptr<Peer>> libxsmm_peers(const Shape& shape, int threads);

// The peers of all libraries. A library without a peer has an entry that says why.
struct VendorPeers {
  struct Missing {
    std::string library, why;
  };
  std::vector<std::unique_ptr<Peer>> peers;
  std::vector<Missing> missing;
};
VendorPeers vendor_peers(const Shape& shape, int threads);
// For builds without any library.
VendorPeers no_vendor_peers(const std::string& why);

}  // namespace cambium::bench
