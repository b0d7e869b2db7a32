// Candidates and evaluations that differ by a number. For tests of studies and the program that
// they kill.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/scratch_folder_testing.h"
#include "store/study_store.h"

namespace cambium::store {

inline StudyStore opened_study(const std::string& path) {
  auto store = StudyStore::open(path);
  CAMBIUM_CHECK(store.ok(), store.rejection().message());
  return std::move(store).value();
}

inline StudyHead study_head() {
  return {fingerprint_of("base"), "tiny-resnet", "fashion-mnist", R"({"strategy": "tree"})", "abc"};
}

inline StudyCandidate candidate_number(std::uint64_t number) {
  StudyCandidate candidate;
  candidate.identity = fingerprint_of("candidate", number);
  candidate.document = R"({"edits": [{"space": "coordinate", "document": "in(c, h, w) ... )" +
                       std::to_string(number) + "\"}]}";
  if (number % 3 == 1) candidate.parent = fingerprint_of("candidate", number - 1);
  candidate.strategy = "tree";
  candidate.space = "coordinate";
  candidate.seed = ~std::uint64_t{0} - number;
  candidate.ticket = static_cast<std::int64_t>(number);
  candidate.search = "tree-1";
  candidate.title = "unfold, share " + std::to_string(number);
  return candidate;
}

inline EvaluationKey key_of(std::uint64_t number, const std::string& evaluator) {
  EvaluationKey key;
  key.candidate = fingerprint_of("candidate", number);
  key.evaluator = evaluator;
  key.version = "3";
  key.options = R"({"batch": 128})";
  key.fidelity = 2.5;
  key.seed = ~std::uint64_t{0} - 7;
  if (evaluator == "latency") key.machine = fingerprint_of("machine");
  return key;
}

// An evaluation as a stage of the funnel stores it.
inline Evaluation evaluation_number(std::uint64_t number, const std::string& evaluator) {
  Evaluation evaluation;
  evaluation.key = key_of(number, evaluator);
  evaluation.values[evaluator] = {1.0 / static_cast<double>(number + 3), 0.0125, 3, false};
  evaluation.seconds = 0.1 * static_cast<double>(number);
  evaluation.ended = 1.7e9 + static_cast<double>(number);
  evaluation.commit = "0123abc";
  evaluation.host = "here";
  if (evaluator == "accuracy") {
    evaluation.values["perplexity"] = {1e300, 0, 1, true};
    evaluation.curve = {{0.5, 0.25, 2.5, 1.5}, {1, 0.5, 1.0 / 3, 3}};
  }
  return evaluation;
}

inline Evaluation refused_evaluation(std::uint64_t number, const std::string& evaluator,
                                     const std::string& reason) {
  Evaluation evaluation = evaluation_number(number, evaluator);
  evaluation.state = EvaluationState::Refused;
  evaluation.values.clear();
  evaluation.curve.clear();
  evaluation.reason = reason;
  evaluation.detail = "of candidate " + std::to_string(number);
  return evaluation;
}

// `estimate`: of a cost model; 0: none.
inline Evaluation pending_evaluation(std::uint64_t number, const std::string& evaluator,
                                     double estimate = 0) {
  Evaluation evaluation = evaluation_number(number, evaluator);
  evaluation.state = EvaluationState::Pending;
  evaluation.values.clear();
  evaluation.curve.clear();
  if (estimate > 0) evaluation.values[evaluator] = {estimate, 0, 1, true};
  evaluation.detail = "no LLVM here";
  return evaluation;
}

inline Artifact artifact_number(std::uint64_t number, const std::string& name) {
  Artifact artifact{name, {}};
  for (std::uint64_t i = 0; i < 20; ++i) artifact.bytes.push_back(std::byte(i * number));
  return artifact;
}

// All contents of a study as text, to compare two.
struct WholeStudy {
  std::vector<StudyCandidate> candidates;
  std::vector<Evaluation> evaluations;

  friend bool operator==(const WholeStudy&, const WholeStudy&) = default;
};

inline WholeStudy whole(StudyStore& store) {
  WholeStudy all;
  CAMBIUM_CHECK(store
                    .each_candidate([&](const StudyCandidate& candidate) {
                      all.candidates.push_back(candidate);
                      return true;
                    })
                    .ok(),
                "candidates can be read");
  for (const StudyCandidate& candidate : all.candidates) {
    auto of_candidate = store.evaluations(candidate.identity);
    CAMBIUM_CHECK(of_candidate.ok(), "evaluations can be read");
    for (Evaluation& e : *of_candidate) all.evaluations.push_back(std::move(e));
  }
  return all;
}

}  // namespace cambium::store
