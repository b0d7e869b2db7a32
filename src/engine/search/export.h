// Export: writes a candidate of a study as files: the rewritten model as ONNX, as text and as
// PyTorch source, with its trained weights if the study has them; each of its operators as a
// separate PyTorch module; the traces of its rewritten nests; native code with a program that calls
// it; its edits as text and drawing. Refuses NoSuchCandidate and what the parts refuse. Called by
// `cambium export`.
#pragma once

#include <string>
#include <vector>

#include "base/fingerprint.h"
#include "base/result.h"
#include "model/model.h"

namespace cambium::engine {

// The model of a candidate, named by the first digits of its id or as `best` (studies.h).
struct StudyModel {
  model::Model model;
  Fingerprint identity;
  std::string title;
  std::string candidate;             // JSON of the candidate
  bool is_trained = false;           // otherwise its new weights are random
  std::vector<std::string> classes;  // names of its classes; empty: unknown
};
Result<StudyModel> model_of_study(const std::string& study, const std::string& candidate);

struct ExportOptions {
  int threads = 1;  // of the native code
  int jobs = 1;     // kernels compiled at once
  std::string db;   // tuned schedules; empty: STUDY.tuning, if it exists
  bool native = true;
};
struct ExportedFile {
  std::string name;  // relative to the folder
  std::string what;  // for README.txt, one line
};
struct ExportReport {
  Fingerprint identity;
  std::string title;
  bool is_trained = false;
  std::vector<ExportedFile> files;  // the written files
  std::vector<std::pair<std::string, std::string>>
      left_out;  // name, and why this build cannot write it
};
// README.txt in the folder names every file. Files of the same names are overwritten.
Result<ExportReport> export_candidate(const std::string& study, const std::string& candidate,
                                      const std::string& folder, const ExportOptions& options);

// The identities of the Pareto front as `cambium study list` shows it, without the original.
// Refuses NoSuchCandidate if it is empty.
Result<std::vector<Fingerprint>> front_of_study(const std::string& study);

}  // namespace cambium::engine
