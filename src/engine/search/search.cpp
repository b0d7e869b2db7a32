#include "engine/search/search.h"

#include <algorithm>
#include <climits>
#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/json.h"
#include "base/temporary_folder.h"
#include "base/text.h"
#include "data/spec.h"
#include "engine/documents.h"
#include "engine/search/evaluators.h"
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

// The workers of one program. Jobs that measure run alone on the machine.
WorkerKind kind_of(EvaluatorProgram program, const SearchRuntime& runtime,
                   const std::string& scratch) {
  const bool trains = program == EvaluatorProgram::Train;
  WorkerKind kind;
  kind.argv = {(fs::path(runtime.programs) / (trains ? "cambium-train" : "cambium")).string(),
               "evaluate", "--scratch", scratch};
  kind.is_alone = !trains;
  if (trains) kind.workers = runtime.run.workers;
  kind.seconds = runtime.run.job_seconds;
  kind.memory_bytes = runtime.run.memory_bytes;
  return kind;
}

Workers workers_for(const SearchRuntime& runtime, const std::string& scratch) {
  Workers workers;
  for (const EvaluatorProgram program : {EvaluatorProgram::Train, EvaluatorProgram::Measure}) {
    WorkerKind kind = kind_of(program, runtime, scratch);
    for (const EvaluatorRow& row : evaluator_rows()) {
      if (row.program != program) continue;
      if (program == EvaluatorProgram::Train && runtime.run.device == kNoDevice) {
        workers.absences[row.name] = fmt::format("this search runs with --device {}", kNoDevice);
      } else if (auto offer = offer_of(row); offer.ok()) {
        kind.evaluators.emplace(row.name, std::move(offer).value());
      } else {
        workers.absences[row.name] = offer.rejection().message();
      }
    }
    if (!kind.evaluators.empty()) workers.kinds.push_back(std::move(kind));
  }
  return workers;
}

std::string host_name() {
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "unknown";
}

// Settings that a later run may change: limits (except the one that shapes the spaces), candidates
// of the user, and the finals.
constexpr const char* kMayChange[] = {"limits", "tries", "epochs", "seeds", "finalists", "trials"};

// Spaces that know the limit on activations propose only candidates within it.
Result<std::vector<SpaceSetting>> spaces_within_limits(const model::Model& base,
                                                       const SearchSetup& setup) {
  std::optional<double> share;
  const auto made = static_cast<double>(model::pass_of(base).activation_bytes);
  study::Scores original;
  original.set(study::Metric::Activations, {made, 0, false});
  for (const study::LimitText& limit : setup.limits) {
    if (limit.metric != study::Metric::Activations || made == 0) continue;
    CAMBIUM_TRY(const study::Limit most, study::limit_of(limit.metric, limit.text, original));
    share = std::min(share.value_or(most.bound / made), most.bound / made);
  }
  return with_most_activations(setup.spaces, share);
}

constexpr const char* kOtherSearch =
    "give this search a name of its own with --name, or continue the other with --resume";

// A strategy continues from its rewards and from its place in the spaces. So candidates must be
// trained and timed as before, and the spaces must hold the same candidates.
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
                   fmt::format("it was begun with another --max-activations, and its spaces "
                               "propose only candidates within that; {}",
                               kOtherSearch));
}

// Everything that lives as long as a search, in the order of construction.
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
  const EvaluatorRow* const row = find_evaluator(evaluator);
  if (row == nullptr || row->estimate == nullptr) return {};
  return row->estimate(model, threads);
}

// Whether the finals train here, and so need the test split.
bool needs_test_split(const SearchSetup& setup, const SearchRun& run) {
  const bool has_finals = setup.finalists > 0 || !setup.tries.empty();
  return has_finals && run.device != kNoDevice &&
         require_evaluator(*find_evaluator(kAccuracy)).ok();
}

// Texts that jobs or the study hold as JSON.
Status check_texts(const SearchSetup& setup, const SearchRuntime& runtime) {
  nlohmann::json texts = json_of(setup);
  texts["study"] = runtime.study;
  texts["name"] = runtime.name;
  texts["device"] = runtime.run.device;
  texts["db"] = runtime.db;
  texts["cache"] = runtime.machine_file;
  return check_utf8(texts);
}

// Checks that these are names of devices. A worker finds out which of them exist.
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

// Edits refer to nodes by name.
Status check_places(const model::Model& model, const std::vector<SpaceSetting>& settings) {
  nlohmann::json names = nlohmann::json::array();
  for (const SpaceSetting& setting : settings) {
    CAMBIUM_REQUIRE(space_kind(setting.space));
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
  if (begun) CAMBIUM_REQUIRE(study.set_head(head));  // refuses another model or other data
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
  // Workers start when they are first needed; the folder must exist before.
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

// Stores how trainings run, before the first one.
Status keep(Wired& wired, const KeptSearch& search) {
  CAMBIUM_REQUIRE(
      wired.study.set_options(search.name, kept_text(search.setup, search.run, search.command)));
  // Later runs stay on that device. If the study refuses this, it refuses the result, too.
  wired.pool.on_device([&wired, now = search](const std::string& device) mutable {
    now.run.device = device;
    (void)wired.study.set_options(now.name, kept_text(now.setup, now.run, now.command));
  });
  return Ok{};
}

// A search that leaves trainings to others continues to do so. If nothing is pending, nothing
// changes.
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

nlohmann::json json_of(const study::Scores& scores) {
  nlohmann::json all = nlohmann::json::object();
  for (std::size_t i = 0; i < study::kMetrics; ++i) {
    const auto metric = static_cast<study::Metric>(i);
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
                     "0 leaves nothing to evaluate; name candidates of your own with --try");
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
  // If the options are refused, a resumed search keeps its own.
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
  // Evaluations without training need no data on this machine.
  const bool judges_finals = evaluator == kAccuracy && needs_test_split(kept.setup, runtime.run);
  CAMBIUM_TRY(const std::unique_ptr<Wired> wired,
              wire(kept.setup, runtime, std::move(study), judges_finals));
  const EvaluatorRow* const row = find_evaluator(evaluator);
  if (row != nullptr && row->program == EvaluatorProgram::Train) {
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
  const auto rows_json = [](const std::vector<search::SearchRow>& rows) {
    nlohmann::json all = nlohmann::json::array();
    for (const search::SearchRow& row : rows) {
      all.push_back({{"candidate", row.identity.text()},
                     {"title", row.title},
                     {"scores", json_of(row.scores)},
                     {"holds_limits", row.holds_limits},
                     {"refused", row.refused}});
      if (row.speedup) all.back()["speedup"] = *row.speedup;
    }
    return all;
  };
  out["finalists"] = rows_json(report.finalists);
  out["front"] = rows_json(report.front);
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
  nlohmann::json objectives = nlohmann::json::array();
  for (const study::Metric metric : last.objectives) objectives.push_back(name_of(metric));
  out["summary"] = {{"proposed", last.proposed},
                    {"folded", last.folded},
                    {"front", last.front},
                    {"objectives", objectives},
                    {"remarks", report.remarks},
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
