// A memory that keeps nothing, because compared searches must not learn from each other.
#pragma once

#include "tune/task.h"

namespace cambium::bench {

class Forgetful : public tune::Memory {
 public:
  Result<std::vector<Known>> known(const tune::Task&) override { return std::vector<Known>{}; }
  Status begin_build(const tune::Task&, const tune::Candidate&, std::int64_t) override {
    return Ok{};
  }
  Status end_build(const tune::Task&, Fingerprint) override { return Ok{}; }
  Status record(const tune::Task&, const tune::Outcome&) override { return Ok{}; }
  Status record_comparison(const tune::Task&, const tune::Candidate&, const Measurement&) override {
    return Ok{};
  }
  Status record_refusal(const tune::Task&, Fingerprint, const Rejection&) override { return Ok{}; }
};

}  // namespace cambium::bench
