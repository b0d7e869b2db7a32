// Space: proposes edits of one base model. It knows nothing of strategies, training or native code.
// What every space must do is pure virtual; facets are what it may offer beside, and strategies ask
// for. One thread at a time: spaces remember what they have explored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fingerprint.h"
#include "base/random.h"
#include "base/result.h"
#include "model/model.h"
#include "spaces/candidate.h"

namespace cambium::spaces {

// An edit for people: texts, and a drawing in Graphviz's language. Any may be empty.
struct Description {
  std::string title;     // one line: what it is, by name where it has one
  std::string equation;  // may have several lines
  std::string loops;
  std::string drawing;
};

// ---- facets

class SamplesEdits {
 public:
  virtual ~SamplesEdits() = default;
  // The same edit for the same seed, whatever was asked before. Refuses (any reason) a seed that
  // gives none.
  virtual Result<Edit> sample(std::uint64_t seed) = 0;
};

class EnumeratesEdits {
 public:
  virtual ~EnumeratesEdits() = default;
  virtual void restart() = 0;
  virtual std::optional<Edit> next() = 0;  // nothing: that was all
};

// A tree whose nodes are shared: two ways to one state give one State. Labels mean the same in
// every state and every run, so that what was learned of an action serves elsewhere and later.
// What is answered follows from the state alone (and the random numbers), never from what was asked
// before: a search that goes on with a new object must see the same tree. A State itself belongs to
// the object.
class TreeOfEdits {
 public:
  using State = std::uint32_t;
  struct Action {
    std::string label;  // `unfold H k`, once in a state
    std::string kind;   // `unfold`
  };

  virtual ~TreeOfEdits() = default;
  virtual State root() = 0;
  // Those that may lead to an edit, always in one order; none of a leaf, and of a dead end. Valid
  // until the next call.
  virtual const std::vector<Action>& actions(State state) = 0;
  virtual State next(State state, std::size_t action) = 0;
  // Of a leaf that is an edit.
  virtual std::optional<Edit> finished(State state) = 0;
  virtual Fingerprint identity(State state) = 0;
  // A random edit below the state and the actions that lead to it. Nothing where it met a dead end.
  struct Descent {
    Edit edit;
    std::vector<Action> actions;
    // Whether the edit keeps limits that take long to ask: for whoever draws many and takes one.
    std::function<bool()> keeps_limits{};  // none: it does

    bool is_wanted() const { return keeps_limits == nullptr || keeps_limits(); }
  };
  virtual std::optional<Descent> descend(State state, Rng& rng);
};

class MutatesCandidates {
 public:
  virtual ~MutatesCandidates() = default;
  // A child that differs; its parent is set. Refuses a seed that gives none.
  virtual Result<Candidate> mutate(const Candidate& candidate, std::uint64_t seed) = 0;
};

class CrossesCandidates {
 public:
  virtual ~CrossesCandidates() = default;
  virtual Result<Candidate> cross(const Candidate& a, const Candidate& b, std::uint64_t seed) = 0;
};

// What a person wrote, in the language of the space or by a name that the space knows.
class ReadsEdits {
 public:
  virtual ~ReadsEdits() = default;
  // At every place where it fits, at one at least. Refuses what is malformed or fits nowhere.
  virtual Result<std::vector<Edit>> edits_of(const std::string& written) const = 0;
};

// ---- the space

class Space {
 public:
  virtual ~Space() = default;

  virtual std::string_view name() const = 0;
  // The edit in canonical form. Refuses a document that is malformed, or illegal at one of its
  // sites, and sites that the model does not have (UnknownSite).
  virtual Result<Edit> check(const model::Model& model, const Edit& edit) const = 0;
  // Of a checked edit. What it costs follows from the model that comes out (model/cost.h).
  virtual Result<model::Model> apply(const model::Model& model, const Edit& edit) const = 0;
  virtual Description describe(const model::Model& model, const Edit& edit) const = 0;
  // A lower bound on the activation bytes (model/recognize/pass.h) of the base model with this edit
  // alone, told without building that model. Counts no further than to something above `enough`.
  // Nothing where the space cannot tell; it never refuses an edit.
  virtual std::optional<double> activation_bound(const Edit& edit, double enough) const;

  virtual SamplesEdits* samples() { return nullptr; }
  virtual EnumeratesEdits* enumerates() { return nullptr; }
  virtual TreeOfEdits* tree() { return nullptr; }
  virtual MutatesCandidates* mutates() { return nullptr; }
  virtual CrossesCandidates* crosses() { return nullptr; }
  virtual const ReadsEdits* reads() const { return nullptr; }
};

// Null where there is none.
Space* space_named(std::string_view name, const std::vector<Space*>& spaces);

// All edits, each checked and applied by the space of its name. Refuses what spaces refuse,
// UnknownSpace, and a candidate of another base (NotThisBase).
Result<model::Model> apply(const model::Model& base, const Candidate& candidate,
                           const std::vector<Space*>& spaces);

}  // namespace cambium::spaces
