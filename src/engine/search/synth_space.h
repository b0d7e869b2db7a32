// The work of `cambium synth --model` and `cambium inspect --edit`, for any space: proposes edits
// of a model, and shows what an edit does and costs. Uses only spaces::Space and its facets.
// Refuses what the space refuses, NoFacet if the space lacks the facet, and a text that no space
// reads.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/fingerprint.h"
#include "base/result.h"
#include "engine/search/spaces.h"
#include "model/model.h"
#include "spaces/space.h"

namespace cambium::engine {

// One place of a proposal, before and after. Nodes that an edit adds are named after its site.
struct EditedSite {
  std::string site;
  bool is_edited =
      true;  // false: only its costs change, because another edit leaves it fewer channels to read
  std::int64_t macs_before = 0, macs = 0;
  std::int64_t parameters_before = 0, parameters = 0;
};

struct ProposedEdits {
  spaces::Candidate candidate;
  Fingerprint identity;  // of the candidate, as searches and studies know it
  std::string title;
  std::int64_t macs = 0, parameters = 0;  // of the whole model
};

struct ProposeOptions {
  std::uint64_t seed = 1;
  std::uint64_t count = 10;  // proposals, each once (by meaning where the space knows it)
};
struct ProposeSummary {
  std::uint64_t proposed = 0;
  std::uint64_t illegal = 0;  // proposals that could not be applied
  bool is_all = false;        // the space has no others
  double seconds = 0;
};
// Calls it with each proposal until it returns false.
using ProposeUse = std::function<bool(const ProposedEdits&)>;

// Random proposals, or all in the order of the space.
Result<ProposeSummary> sample_edits(spaces::Space& space, const model::Model& base,
                                    const ProposeOptions& options, const ProposeUse& use);
Result<ProposeSummary> list_edits(spaces::Space& space, const model::Model& base,
                                  const ProposeOptions& options, const ProposeUse& use);
// The number of proposals. Refuses (TooLarge) a space with more than `most`.
Result<std::uint64_t> count_edits(spaces::Space& space, const model::Model& base,
                                  std::uint64_t most);

// A target that the proposal leaves unchanged.
struct UneditedSite {
  std::string site, why;
};

// What one proposal does.
struct EditReport {
  ProposedEdits edits;
  std::vector<spaces::Description> about;  // by edit
  std::vector<EditedSite> sites;           // in the model's order
  std::vector<UneditedSite> unedited;      // of the requested targets
  std::int64_t macs_before = 0, parameters_before = 0;
};
// `what`: a file with a document or with the JSON of a candidate, or a name that the space knows.
// `targets` (a selector; may be empty): the report says why the document does not fit at each of
// these.
Result<EditReport> explain_edits(const Spaces& spaces, const model::Model& base,
                                 const std::string& what, const std::string& targets = {});

nlohmann::json to_json(const std::vector<ProposedEdits>& proposals, const ProposeSummary& summary);
nlohmann::json to_json(const EditReport& report);
nlohmann::json count_json(std::uint64_t proposals);

}  // namespace cambium::engine
