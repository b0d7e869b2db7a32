// What a study keeps of each of its searches, as JSON, so that going on needs the file alone: the
// setup, how far the search was to go, how it ran, and the command that began it. Everything that
// changes a result is in it. Studies of older versions lack parts, which are then as the caller
// says. Refuses NotFound, BadOption and what parse_setup refuses. Used by `cambium search`, by
// replays and by whatever lists a study.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/search/setup.h"

namespace cambium::engine {

// A device that trains nothing: candidates wait for a machine that does.
inline constexpr const char* kNoDevice = "none";

// How far a search goes in this run, and on what. A later run may change it; without a word it is
// as it was.
struct SearchRun {
  std::int64_t candidates = 100;
  double seconds = 0;             // of exploring; 0: no limit
  int workers = 1;                // that train at once
  int threads = 1;                // of each of those: the same number gives the same bits
  std::string device = "auto";    // several (`cuda:0,cuda:1`): workers take turns; or kNoDevice
  double job_seconds = 3600;      // that one evaluation may take
  std::int64_t memory_bytes = 0;  // of a worker; 0: no limit

  friend bool operator==(const SearchRun&, const SearchRun&) = default;
};

struct KeptSearch {
  std::string name;
  SearchSetup setup;
  SearchRun run;                     // as it was started last
  std::vector<std::string> command;  // that it was begun with; going on does not change it
};

std::string kept_text(const SearchSetup& setup, const SearchRun& run,
                      const std::vector<std::string>& command);
// `otherwise`: how it runs, where the text does not say.
Result<KeptSearch> parse_kept(const std::string& text, const SearchRun& otherwise);

// Of a search that has no name of its own.
std::string default_name(const SearchSetup& setup);

// The search of that name; where none is given, the only one. Refuses NotFound, and BadOption where
// there are several to choose from.
Result<KeptSearch> kept_search(const std::string& study, const std::string& name,
                               const SearchRun& otherwise);
// The one that a study was begun with, as it was started last. Refuses NotFound.
Result<KeptSearch> first_search(const std::string& study, const SearchRun& otherwise);
Result<SearchSetup> setup_of(const std::string& study);

}  // namespace cambium::engine
