// The vendor libraries that kernels are compared with, each doing the work of one workload on
// memory of its own, with one thread. Weights are in the library's favourite order beforehand, as
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

// None where the library has nothing for the workload.
std::vector<std::unique_ptr<Peer>> onednn_peers(const Workload& workload);
std::vector<std::unique_ptr<Peer>> openblas_peers(const Workload& workload);

void use_one_thread();  // in all of them

}  // namespace cambium::bench
