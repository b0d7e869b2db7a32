// What the numbers may be that a user gives. The command line is held against these ranges, and so
// is what a study or a job says: a file may come from anywhere. Used by `cli`, and by whatever
// reads setups and jobs.
#pragma once

#include <cstdint>

#include "base/range.h"

namespace cambium::engine::ranges {

inline constexpr std::int64_t kMany = 1'000'000'000;

inline constexpr Range<int> kThreads{1, 1024};  // and whatever else runs at a time
inline constexpr Range<int> kWorkers = kThreads;
inline constexpr Range<int> kInFlight{1, 4096};
inline constexpr Range<int> kSeeds{1, 100};  // full trainings of one candidate
inline constexpr Range<int> kFinalists{0, 1000};
inline constexpr Range<int> kTrainings{1, 1000};  // of `train`
inline constexpr Range<std::int64_t> kCandidates{0, kMany};
inline constexpr Range<std::int64_t> kEpochs{1, kMany};
inline constexpr Range<std::int64_t> kTrials{0, kMany};  // of tuning, per kernel
inline constexpr Range<std::int64_t> kBatch{1, kMany};
inline constexpr Range<std::int64_t> kBytes{0, kMany* kMany};
inline constexpr Range<double> kSeconds{0, static_cast<double>(kMany)};
inline constexpr Range<std::int64_t> kWholeSeconds{0, kMany};
inline constexpr Range<double> kShare{0, static_cast<double>(kMany)};  // of the original's

}  // namespace cambium::engine::ranges
