// Space: proposes edits of one base model. It knows nothing of strategies, training or native code.
// Every space implements the pure virtual functions. Facets are optional interfaces; strategies ask
// for them. Only one thread at a time may use a space, because spaces remember what they explored.
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
#include "model/weight_origin.h"
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

// Facets propose lists of edits of the base model, with at least one edit.
class SamplesEdits {
 public:
  virtual ~SamplesEdits() = default;
  // The same seed gives the same edits, independent of earlier calls. Refuses (any reason) a seed
  // that gives none.
  virtual Result<Edits> sample(std::uint64_t seed) = 0;
};

class EnumeratesEdits {
 public:
  virtual ~EnumeratesEdits() = default;
  virtual void restart() = 0;
  virtual std::optional<Edits> next() = 0;  // nothing: the list has ended
};

// A tree whose nodes are shared: two ways to one state give one State. A label means the same in
// every state and every run, so a search can reuse what it learned about an action. Answers depend
// only on the state (and the random numbers), never on earlier calls: a resumed search has a new
// object and must see the same tree. A State is valid only for the object that gave it.
class TreeOfEdits {
 public:
  using State = std::uint32_t;
  struct Action {
    std::string label;  // `unfold H k`, once in a state
    std::string kind;   // `unfold`
  };

  virtual ~TreeOfEdits() = default;
  virtual State root() = 0;
  // The actions that may lead to a proposal, always in the same order. A leaf and a dead end have
  // none. Valid until the next call.
  virtual const std::vector<Action>& actions(State state) = 0;
  virtual State next(State state, std::size_t action) = 0;
  // The proposal of a leaf; nothing for every other state.
  virtual std::optional<Edits> finished(State state) = 0;
  virtual Fingerprint identity(State state) = 0;
  // A random leaf below the state, and the actions that lead to it. Nothing if the descent ended in
  // a dead end.
  struct Descent {
    Edits edits;
    std::vector<Action> actions;
    // Whether the edits keep limits that are slow to check. A caller that draws many descents and
    // takes one checks only that one.
    std::function<bool()> keeps_limits{};  // empty: they do

    bool is_wanted() const { return keeps_limits == nullptr || keeps_limits(); }
  };
  virtual std::optional<Descent> descend(State state, Rng& rng);
};

class MutatesCandidates {
 public:
  virtual ~MutatesCandidates() = default;
  // A child that differs from the candidate and names it as its parent. Refuses a seed that gives
  // none.
  virtual Result<Candidate> mutate(const Candidate& candidate, std::uint64_t seed) = 0;
};

class CrossesCandidates {
 public:
  virtual ~CrossesCandidates() = default;
  virtual Result<Candidate> cross(const Candidate& a, const Candidate& b, std::uint64_t seed) = 0;
};

// Reads an edit that a person wrote, in the language of the space or by a name that it knows.
class ReadsEdits {
 public:
  virtual ~ReadsEdits() = default;
  // The edits put it at every place where it fits; there must be at least one. Refuses text that is
  // malformed or fits nowhere.
  virtual Result<Edits> edits_of(const std::string& written) const = 0;
};

// Tells documents apart by the function that they compute, to avoid duplicates.
class KnowsMeaning {
 public:
  virtual ~KnowsMeaning() = default;
  // Two edits of the base model have the same meaning if they compute the same function at the same
  // sites, however they are written. Others differ, except for collisions. Nothing if the answer
  // would take too long, or if the space does not propose such an edit.
  virtual std::optional<Fingerprint> meaning(const Edit& edit) = 0;
};

using model::WeightOrigin;

// Tells from which old weights the new ones start. Trainings and Fisher Potential use it, so that a
// candidate is compared with the original under the same numbers.
class MapsWeights {
 public:
  virtual ~MapsWeights() = default;
  // The weights that the edit makes or changes and that have an origin. Weights that the edit
  // leaves alone are not listed. Refuses what `check` refuses.
  virtual Result<std::vector<WeightOrigin>> origins(const model::Model& before,
                                                    const Edit& edit) const = 0;
};

// Options for each site of the base model, one of which a candidate chooses at each site. A
// strategy measures them one by one and then composes candidates from the measurements.
class OffersBySite {
 public:
  struct Option {
    std::string label;  // `group 4`
    Edits edits;        // the candidate that has this option alone
    // Whether it also changes what another site reads (`linked_to`), so that the costs of the two
    // do not add up.
    bool is_linked = false;
  };

  virtual ~OffersBySite() = default;
  virtual std::size_t site_count() = 0;
  virtual std::string site_name(std::size_t site) = 0;
  // Without the original. The same in every run; valid until the space is gone.
  virtual const std::vector<Option>& options_at(std::size_t site) = 0;
  // The site that linked options of this one change.
  virtual std::optional<std::size_t> linked_to(std::size_t site) = 0;
  // The candidate with these options, by site; -1: the original. Empty if all are. Refuses options
  // that do not fit together.
  virtual Result<Edits> composed(const std::vector<std::int32_t>& choice) = 0;
};

// ---- the space

// What a model costs as the cost stage of a search counts it (search/passage.h): multiply-adds,
// parameters, bytes of weights and of the most activations at once, bytes of all activations of one
// pass. In a limit, a missing cost is not limited.
struct Costs {
  std::optional<double> macs = {}, parameters = {}, memory = {}, activations = {};

  friend bool operator==(const Costs&, const Costs&) = default;
};
// Whether some bound is above its limit.
bool exceeds(const Costs& bounds, const Costs& limits);

class Space {
 public:
  virtual ~Space() = default;

  virtual std::string_view name() const = 0;
  // Gives the edit in canonical form; one that changes nothing has no document. Refuses a document
  // that is malformed or illegal at one of its sites, and sites that the model does not have
  // (UnknownSite).
  virtual Result<Edit> check(const model::Model& model, const Edit& edit) const = 0;
  // Applies a checked edit. Its cost follows from the model that comes out (model/cost.h).
  virtual Result<model::Model> apply(const model::Model& model, const Edit& edit) const = 0;
  virtual Description describe(const model::Model& model, const Edit& edit) const = 0;
  // Lower bounds on the cost of the base model with these edits, computed without building that
  // model. May stop at the first bound that exceeds its limit, and may leave out costs without a
  // limit. It never refuses an edit: a bound that the space cannot compute is missing.
  virtual Costs cost_bound(const Edits& edits, const Costs& limits) const;

  virtual SamplesEdits* samples() { return nullptr; }
  virtual EnumeratesEdits* enumerates() { return nullptr; }
  virtual TreeOfEdits* tree() { return nullptr; }
  virtual MutatesCandidates* mutates() { return nullptr; }
  virtual CrossesCandidates* crosses() { return nullptr; }
  virtual const ReadsEdits* reads() const { return nullptr; }
  virtual KnowsMeaning* meanings() { return nullptr; }
  virtual const MapsWeights* weights() const { return nullptr; }
  virtual OffersBySite* offers() { return nullptr; }
};

// Null if no space has this name.
Space* space_named(std::string_view name, const std::vector<Space*>& spaces);

// One edit of a candidate, as its space checked it, and the model after it.
struct AppliedEdit {
  const Space* space = nullptr;
  Edit edit;
  model::Model model;
};
// Applies the edit of that number to the model that the edits before it left. Refuses what spaces
// refuse, and UnknownSpace.
Result<AppliedEdit> apply_one(const model::Model& before, const Candidate& candidate,
                              std::size_t number, const std::vector<Space*>& spaces);

// Applies all edits; the space of its name checks and applies each. Refuses what spaces refuse,
// UnknownSpace, and a candidate of another base (NotThisBase).
Result<model::Model> apply(const model::Model& base, const Candidate& candidate,
                           const std::vector<Space*>& spaces);

// The candidate as its spaces write it, so that two that people wrote in different ways have one
// identity: edits as they were checked, without those that change nothing. Refuses what `apply`
// refuses, and a candidate of which no edit is left (NoProposal).
Result<Candidate> canonical(const model::Model& base, const Candidate& candidate,
                            const std::vector<Space*>& spaces);

// Describes each edit for the model that it meets. Stops at an edit that cannot be applied.
std::vector<Description> describe(const model::Model& base, const Candidate& candidate,
                                  const std::vector<Space*>& spaces);

// Like identity_of, but edits with the same meaning count as the same. If a space does not know
// meanings, its edits are compared by their documents.
Fingerprint meaning_of(const Candidate& candidate, const std::vector<Space*>& spaces);

}  // namespace cambium::spaces
