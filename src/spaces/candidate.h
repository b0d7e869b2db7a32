// Candidate: one network that a search tries, as plain data: an ordered list of edits of a base
// model, which it names by fingerprint. Each edit meets the model that the edits before it left.
// Reads and writes JSON for people; refuses BadSyntax and MissingField. Spaces make edits,
// strategies make candidates.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/fingerprint.h"
#include "base/result.h"

namespace cambium::spaces {

struct Edit {
  std::string space;               // by name: "coordinate"
  std::vector<std::string> sites;  // names of nodes or blocks of the model that the edit meets
  std::string document;            // in the language of the space, canonical

  friend bool operator==(const Edit&, const Edit&) = default;
};

// Edits in the order in which they are applied. One proposal may give different sites different
// documents.
using Edits = std::vector<Edit>;

struct Candidate {
  Fingerprint base;  // model::structure_of
  Edits edits;
  std::optional<Fingerprint> parent;  // the candidate that this one was made from

  friend bool operator==(const Candidate&, const Candidate&) = default;
};

// Depends on the base and the edits, not on the parent or on the order of an edit's sites.
Fingerprint identity_of(const Candidate& candidate);

// As text, and as a value that becomes part of another document.
std::string to_json(const Candidate& candidate);
nlohmann::json json_of(const Candidate& candidate);
Result<Candidate> parse_candidate(std::string_view json);
Result<Candidate> read_candidate(const nlohmann::json& json);

}  // namespace cambium::spaces
