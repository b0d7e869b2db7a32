#include "engine/search/export.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/escape.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "engine/class_names.h"
#include "engine/files.h"
#include "engine/native.h"
#include "engine/search/evaluator.h"
#include "engine/search/export_example.h"
#include "engine/search/export_operators.h"
#include "engine/search/export_traces.h"
#include "engine/search/search.h"
#include "engine/search/studies.h"
#include "model/pytorch/source.h"
#include "model/text.h"
#include "report/drawings.h"
#include "store/study_store.h"

namespace cambium::engine {
namespace {

namespace fs = std::filesystem;

std::string text_of(const store::Artifact& artifact) {
  return {reinterpret_cast<const char*>(artifact.bytes.data()), artifact.bytes.size()};
}

// The texts of a candidate by file name, from the study. If the study has none (packing drops
// them), the spaces describe the edits again.
Result<std::map<std::string, std::string>> texts_of(store::StudyStore& store,
                                                    const SearchSetup& setup,
                                                    const StudyModel& found) {
  std::map<std::string, std::string> texts;
  for (const char* name : {"equation.txt", "loops.txt", "drawing.dot"}) {
    CAMBIUM_TRY(const auto artifact, store.artifact(found.identity, name));
    if (artifact) texts[name] = terminal_lines(text_of(*artifact));
  }
  if (!texts.empty()) return texts;
  CAMBIUM_TRY(const model::Model base, load_base(setup.model, setup.bind));
  CAMBIUM_TRY(const Spaces spaces, make_spaces(base, setup.spaces));
  CAMBIUM_TRY(const spaces::Candidate candidate, spaces::parse_candidate(found.candidate));
  for (const spaces::Edit& edit : candidate.edits) {
    const spaces::Space* const space = spaces::space_named(edit.space, pointers(spaces));
    if (space == nullptr) continue;
    const spaces::Description about = space->describe(base, edit);
    texts["equation.txt"] += about.equation;
    texts["loops.txt"] += about.loops;
    if (texts["drawing.dot"].empty()) texts["drawing.dot"] = about.drawing;
  }
  for (auto each = texts.begin(); each != texts.end();) {
    each = each->second.empty() ? texts.erase(each) : std::next(each);
  }
  return texts;
}

// Writes one folder and keeps a list of its files.
class Exporting {
 public:
  Exporting(const StudyModel& found, std::string study, std::string folder)
      : found_(found), study_(std::move(study)), folder_(std::move(folder)) {
    report_.identity = found.identity;
    report_.title = found.title;
    report_.is_trained = found.is_trained;
  }

  Status models() {
    const char* const weights = found_.is_trained ? "with its trained weights" : "with its weights";
    CAMBIUM_REQUIRE(write_or_say("model.onnx",
                                 fmt::format("the model {}, standard operators only: "
                                             "onnxruntime.InferenceSession(\"model.onnx\")",
                                             weights),
                                 save_model(found_.model, path("model.onnx"), found_.classes)));
    CAMBIUM_REQUIRE(write_or_say(
        "model.cambium", "the same model for `cambium run`, `cambium tune` and `cambium compile`",
        save_model(found_.model, path("model.cambium"), found_.classes)));
    CAMBIUM_REQUIRE(model::export_pytorch(found_.model, path("model")));
    add("model.py", "the same model as a PyTorch module: import model; net = model.load()");
    add("model.safetensors", "its weights");
    return Ok{};
  }

  Status operators() {
    CAMBIUM_TRY(const std::vector<ExportedOperator> all,
                export_operators(found_.model, path("operators")));
    for (const ExportedOperator& each : all) {
      const std::string places = join(each.places, ", ");
      add("operators/" + each.stem + ".py",
          fmt::format("the operator alone as a PyTorch module, with the sizes of {}", places));
      add("operators/" + each.stem + ".safetensors", "its weights at " + each.places[0]);
    }
    return Ok{};
  }

  Status texts(const std::map<std::string, std::string>& texts) {
    const std::map<std::string, const char*> what = {
        {"equation.txt", "the operator as an equation"},
        {"loops.txt", "the operator as a loop nest"},
        {"drawing.dot", "the operator as a drawing, for Graphviz"}};
    for (const auto& [name, text] : texts) {
      CAMBIUM_REQUIRE(write_file(path(name), text));
      add(name, what.at(name));
    }
    CAMBIUM_TRY(const nlohmann::json candidate, parse_json(found_.candidate).at("the candidate"));
    CAMBIUM_REQUIRE(write_file(path("candidate.json"), json_text(candidate) + "\n"));
    add("candidate.json", "the edits, as `cambium search` made them");
    return texts.count("drawing.dot") != 0 ? drawing() : Ok{};
  }

  Status traces(const ExportOptions& options) {
    CAMBIUM_TRY(const std::vector<ExportedTrace> all,
                export_traces(found_.model, native_options(options), path("traces"), compiled_));
    for (const ExportedTrace& each : all) {
      add("traces/" + each.stem + ".trace",
          "how the convolution became the kernel of " + each.node + ", step by step");
      add("traces/" + each.stem + ".program", "the program from which that trace replays");
    }
    return Ok{};
  }

  Status native(const ExportOptions& options) {
    const NativeOptions native = native_options(options);
    std::error_code unknown;
    const auto compiled = compile_library(found_.model, native, path("native"));
    if (!compiled.ok()) {
      fs::remove(path("native"), unknown);  // created before compiling; stays if it is not empty
      return write_or_say("native", "", Status(compiled.rejection()));
    }
    compiled_ = compiled->calls_in_order;
    for (const std::string& file : compiled->files) add("native/" + file, what_of(file));
    CAMBIUM_TRY(const std::string manifest, read_file(path("native/manifest.json")));
    CAMBIUM_TRY(const std::string example, c_example(manifest));
    CAMBIUM_REQUIRE(write_file(path("native/main.c"), example));
    add("native/main.c", "a program that calls the library; its first lines say how to compile it");
    return Ok{};
  }

  Result<ExportReport> finish() {
    add("README.txt", "this list");
    CAMBIUM_REQUIRE(write_file(path("README.txt"), read_me()));
    return std::move(report_);
  }

 private:
  NativeOptions native_options(const ExportOptions& options) const {
    NativeOptions native;
    native.threads = options.threads;
    native.jobs = options.jobs;
    native.db = options.db.empty() ? study_ + ".tuning" : options.db;
    std::error_code unknown;
    if (!fs::exists(native.db, unknown)) native.db.clear();
    return native;
  }

  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  void add(std::string name, std::string what) {
    report_.files.push_back({std::move(name), std::move(what)});
  }

  // Files that this build cannot write are left out and listed. Every other failure is refused.
  Status write_or_say(const std::string& name, std::string what, const Status& done) {
    if (done.ok()) {
      add(name, std::move(what));
      return Ok{};
    }
    if (done.rejection().reason() != Reason::Unavailable) return done;
    report_.left_out.emplace_back(name, done.rejection().message());
    return Ok{};
  }

  Status drawing() {
    const std::string dot = path("drawing.dot"), drawn = dot + ".svg";
    report::draw({&dot, 1});
    std::error_code error;
    if (!fs::exists(drawn, error)) {
      report_.left_out.emplace_back("drawing.svg",
                                    "Graphviz (`dot`) is not installed or failed, or its "
                                    "output holds more than a drawing");
      return Ok{};
    }
    fs::rename(drawn, path("drawing.svg"), error);
    if (error) return Rejection(Reason::Unwritable, path("drawing.svg"), error.message());
    add("drawing.svg", "the same drawing as a picture");
    return Ok{};
  }

  static const char* what_of(const std::string& file) {
    if (file.ends_with(".so")) return "native code for this machine";
    if (file.ends_with(".h"))
      return "the declaration of its C function, with the sizes of its buffers";
    if (file.ends_with(".weights")) return "the weights, in the order in which the code reads them";
    return "the same facts as JSON, and how each kernel was made";
  }

  std::string read_me() const {
    std::string text = fmt::format("{}\ncandidate {} of {}\n", terminal_text(report_.title),
                                   study::short_id(report_.identity), terminal_text(study_));
    if (!report_.is_trained)
      text +=
          "Its new weights are NOT trained: the study holds no full training of this candidate.\n";
    std::size_t width = 0;
    for (const ExportedFile& file : report_.files) width = std::max(width, file.name.size());
    text += "\n";
    for (const ExportedFile& file : report_.files) {
      text += fmt::format("{:<{}}  {}\n", file.name, width, terminal_text(file.what));
    }
    for (const auto& [what, why] : report_.left_out) {
      text += fmt::format("\n{} is missing: {}\n", what, terminal_text(why));
    }
    return text;
  }

  const StudyModel& found_;
  std::string study_, folder_;
  ExportReport report_;
  std::vector<compile::KernelReport> compiled_;  // by call; empty without native code
};

}  // namespace

Result<StudyModel> model_of_study(const std::string& study, const std::string& candidate) {
  CAMBIUM_TRY(const SearchSetup setup, setup_of(study));
  CAMBIUM_TRY(store::StudyStore store, store::StudyStore::open(study, store::Mode::Read));
  std::string named = candidate;
  if (candidate == "best") {
    CAMBIUM_TRY(named, best_of_study(study));
  }
  CAMBIUM_TRY(const store::StudyCandidate row, store.candidate_named(named));
  StudyModel found;
  found.identity = row.identity;
  found.title = row.title;
  found.candidate = row.document;
  CAMBIUM_TRY(const auto trained, store.artifact(row.identity, kTrainedModel));
  if (trained) {
    found.is_trained = true;
    const std::string text = text_of(*trained);
    CAMBIUM_TRY(found.model, model::parse_text(text).at(kTrainedModel));
    found.classes = classes_in_comment(text);
    return found;
  }
  CAMBIUM_TRY(const model::Model base, load_base(setup.model, setup.bind));
  CAMBIUM_TRY(const Spaces spaces, make_spaces(base, setup.spaces));
  CAMBIUM_TRY(const spaces::Candidate edits, spaces::parse_candidate(row.document));
  CAMBIUM_TRY(found.model, spaces::apply(base, edits, pointers(spaces)));
  return found;
}

Result<ExportReport> export_candidate(const std::string& study, const std::string& candidate,
                                      const std::string& folder, const ExportOptions& options) {
  CAMBIUM_TRY(const StudyModel found, model_of_study(study, candidate));
  CAMBIUM_TRY(const SearchSetup setup, setup_of(study));
  CAMBIUM_TRY(store::StudyStore store, store::StudyStore::open(study, store::Mode::Read));
  CAMBIUM_TRY(const auto texts, texts_of(store, setup, found));
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return Rejection(Reason::Unwritable, folder, error.message());
  Exporting exporting(found, study, folder);
  CAMBIUM_REQUIRE(exporting.models());
  CAMBIUM_REQUIRE(exporting.operators());
  CAMBIUM_REQUIRE(exporting.texts(texts));
  // Before the traces: compiling finds the schedules that they end in.
  if (options.native) CAMBIUM_REQUIRE(exporting.native(options));
  CAMBIUM_REQUIRE(exporting.traces(options));
  return exporting.finish();
}

Result<std::vector<Fingerprint>> front_of_study(const std::string& study) {
  CAMBIUM_TRY(const StudyList list, list_study(study));
  CAMBIUM_TRY(store::StudyStore store, store::StudyStore::open(study, store::Mode::Read));
  std::vector<Fingerprint> front;
  for (const StudyRow& row : list.rows) {
    CAMBIUM_TRY(const auto candidate, store.candidate(row.identity));
    if (candidate && !study::is_original(*candidate)) front.push_back(row.identity);
  }
  if (!front.empty()) return front;
  return Rejection(Reason::NoSuchCandidate,
                   "'front' (no candidate has all objectives of the search)", study);
}

}  // namespace cambium::engine
