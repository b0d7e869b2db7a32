#include "engine/search/search.h"

#include <algorithm>
#include <climits>
#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/features.h"
#include "base/json.h"
#include "base/temporary_folder.h"
#include "base/text.h"
#include "data/spec.h"
#include "engine/documents.h"
#include "engine/search/draft.h"
#include "engine/search/latency.h"
#include "engine/search/pool.h"
#include "engine/search/stopping.h"
#include "engine/search/test_split.h"
#include "engine/utf8_texts.h"
#include "model/fingerprint.h"
#include "model/recognize/pass.h"
#include "model/target.h"

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
  if (runtime.run.device == kNoDevice) {
    workers.absences["accuracy"] = workers.absences["proxy"] =
        fmt::format("this search runs with --device {}", kNoDevice);
  } else if (const Status built = require_feature("torch"); built.ok()) {
    WorkerKind kind;
    kind.argv = {program("cambium-train"), "evaluate", "--scratch", scratch};
    kind.evaluators = {{"accuracy", {kTrainingVersion, {}}}, {"proxy", {kTrainingVersion, {}}}};
    kind.workers = runtime.run.workers;
    kind.seconds = runtime.run.job_seconds;
    kind.memory_bytes = runtime.run.memory_bytes;
    workers.kinds.push_back(std::move(kind));
  } else {
    workers.absences["accuracy"] = workers.absences["proxy"] = built.rejection().message();
  }
  if (const auto offer = latency_offer(); offer.ok()) {
    WorkerKind kind;
    kind.argv = {program("cambium"), "evaluate", "--scratch", scratch};
    kind.evaluators = {{"latency", *offer}};
    kind.is_alone = true;
    kind.seconds = runtime.run.job_seconds;
    kind.memory_bytes = runtime.run.memory_bytes;
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

// What a later run may change: limits (but for the one that shapes the spaces), candidates of one's
// own, and what the finals are made of.
constexpr const char* kMayChange[] = {"limits", "tries", "epochs", "seeds", "finalists", "trials"};

// Spaces that know the search's limit on activations propose nothing that it would refuse.
Result<std::vector<SpaceSetting>> spaces_within_limits(const model::Model& base,
                                                       const SearchSetup& setup) {
  std::optional<double> share;
  const auto made = static_cast<double>(model::pass_of(base).activation_bytes);
  search::Scores original;
  original.set(search::Metric::Activations, {made, 0, false});
  for (const search::LimitText& limit : setup.limits) {
    if (limit.metric != search::Metric::Activations || made == 0) continue;
    CAMBIUM_TRY(const search::Limit most, search::limit_of(limit.metric, limit.text, original));
    share = std::min(share.value_or(most.bound / made), most.bound / made);
  }
  return with_most_activations(setup.spaces, share);
}

constexpr const char* kOtherSearch =
    "--name gives this one a name of its own, --resume goes on with that one";

// A strategy goes on from the rewards that it has seen, so that candidates must be trained and
// timed as before, and from its place in the spaces, so that they must hold the same candidates.
Status check_same_search(store::StudyStore& study, const std::string& name,
                         const model::Model& base, const SearchSetup& setup) {
  CAMBIUM_TRY(const auto state, study.state(name));
  CAMBIUM_TRY(const auto options, study.options(name));
  if (!state || !options) return Ok{};
  const std::string place = fmt::format("search '{}' of the study", name);
  CAMBIUM_TRY(const KeptSearch kept, parse_kept(*options, {}));
  const nlohmann::json before = json_of(kept.setup), now = json_of(setup);
  for (const auto& [part, value] : now.items()) {
    const bool may_change =
        std::find(std::begin(kMayChange), std::end(kMayChange), part) != std::end(kMayChange);
    if (may_change || before[part] == value) continue;
    return Rejection(Reason::BadOption, place,
                     fmt::format("it was begun with other {}; {}", part, kOtherSearch));
  }
  CAMBIUM_TRY(const auto spaces_before, spaces_within_limits(base, kept.setup));
  CAMBIUM_TRY(const auto spaces_now, spaces_within_limits(base, setup));
  if (spaces_before == spaces_now) return Ok{};
  return Rejection(Reason::BadOption, place,
                   fmt::format("it was begun with another --max-activations, within which its "
                               "spaces propose candidates; {}",
                               kOtherSearch));
}

// All that lives as long as a search does, in the order in which it is made.
struct Wired {
  model::Model model;
  Spaces spaces;
  store::StudyStore study;
  TemporaryFolder scratch;  // before the pool, whose workers write there
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

// Finals train here and are judged on the test split, be it hours from now.
bool needs_test_split(const SearchSetup& setup, const SearchRun& run) {
  const bool has_finals = setup.finalists > 0 || !setup.tries.empty();
  return has_finals && run.device != kNoDevice && require_feature("torch").ok();
}

// Whatever jobs or the study say as JSON.
Status check_texts(const SearchSetup& setup, const SearchRuntime& runtime) {
  nlohmann::json texts = json_of(setup);
  texts["study"] = runtime.study;
  texts["name"] = runtime.name;
  texts["device"] = runtime.run.device;
  texts["db"] = runtime.db;
  texts["cache"] = runtime.machine_file;
  return check_utf8(texts);
}

// Whether these are names of devices; which of them are there, a worker finds out.
Status check_devices(const std::string& devices) {
  for (const std::string_view device : split(devices, ',')) {
    const bool is_numbered =
        device.starts_with("cuda:") && parse_int(device.substr(5), 0, INT_MAX).ok();
    if (is_numbered || device == kNoDevice || device == "auto" || device == "cpu" ||
        device == "cuda") {
      continue;
    }
    return Rejection(
        Reason::BadOption, "--device",
        fmt::format("unknown device '{}'; expected auto, cpu, cuda, cuda:N or none", device));
  }
  return Ok{};
}

// Edits name the places that they change.
Status check_places(const model::Model& model, const std::vector<SpaceSetting>& settings) {
  nlohmann::json names = nlohmann::json::array();
  for (const SpaceSetting& setting : settings) {
    CAMBIUM_TRY(const std::vector<model::Target> targets, model::select(model, setting.targets));
    for (const model::Target& target : targets) {
      for (const model::Site& site : target.sites) names.push_back(site.name);
    }
  }
  return check_utf8({{"place", std::move(names)}});
}

Result<std::unique_ptr<Wired>> wire(const SearchSetup& setup, const SearchRuntime& runtime,
                                    store::StudyStore study, bool judges_finals) {
  CAMBIUM_REQUIRE(check_stopping(setup.stopping));
  CAMBIUM_TRY(model::Model model, load_base(setup.model, setup.bind));
  CAMBIUM_REQUIRE(check_places(model, setup.spaces));
  CAMBIUM_TRY(const std::vector<SpaceSetting> settings, spaces_within_limits(model, setup));
  CAMBIUM_TRY(Spaces spaces, make_spaces(model, settings));
  store::StudyHead head;
  head.base = model::structure_of(model);
  head.model = setup.model;
  head.data = setup.data;
  head.options = kept_text(setup, runtime.run, runtime.command);
  head.commit = runtime.commit;
  CAMBIUM_TRY(const auto begun, study.head());
  if (begun) CAMBIUM_REQUIRE(study.set_head(head));  // refuses another model and other data
  if (judges_finals) {
    CAMBIUM_REQUIRE(check_test_split(model, setup.data, runtime.run.threads));
  }
  CAMBIUM_REQUIRE(study.set_head(head));
  JobSetting setting;
  setting.model = setup.model;
  setting.bind = setup.bind;
  setting.data = setup.data;
  setting.spaces = to_json(setup.spaces);
  setting.db = runtime.db.empty() ? runtime.study + ".tuning" : runtime.db;
  setting.machine_file = runtime.machine_file;
  setting.device = runtime.run.device;
  setting.threads = runtime.run.threads;
  // Workers are made when they are first needed; the folder must be there before.
  CAMBIUM_TRY(TemporaryFolder scratch, TemporaryFolder::make_beside(runtime.study + ".work"));
  Workers workers = workers_for(runtime, scratch.path());
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

// The study knows how its trainings run, from before the first.
Status keep(Wired& wired, const KeptSearch& search) {
  CAMBIUM_REQUIRE(
      wired.study.set_options(search.name, kept_text(search.setup, search.run, search.command)));
  // A later run stays on that device too, wherever it goes on. What the study refuses here, it
  // refuses again when the result comes.
  wired.pool.on_device([&wired, now = search](const std::string& device) mutable {
    now.run.device = device;
    (void)wired.study.set_options(now.name, kept_text(now.setup, now.run, now.command));
  });
  return Ok{};
}

// A search that leaves trainings to others goes on to do so. Where nothing waits, all is as it was.
Status keep_completion(Wired& wired, KeptSearch search, const SearchRun& run,
                       const std::string& evaluator) {
  CAMBIUM_TRY(const std::vector<store::EvaluationKey> waiting, wired.study.pending(evaluator));
  if (waiting.empty()) return Ok{};
  const bool leaves_trainings = search.run.device == kNoDevice;
  search.run = run;
  if (!leaves_trainings) return keep(wired, search);
  search.run.device = kNoDevice;
  return wired.study.set_options(search.name, kept_text(search.setup, search.run, search.command));
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
  if (runtime.run.candidates == 0 && setup.tries.empty()) {
    return Rejection(Reason::BadOption, "--candidates",
                     "with 0 there is nothing to evaluate; --try names candidates of your own");
  }
  CAMBIUM_REQUIRE(check_texts(setup, runtime));
  CAMBIUM_REQUIRE(check_devices(runtime.run.device));
  CAMBIUM_TRY([[maybe_unused]] const data::DataSpec data, data::parse_spec(setup.data));
  CAMBIUM_TRY(store::StudyStore study, store::StudyStore::open(runtime.study));
  CAMBIUM_TRY(const std::unique_ptr<Wired> wired,
              wire(setup, runtime, std::move(study), needs_test_split(setup, runtime.run)));
  search::SearchOptions options;
  options.name = runtime.name.empty() ? default_name(setup) : runtime.name;
  CAMBIUM_REQUIRE(check_same_search(wired->study, options.name, wired->model, setup));
  options.strategy = setup.strategy;
  options.strategy.objectives = setup.objectives;
  options.funnel = setup.funnel();
  options.reward = setup.reward;
  for (const std::string& written : setup.tries) {
    CAMBIUM_TRY(spaces::Candidate candidate, candidate_of(wired->spaces, wired->model, written));
    options.given.push_back(std::move(candidate));
  }
  options.candidates = runtime.run.candidates;
  options.seconds = runtime.run.seconds;
  // A search that goes on keeps its options where these are refused.
  CAMBIUM_REQUIRE(search::check(wired->context, options));
  CAMBIUM_REQUIRE(keep(*wired, {options.name, setup, runtime.run, runtime.command}));
  return search::run(wired->context, options, hooks);
}

Result<std::int64_t> complete_search(const SearchRuntime& runtime, const std::string& evaluator,
                                     const search::SearchHooks& hooks) {
  CAMBIUM_TRY(KeptSearch kept, runtime.name.empty()
                                   ? first_search(runtime.study, runtime.run)
                                   : kept_search(runtime.study, runtime.name, runtime.run));
  CAMBIUM_REQUIRE(check_texts(kept.setup, runtime));
  CAMBIUM_REQUIRE(check_devices(runtime.run.device));
  CAMBIUM_TRY(store::StudyStore study, store::StudyStore::open(runtime.study));
  // What is not trained needs no data, which need not be on this machine.
  const bool judges_finals = evaluator == "accuracy" && needs_test_split(kept.setup, runtime.run);
  CAMBIUM_TRY(const std::unique_ptr<Wired> wired,
              wire(kept.setup, runtime, std::move(study), judges_finals));
  if (evaluator == "accuracy" || evaluator == "proxy") {
    CAMBIUM_REQUIRE(keep_completion(*wired, std::move(kept), runtime.run, evaluator));
  }
  return search::complete_pending(wired->context, evaluator, hooks);
}

nlohmann::json to_json(const search::SearchReport& report, const SearchSetup& setup,
                       const std::string& study) {
  nlohmann::json out = document("search", 1);
  out["study"] = study;
  out["setup"] = json_of(setup);
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
