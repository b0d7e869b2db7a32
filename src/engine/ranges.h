// The ranges of numbers that a user may give. They apply to the command line, and to studies and
// jobs, because a file may come from anywhere. Used by `cli`, and by everything that reads setups
// and jobs.
#pragma once

#include <cstdint>

#include "base/range.h"

namespace cambium::engine::ranges {

inline constexpr std::int64_t kMany = 1'000'000'000;

inline constexpr Range<int> kThreads{1, 1024};  // and other numbers of parallel runs
inline constexpr Range<int> kWorkers = kThreads;
inline constexpr Range<int> kInFlight{1, 4096};
inline constexpr Range<int> kSeeds{1, 100};  // full trainings of one candidate
inline constexpr Range<int> kFinalists{0, 1000};
inline constexpr Range<int> kTrainings{1, 1000};  // of one `cambium train`
inline constexpr Range<std::int64_t> kCandidates{0, kMany};
inline constexpr Range<std::int64_t> kEpochs{1, kMany};
inline constexpr Range<std::int64_t> kBriefEpochs{0, kMany};  // 0: no brief training
inline constexpr Range<int> kDraws{1, 1000};                  // of minibatches and weights
inline constexpr Range<int> kConfidence{50, 99};              // of a verdict, in percent
inline constexpr Range<std::int64_t> kTrials{0, kMany};       // of tuning, per kernel
inline constexpr Range<std::int64_t> kBatch{1, kMany};
inline constexpr Range<std::int64_t> kBytes{0, kMany* kMany};
inline constexpr Range<double> kSeconds{0, static_cast<double>(kMany)};
inline constexpr Range<std::int64_t> kWholeSeconds{0, kMany};
inline constexpr Range<double> kShare{0, static_cast<double>(kMany)};  // relative to the original

}  // namespace cambium::engine::ranges
