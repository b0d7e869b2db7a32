// Candidate: what a search tries, as plain data: an ordered list of edits on a base model that it
// names by fingerprint. Each edit is met by the model that those before it left. JSON that a person
// reads; refuses BadSyntax and MissingField. Spaces make edits, strategies candidates.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fingerprint.h"
#include "base/result.h"

namespace cambium::spaces {

struct Edit {
  std::string space;               // by name: "coordinate"
  std::vector<std::string> sites;  // names of nodes or blocks of the model that the edit meets
  std::string document;            // in the language of the space, canonical

  friend bool operator==(const Edit&, const Edit&) = default;
};

struct Candidate {
  Fingerprint base;  // model::structure_of
  std::vector<Edit> edits;
  std::optional<Fingerprint> parent;  // of a child, whose edits these were made from

  friend bool operator==(const Candidate&, const Candidate&) = default;
};

// Base and edits; who its parent was does not matter, nor does the order of an edit's sites.
Fingerprint identity_of(const Candidate& candidate);

std::string to_json(const Candidate& candidate);
Result<Candidate> parse_candidate(std::string_view json);

}  // namespace cambium::spaces
