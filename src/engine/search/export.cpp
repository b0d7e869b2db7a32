#include "engine/search/export.h"

#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "base/file.h"
#include "engine/files.h"
#include "engine/native.h"
#include "engine/search/evaluator.h"
#include "engine/search/search.h"
#include "engine/search/studies.h"
#include "model/composite.h"
#include "model/pytorch/source.h"
#include "model/text.h"
#include "store/study_store.h"

namespace cambium::engine {
namespace {

namespace fs = std::filesystem;

std::string text_of(const store::Artifact& artifact) {
  return {reinterpret_cast<const char*>(artifact.bytes.data()), artifact.bytes.size()};
}

std::string how_to_use(const ExportReport& report, const std::string& study) {
  return fmt::format(
      "{}\ncandidate {} of {}{}\n\n"
      "model.onnx         standard operators only: onnxruntime.InferenceSession(\"model.onnx\")\n"
      "model.py           import model; net = model.load(\"model.safetensors\")\n"
      "model.cambium      cambium run model.cambium, cambium tune model.cambium ...\n"
      "native/            library, header and manifest; docs/native.md has an example of ten "
      "lines\n"
      "candidate.json     the edits, as `cambium search` made them\n",
      report.title, report.identity, study,
      report.is_trained
          ? ""
          : "\nIts new weights are NOT trained: the study has no full training of it.");
}

}  // namespace

Result<StudyModel> model_of_study(const std::string& study, const std::string& candidate) {
  CAMBIUM_TRY(const SearchSetup setup, setup_of(study));
  CAMBIUM_TRY(store::StudyStore store,
              store::StudyStore::open(study, store::StudyStore::Mode::Open));
  std::string named = candidate;
  if (candidate == "best") {
    CAMBIUM_TRY(named, best_of_study(study));
  }
  CAMBIUM_TRY(const store::StudyCandidate row, store.candidate_named(named));
  StudyModel found;
  found.identity = row.identity.text();
  found.title = row.title;
  found.candidate = row.document;
  CAMBIUM_TRY(const auto trained, store.artifact(row.identity, kTrainedModel));
  if (trained) {
    found.is_trained = true;
    CAMBIUM_TRY(found.model, model::parse_text(text_of(*trained)).at(kTrainedModel));
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
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return Rejection(Reason::Unwritable, folder, error.message());
  ExportReport report;
  report.identity = found.identity;
  report.title = found.title;
  report.is_trained = found.is_trained;
  const auto in_folder = [&](const std::string& name) {
    return (fs::path(folder) / name).string();
  };
  // What this build does not have is left out and said; all else that fails is refused.
  const auto note = [&](const std::string& what, const Status& done) -> Status {
    if (done.ok()) {
      report.files.push_back(what);
      return Ok{};
    }
    if (done.rejection().reason() != Reason::Unavailable) return done;
    report.left_out.emplace_back(what, done.rejection().message());
    return Ok{};
  };
  CAMBIUM_REQUIRE(note("model.onnx", save_model(found.model, in_folder("model.onnx"))));
  CAMBIUM_REQUIRE(note("model.cambium", save_model(found.model, in_folder("model.cambium"))));
  CAMBIUM_REQUIRE(note("model.py", model::export_pytorch(found.model, in_folder("model"))));
  CAMBIUM_REQUIRE(
      note("candidate.json", write_file(in_folder("candidate.json"), found.candidate + "\n")));
  CAMBIUM_TRY(store::StudyStore store,
              store::StudyStore::open(study, store::StudyStore::Mode::Open));
  CAMBIUM_TRY(const Fingerprint identity, Fingerprint::parse(found.identity));
  for (const char* name : {"equation.txt", "loops.txt", "drawing.dot"}) {
    CAMBIUM_TRY(const auto artifact, store.artifact(identity, name));
    if (artifact) CAMBIUM_REQUIRE(note(name, write_file(in_folder(name), text_of(*artifact))));
  }
  if (options.native) {
    NativeOptions native;
    native.threads = options.threads;
    native.jobs = options.jobs;
    native.db = options.db.empty() ? study + ".tuning" : options.db;
    if (!fs::exists(native.db, error)) native.db.clear();
    const auto compiled = compile_library(found.model, native, in_folder("native"));
    const Status done = compiled.ok() ? Status(Ok{}) : Status(compiled.rejection());
    CAMBIUM_REQUIRE(note("native", done));
  }
  CAMBIUM_REQUIRE(
      note("README.txt", write_file(in_folder("README.txt"), how_to_use(report, study))));
  return report;
}

}  // namespace cambium::engine
