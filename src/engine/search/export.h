// A candidate of a study as things to use: the rewritten model as ONNX, as text and as PyTorch
// source, with the weights that it was trained to where the study has them; its operators alone as
// PyTorch modules; native code with a program that calls it; its edits as text and drawing. Refuses
// NoSuchCandidate and what these refuse. Called by `cambium export`.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "model/model.h"

namespace cambium::engine {

// The model of a candidate, by the first digits of its identity, or of the `best` (studies.h).
struct StudyModel {
  model::Model model;
  std::string identity, title;
  std::string candidate;             // its document, JSON
  bool is_trained = false;           // otherwise its new weights are as they were drawn
  std::vector<std::string> classes;  // that it was trained on, by name; empty: not known
};
Result<StudyModel> model_of_study(const std::string& study, const std::string& candidate);

struct ExportOptions {
  int threads = 1;  // that the native code runs on
  int jobs = 1;     // kernels compiled at once
  std::string db;   // of tuned schedules; empty: STUDY.tuning where it is there
  bool native = true;
};
struct ExportedFile {
  std::string name;  // relative to the folder
  std::string what;  // for README.txt, one line
};
struct ExportReport {
  std::string identity, title;
  bool is_trained = false;
  std::vector<ExportedFile> files;                            // all that were written
  std::vector<std::pair<std::string, std::string>> left_out;  // what, and why this build cannot
};
// README.txt in the folder names every file that is there. What an earlier export left in the
// folder is overwritten where it has the same name.
Result<ExportReport> export_candidate(const std::string& study, const std::string& candidate,
                                      const std::string& folder, const ExportOptions& options);

// The front as `cambium study list` shows it, without the original: identities, the best first.
// Refuses NoSuchCandidate where it is empty.
Result<std::vector<std::string>> front_of_study(const std::string& study);

}  // namespace cambium::engine
