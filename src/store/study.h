// What a study holds, as values: candidates, what was measured of them, curves, rejections. Texts
// and numbers only: documents and models are opaque. Used by the store and all who read it.
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

// What a study is of; one row. A search with another model or other data is refused (StudyDiffers).
struct StudyHead {
  Fingerprint base;     // of the base model's structure
  std::string model;    // as the user named it
  std::string data;     // likewise
  std::string options;  // JSON of what the search was started with
  std::string commit;   // of the program that made the file

  friend bool operator==(const StudyHead&, const StudyHead&) = default;
};

// A candidate and how it came to be. Its identity is the key; telling it again changes nothing.
struct StudyCandidate {
  Fingerprint identity;
  std::string document;  // JSON of the candidate
  std::optional<Fingerprint> parent;
  std::string strategy, space;
  std::uint64_t seed = 0;   // of the search
  std::int64_t ticket = 0;  // which proposal of that search
  std::string search;       // names the search: two may share a study
  std::string title;        // one line for tables

  friend bool operator==(const StudyCandidate&, const StudyCandidate&) = default;
};

// What an evaluation depends on. The same key is never evaluated twice.
struct EvaluationKey {
  Fingerprint candidate;
  std::string evaluator;  // "cost", "proxy", "latency", "accuracy"
  std::string version;    // of the evaluator
  std::string options;    // JSON, canonical
  double fidelity = 0;    // ordered: more is better known (epochs, trials of tuning)
  std::uint64_t seed = 0;
  Fingerprint machine;  // all zero: does not depend on one

  friend auto operator<=>(const EvaluationKey&, const EvaluationKey&) = default;
};

struct StudyValue {
  double value = 0;
  double spread = 0;  // relative, as base/measurement.h has it
  std::int64_t samples = 1;
  bool is_estimate = false;  // a model's word, not a measurement

  friend bool operator==(const StudyValue&, const StudyValue&) = default;
};

struct CurvePoint {
  double x = 0;      // epochs
  double value = 0;  // validation accuracy, or perplexity
  double loss = 0;
  double seconds = 0;  // since the beginning

  friend bool operator==(const CurvePoint&, const CurvePoint&) = default;
};

// Three ends: done (values), refused (a reason), or pending: nobody here could do it.
enum class EvaluationState : std::uint8_t { Done, Refused, Pending };
std::string_view name_of(EvaluationState state);  // "done", as the file spells it
std::optional<EvaluationState> state_named(std::string_view name);

struct Evaluation {
  EvaluationKey key;
  EvaluationState state = EvaluationState::Done;
  std::map<std::string, StudyValue> values;  // by metric: "macs", "latency", "accuracy"
  std::string reason, detail;                // of a refusal: its name and its words
  double seconds = 0;                        // that it took
  double ended = 0;                          // when, in seconds since 1970; 0: not known
  std::string commit, host;                  // where
  std::vector<CurvePoint> curve;             // of a training

  friend bool operator==(const Evaluation&, const Evaluation&) = default;
};

// What a search keeps to go on: the state of a strategy after so many results.
struct SearchState {
  std::int64_t folded = 0;
  std::string state;

  friend bool operator==(const SearchState&, const SearchState&) = default;
};

// Who makes an evaluation, of several that share a study.
struct Claim {
  bool is_answered = false;  // nobody: it was made
  std::string owner;
};

// A file that belongs to a candidate: weights, a drawing.
struct Artifact {
  std::string name;  // "weights", "drawing.dot"
  std::vector<std::byte> bytes;

  friend bool operator==(const Artifact&, const Artifact&) = default;
};

}  // namespace cambium::store
