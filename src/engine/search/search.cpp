#include "engine/search/search.h"

#include <cerrno>
#include <climits>
#include <csignal>
#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/features.h"
#include "base/json.h"
#include "base/text.h"
#include "engine/documents.h"
#include "engine/search/draft.h"
#include "engine/search/fields.h"
#include "engine/search/latency.h"
#include "engine/search/pool.h"
#include "engine/search/stopping.h"
#include "model/fingerprint.h"

namespace cambium::engine {
namespace {

namespace fs = std::filesystem;

struct Workers {
  std::vector<WorkerKind> kinds;
  std::map<std::string, std::string> absences;
};

Workers workers_for(const SearchRuntime& runtime, const std::string& scratch) {
  Workers workers;
  const auto program = [&](const char* name) {
    return (fs::path(runtime.programs) / name).string();
  };
  if (runtime.device == kNoDevice) {
    workers.absences["accuracy"] = workers.absences["proxy"] =
        fmt::format("this search runs with --device {}", kNoDevice);
  } else if (const Status built = require_feature("torch"); built.ok()) {
    WorkerKind kind;
    kind.argv = {program("cambium-train"), "evaluate", "--scratch", scratch};
    kind.evaluators = {{"accuracy", {kTrainingVersion, {}}}, {"proxy", {kTrainingVersion, {}}}};
    kind.workers = runtime.workers;
    kind.seconds = runtime.job_seconds;
    kind.memory_bytes = runtime.memory_bytes;
    workers.kinds.push_back(std::move(kind));
  } else {
    workers.absences["accuracy"] = workers.absences["proxy"] = built.rejection().message();
  }
  if (const auto offer = latency_offer(); offer.ok()) {
    WorkerKind kind;
    kind.argv = {program("cambium"), "evaluate", "--scratch", scratch};
    kind.evaluators = {{"latency", *offer}};
    kind.is_alone = true;
    kind.seconds = runtime.job_seconds;
    kind.memory_bytes = runtime.memory_bytes;
    workers.kinds.push_back(std::move(kind));
  } else {
    workers.absences["latency"] = offer.rejection().message();
  }
  return workers;
}

std::string host_name() {
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "unknown";
}

// A folder for what workers hand over, gone with the search: STUDY.work.PROCESS. Those of searches
// that were killed go when the next one comes.
class Scratch {
 public:
  explicit Scratch(const std::string& study) {
    const std::string stem = study + ".work.";
    remove_orphans(stem);
    std::error_code error;
    if (fs::create_directory(stem + std::to_string(::getpid()), error)) {
      path_ = stem + std::to_string(::getpid());
    }
  }
  ~Scratch() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const std::string& path() const { return path_; }

 private:
  static void remove_orphans(const fs::path& stem) {
    std::error_code ignored;
    const fs::path folder = stem.has_parent_path() ? stem.parent_path() : fs::path(".");
    std::vector<fs::path> orphans;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
      const std::string name = entry.path().filename().string();
      if (name.rfind(stem.filename().string(), 0) != 0) continue;
      const auto process = parse_int(name.substr(stem.filename().string().size()), 1, INT_MAX);
      if (!process.ok() || (*process != ::getpid() && is_running(*process))) continue;
      orphans.push_back(entry.path());
    }
    for (const fs::path& orphan : orphans) fs::remove_all(orphan, ignored);
  }
  static bool is_running(std::int64_t process) {
    return ::kill(static_cast<pid_t>(process), 0) == 0 || errno != ESRCH;
  }

  std::string path_;
};

std::string default_name(const SearchSetup& setup) {
  return fmt::format("{} {}", setup.strategy.name, setup.strategy.seed);
}

// What the study keeps of a search: its setup, how far it was to go, and who asked for it.
std::string options_text(const SearchSetup& setup, const SearchRuntime& runtime) {
  nlohmann::json options = nlohmann::json::parse(to_json(setup));
  options["command"] = runtime.command;
  options["budget"] = {{"candidates", runtime.candidates}, {"seconds", runtime.seconds}};
  return json_text(options);
}

// A state of a strategy goes on with the same spaces, settings and goals alone. Limits and effort
// may change on the way.
Status check_same_search(store::StudyStore& study, const std::string& name,
                         const SearchSetup& setup) {
  CAMBIUM_TRY(const auto state, study.state(name));
  CAMBIUM_TRY(const auto options, study.options(name));
  if (!state || !options) return Ok{};
  CAMBIUM_TRY(const nlohmann::json before, parse_json(*options));
  const nlohmann::json now = nlohmann::json::parse(to_json(setup));
  for (const char* part : {"spaces", "strategy", "reward", "objectives"}) {
    if (before.value(part, nlohmann::json()) == now[part]) continue;
    return Rejection(Reason::BadOption, fmt::format("search '{}' of the study", name),
                     fmt::format("it was begun with other {}; --name gives this one a name of its "
                                 "own, --resume goes on with that one",
                                 part));
  }
  return Ok{};
}

// All that lives as long as a search does, in the order in which it is made.
struct Wired {
  model::Model model;
  Spaces spaces;
  store::StudyStore study;
  std::unique_ptr<Scratch> scratch;  // before the pool, whose workers write there
  LocalPool pool;
  search::SearchContext context;
};

search::Estimates estimates_of(const model::Model& model, const std::string& evaluator,
                               int threads) {
  if (evaluator != "latency") return {};
  const auto seconds = draft_latency(model, host_machine(), threads);
  if (!seconds.ok()) return {};
  return {{"latency", {*seconds, 0, 1, true}}};
}

Result<std::unique_ptr<Wired>> wire(const SearchSetup& setup, const SearchRuntime& runtime,
                                    store::StudyStore study) {
  CAMBIUM_REQUIRE(check_stopping(setup.stopping));
  CAMBIUM_TRY(model::Model model, load_base(setup.model, setup.bind));
  CAMBIUM_TRY(Spaces spaces, make_spaces(model, setup.spaces));
  store::StudyHead head;
  head.base = model::structure_of(model);
  head.model = setup.model;
  head.data = setup.data;
  head.options = options_text(setup, runtime);
  head.commit = runtime.commit;
  CAMBIUM_REQUIRE(study.set_head(head));
  JobSetting setting;
  setting.model = setup.model;
  setting.bind = setup.bind;
  setting.data = setup.data;
  setting.spaces = to_json(setup.spaces);
  setting.db = runtime.db.empty() ? runtime.study + ".tuning" : runtime.db;
  setting.machine_file = runtime.machine_file;
  setting.device = runtime.device;
  setting.threads = runtime.threads;
  // Workers are made when they are first needed; the folder must be there before.
  auto scratch = std::make_unique<Scratch>(runtime.study);
  if (scratch->path().empty()) {
    return Rejection(Reason::Unwritable, runtime.study, "no folder can be made beside it");
  }
  Workers workers = workers_for(runtime, scratch->path());
  auto wired = std::unique_ptr<Wired>(new Wired{
      std::move(model),
      std::move(spaces),
      std::move(study),
      std::move(scratch),
      LocalPool(std::move(setting), std::move(workers.kinds), std::move(workers.absences)),
      {}});
  search::SearchContext& context = wired->context;
  context.base = &wired->model;
  context.spaces = pointers(wired->spaces);
  context.study = &wired->study;
  context.executor = &wired->pool;
  context.place = {runtime.commit, host_name()};
  context.estimate = [threads = setup.threads](const model::Model& candidate,
                                               const std::string& evaluator) {
    return estimates_of(candidate, evaluator, threads);
  };
  return wired;
}

}  // namespace

nlohmann::json json_of(const search::Scores& scores) {
  nlohmann::json all = nlohmann::json::object();
  for (std::size_t i = 0; i < search::kMetrics; ++i) {
    const auto metric = static_cast<search::Metric>(i);
    if (const auto& value = scores.at(metric)) {
      all[std::string(name_of(metric))] = {
          {"value", value->value}, {"spread", value->spread}, {"estimate", value->is_estimate}};
    }
  }
  return all;
}

Result<search::SearchReport> run_search(const SearchSetup& setup, const SearchRuntime& runtime,
                                        const search::SearchHooks& hooks) {
  CAMBIUM_TRY(store::StudyStore study, store::StudyStore::open(runtime.study));
  CAMBIUM_TRY(const std::unique_ptr<Wired> wired, wire(setup, runtime, std::move(study)));
  search::SearchOptions options;
  options.name = runtime.name.empty() ? default_name(setup) : runtime.name;
  CAMBIUM_REQUIRE(check_same_search(wired->study, options.name, setup));
  CAMBIUM_REQUIRE(wired->study.set_options(options.name, options_text(setup, runtime)));
  options.strategy = setup.strategy;
  options.strategy.objectives = setup.objectives;
  options.funnel = setup.funnel();
  options.reward = setup.reward;
  for (const std::string& written : setup.tries) {
    CAMBIUM_TRY(spaces::Candidate candidate, candidate_of(wired->spaces, wired->model, written));
    options.given.push_back(std::move(candidate));
  }
  options.candidates = runtime.candidates;
  options.seconds = runtime.seconds;
  return search::run(wired->context, options, hooks);
}

Result<SearchSetup> setup_of(const std::string& path) {
  CAMBIUM_TRY(store::StudyStore study,
              store::StudyStore::open(path, store::StudyStore::Mode::Open));
  CAMBIUM_TRY(const auto head, study.head());
  if (!head) return Rejection(Reason::NotFound, path + " holds no search");
  return parse_setup(head->options).at(path);
}

namespace {

Result<KeptSearch> kept_of(std::string name, const std::string& options) {
  KeptSearch kept;
  kept.name = std::move(name);
  CAMBIUM_TRY(kept.setup, parse_setup(options));
  CAMBIUM_TRY(const nlohmann::json json, parse_json(options));
  if (const auto command = json.find("command"); command != json.end() && command->is_array()) {
    for (const nlohmann::json& word : *command) {
      if (word.is_string()) kept.command.push_back(word.get<std::string>());
    }
  }
  if (const auto budget = json.find("budget"); budget != json.end()) {
    std::int64_t candidates = 0;
    double seconds = 0;
    CAMBIUM_REQUIRE(
        Fields(*budget).take("candidates", candidates).take("seconds", seconds).status());
    kept.candidates = candidates;
    kept.seconds = seconds;
  }
  return kept;
}

}  // namespace

Result<KeptSearch> kept_search(const std::string& path, const std::string& name) {
  CAMBIUM_TRY(store::StudyStore study,
              store::StudyStore::open(path, store::StudyStore::Mode::Open));
  CAMBIUM_TRY(const auto head, study.head());
  if (!head) return Rejection(Reason::NotFound, path + " holds no search");
  CAMBIUM_TRY(const std::vector<std::string> names, study.searches());
  if (name.empty() && names.size() > 1) {
    return Rejection(
        Reason::BadOption, "--resume",
        fmt::format("{} has several searches; --name says which: '{}'", path, join(names, "', '")));
  }
  CAMBIUM_TRY(KeptSearch first, kept_of("", head->options).at(path));
  first.name = default_name(first.setup);
  const std::string chosen = !name.empty() ? name : names.empty() ? first.name : names.front();
  CAMBIUM_TRY(const auto options, study.options(chosen));
  if (options) return kept_of(chosen, *options).at(path);
  // Of an older version, which kept what the first was begun with.
  if (chosen == first.name || name.empty()) {
    first.name = chosen;
    return first;
  }
  return Rejection(Reason::NotFound, fmt::format("{} has no search '{}'; it has '{}'", path, name,
                                                 join(names, "', '")));
}

Result<std::int64_t> complete_search(const SearchRuntime& runtime, const std::string& evaluator,
                                     const search::SearchHooks& hooks) {
  CAMBIUM_TRY(const SearchSetup setup, setup_of(runtime.study));
  CAMBIUM_TRY(store::StudyStore study, store::StudyStore::open(runtime.study));
  CAMBIUM_TRY(const std::unique_ptr<Wired> wired, wire(setup, runtime, std::move(study)));
  return search::complete_pending(wired->context, evaluator, hooks);
}

nlohmann::json to_json(const search::SearchReport& report, const SearchSetup& setup,
                       const std::string& study) {
  nlohmann::json out = document("search", 1);
  out["study"] = study;
  out["setup"] = nlohmann::json::parse(to_json(setup));
  out["original"] = json_of(report.original_final);
  out["original_brief"] = json_of(report.original);
  out["finalists"] = nlohmann::json::array();
  for (const search::SearchRow& row : report.finalists) {
    out["finalists"].push_back({{"candidate", row.identity.text()},
                                {"title", row.title},
                                {"scores", json_of(row.scores)},
                                {"holds_limits", row.holds_limits},
                                {"refused", row.refused}});
    if (row.speedup) out["finalists"].back()["speedup"] = *row.speedup;
  }
  const search::SearchProgress& last = report.last;
  const auto stages_json = [](const std::vector<search::Passages::Count>& stages) {
    nlohmann::json all = nlohmann::json::array();
    for (const auto& stage : stages) {
      all.push_back({{"evaluator", stage.evaluator},
                     {"entered", stage.entered},
                     {"refused", stage.refused},
                     {"pending", stage.pending}});
    }
    return all;
  };
  out["summary"] = {{"proposed", last.proposed},
                    {"folded", last.folded},
                    {"front", last.front},
                    {"refusals", last.refusals},
                    {"stages", stages_json(last.stages)},
                    {"final_stages", stages_json(last.final_stages)},
                    {"evaluations", last.evaluations},
                    {"evaluation_seconds", last.evaluation_seconds},
                    {"seconds", last.seconds},
                    {"own_seconds", report.own_seconds},
                    {"stopped", report.was_stopped},
                    {"exhausted", report.is_exhausted}};
  return out;
}

}  // namespace cambium::engine
