// The threads of the runner in the form that generated code calls (codegen/kernel_abi.h).
#pragma once

#include "base/thread_pool.h"
#include "codegen/kernel_abi.h"

namespace cambium::measure {

class Team {
 public:
  explicit Team(int threads);
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int threads() const { return pool_.threads(); }
  const cambium_parallel* parallel() const { return &parallel_; }

 private:
  ThreadPool pool_;
  cambium_parallel parallel_;
};

}  // namespace cambium::measure
