// What a study keeps about each of its searches, as JSON, so that the file alone is enough to
// resume: the setup, the size of the search, the settings of its last run, and the command that
// began it. Everything that changes a result is in it. Studies of older versions lack parts, which
// the caller then supplies. Refuses NotFound, BadOption and what parse_setup refuses. Used by
// `cambium search`, replays and lists of studies.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/search/setup.h"

namespace cambium::engine {

// No device: trainings stay pending for another machine.
inline constexpr const char* kNoDevice = "none";

// The size of a run and where it runs. A later run may change them; otherwise they stay.
struct SearchRun {
  std::int64_t candidates = 100;
  double seconds = 0;             // of exploring; 0: no limit
  int workers = 1;                // trainings at once
  int threads = 1;                // of each training: the same number gives the same bits
  std::string device = "auto";    // several (`cuda:0,cuda:1`): workers take turns; or kNoDevice
  double job_seconds = 3600;      // limit for one evaluation
  std::int64_t memory_bytes = 0;  // of a worker; 0: no limit

  friend bool operator==(const SearchRun&, const SearchRun&) = default;
};

struct KeptSearch {
  std::string name;
  SearchSetup setup;
  SearchRun run;                     // the last run
  std::vector<std::string> command;  // that began the search
};

std::string kept_text(const SearchSetup& setup, const SearchRun& run,
                      const std::vector<std::string>& command);
// `otherwise`: settings that the text lacks.
Result<KeptSearch> parse_kept(const std::string& text, const SearchRun& otherwise);

// The name of a search without a --name.
std::string default_name(const SearchSetup& setup);

// The search of that name; without a name, the only search. Refuses NotFound, and BadOption if
// there are several.
Result<KeptSearch> kept_search(const std::string& study, const std::string& name,
                               const SearchRun& otherwise);
// The search that began the study, with its last settings. Refuses NotFound.
Result<KeptSearch> first_search(const std::string& study, const SearchRun& otherwise);
Result<SearchSetup> setup_of(const std::string& study);

}  // namespace cambium::engine
