#include "engine/search/kept.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/text.h"
#include "engine/ranges.h"
#include "engine/search/fields.h"
#include "store/study_store.h"

namespace cambium::engine {
namespace {

using nlohmann::json;
using store::StudyStore;

// The member of that name, if there is one.
const json* part_of(const json& kept, const char* name) {
  const auto found = kept.find(name);
  return found == kept.end() ? nullptr : &*found;
}

Status read_run(const json& kept, SearchRun& run) {
  if (const json* const budget = part_of(kept, "budget")) {
    CAMBIUM_REQUIRE(Fields(*budget)
                        .take("candidates", run.candidates, ranges::kCandidates)
                        .take("seconds", run.seconds, ranges::kSeconds)
                        .status());
  }
  if (const json* const how = part_of(kept, "run")) {
    CAMBIUM_REQUIRE(Fields(*how)
                        .take("workers", run.workers, ranges::kWorkers)
                        .take("train_threads", run.threads, ranges::kThreads)
                        .take("device", run.device)
                        .take("job_seconds", run.job_seconds, ranges::kSeconds)
                        .take("worker_memory", run.memory_bytes, ranges::kBytes)
                        .status());
  }
  return Ok{};
}

Result<std::string> head_options(StudyStore& study, const std::string& path) {
  CAMBIUM_TRY(const auto head, study.head());
  if (!head) return Rejection(Reason::NotFound, path + " holds no search");
  return head->options;
}

Result<StudyStore> opened_study(const std::string& path) {
  return StudyStore::open(path, store::Mode::Read);
}

}  // namespace

std::string kept_text(const SearchSetup& setup, const SearchRun& run,
                      const std::vector<std::string>& command) {
  json kept = json_of(setup);
  kept["command"] = command;
  kept["budget"] = {{"candidates", run.candidates}, {"seconds", run.seconds}};
  kept["run"] = {{"workers", run.workers},
                 {"train_threads", run.threads},
                 {"device", run.device},
                 {"job_seconds", run.job_seconds},
                 {"worker_memory", run.memory_bytes}};
  return json_text(kept);
}

Result<KeptSearch> parse_kept(const std::string& text, const SearchRun& otherwise) {
  KeptSearch kept;
  CAMBIUM_TRY(kept.setup, parse_setup(text));
  CAMBIUM_TRY(const json object, parse_json(text));
  const json* const command = part_of(object, "command");
  if (command != nullptr && command->is_array()) {
    for (const json& word : *command) {
      if (word.is_string()) kept.command.push_back(word.get<std::string>());
    }
  }
  kept.run = otherwise;
  CAMBIUM_REQUIRE(read_run(object, kept.run));
  kept.name = default_name(kept.setup);
  return kept;
}

std::string default_name(const SearchSetup& setup) {
  return fmt::format("{} {}", setup.strategy.name, setup.strategy.seed);
}

Result<KeptSearch> kept_search(const std::string& path, const std::string& name,
                               const SearchRun& otherwise) {
  CAMBIUM_TRY(StudyStore study, opened_study(path));
  CAMBIUM_TRY(const std::string begun_with, head_options(study, path));
  CAMBIUM_TRY(const std::vector<std::string> names, study.searches());
  if (name.empty() && names.size() > 1) {
    return Rejection(Reason::BadOption, "--resume",
                     fmt::format("{} has several searches; choose one with --name: '{}'", path,
                                 join(names, "', '")));
  }
  CAMBIUM_TRY(KeptSearch first, parse_kept(begun_with, otherwise).at(path));
  const std::string chosen = !name.empty() ? name : names.empty() ? first.name : names.front();
  CAMBIUM_TRY(const auto options, study.options(chosen));
  if (options) {
    CAMBIUM_TRY(KeptSearch kept, parse_kept(*options, otherwise).at(path));
    kept.name = chosen;
    return kept;
  }
  // An older version kept only the options of the first search.
  if (names.empty() ? chosen == first.name
                    : std::find(names.begin(), names.end(), chosen) != names.end()) {
    first.name = chosen;
    return first;
  }
  return Rejection(Reason::BadOption, "--name " + quote(name),
                   fmt::format("{} has no such search; its searches are '{}'", path,
                               names.empty() ? first.name : join(names, "', '")));
}

Result<KeptSearch> first_search(const std::string& path, const SearchRun& otherwise) {
  CAMBIUM_TRY(StudyStore study, opened_study(path));
  CAMBIUM_TRY(const std::string begun_with, head_options(study, path));
  CAMBIUM_TRY(KeptSearch first, parse_kept(begun_with, otherwise).at(path));
  // The head is written once. The last settings of a search are stored under its name.
  CAMBIUM_TRY(const std::vector<std::string> names, study.searches());
  if (!names.empty()) first.name = names.front();  // in the order in which they were begun
  CAMBIUM_TRY(const auto options, study.options(first.name));
  if (!options) return first;
  CAMBIUM_TRY(KeptSearch now, parse_kept(*options, otherwise).at(path));
  now.name = first.name;
  return now;
}

Result<SearchSetup> setup_of(const std::string& path) {
  CAMBIUM_TRY(KeptSearch first, first_search(path, {}));
  return std::move(first.setup);
}

}  // namespace cambium::engine
