// The contents of a study as values: candidates, evaluations, curves, rejections. Only texts and
// numbers: documents and models are opaque. Refuses nothing. Used by the store and its readers.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fingerprint.h"

namespace cambium::store {

// The model and data of a study. A search with others is refused (StudyDiffers).
struct StudyHead {
  Fingerprint base;     // of the structure of the base model
  std::string model;    // as the user named it
  std::string data;     // as the user named it
  std::string options;  // JSON: the options of the first search
  std::string commit;   // of the program that made the file

  friend bool operator==(const StudyHead&, const StudyHead&) = default;
};

// A candidate and its origin. Its identity is the key: adding it again changes nothing.
struct StudyCandidate {
  Fingerprint identity;
  std::string document;  // JSON of the candidate
  std::optional<Fingerprint> parent;
  std::string strategy, space;
  std::uint64_t seed = 0;   // of the search
  std::int64_t ticket = 0;  // number of the proposal in that search
  std::string search;       // name of the search
  std::string title;        // one line, for tables

  friend bool operator==(const StudyCandidate&, const StudyCandidate&) = default;
};

// Everything that an evaluation depends on. No key is evaluated twice.
struct EvaluationKey {
  Fingerprint candidate;
  std::string evaluator;  // "cost", "proxy", "latency", "accuracy"
  std::string version;    // of the evaluator
  std::string options;    // canonical JSON
  double fidelity = 0;    // epochs, trials of tuning: more is known better
  std::uint64_t seed = 0;
  Fingerprint machine;  // all zero: the result depends on no machine

  friend auto operator<=>(const EvaluationKey&, const EvaluationKey&) = default;
};

struct StudyValue {
  double value = 0;
  double spread = 0;  // relative, as in base/measurement.h
  std::int64_t samples = 1;
  bool is_estimate = false;  // predicted by a model, not measured

  friend bool operator==(const StudyValue&, const StudyValue&) = default;
};

struct CurvePoint {
  double x = 0;      // epochs
  double value = 0;  // validation accuracy, or perplexity
  double loss = 0;
  double seconds = 0;  // since the training began

  friend bool operator==(const CurvePoint&, const CurvePoint&) = default;
};

// Done has values, refused has a reason; pending waits for a machine that has the evaluator.
enum class EvaluationState : std::uint8_t { Done, Refused, Pending };
std::string_view name_of(EvaluationState state);  // "done", as the file spells it
std::optional<EvaluationState> state_named(std::string_view name);

struct Evaluation {
  EvaluationKey key;
  EvaluationState state = EvaluationState::Done;
  std::map<std::string, StudyValue> values;  // by metric: "macs", "latency", "accuracy"
  std::string reason, detail;                // of a refusal: its name and explanation
  double seconds = 0;                        // duration
  double ended = 0;                          // in seconds since 1970; 0: unknown
  std::string commit, host;                  // where it was made
  std::vector<CurvePoint> curve;             // of a training

  friend bool operator==(const Evaluation&, const Evaluation&) = default;
};

// What a search needs to continue: the state of its strategy after so many results.
struct SearchState {
  std::int64_t folded = 0;
  std::string state;

  friend bool operator==(const SearchState&, const SearchState&) = default;
};

// Which of several searches of a study makes an evaluation.
struct Claim {
  bool is_answered = false;  // none: the study has the result
  std::string owner;
};

// A file that belongs to a candidate: weights, a drawing.
struct Artifact {
  std::string name;  // "weights", "drawing.dot"
  std::vector<std::byte> bytes;

  friend bool operator==(const Artifact&, const Artifact&) = default;
};

}  // namespace cambium::store
