// Breeding: children of candidates. A mutation changes, extends or shortens the document of one
// layer, or copies that of another layer. A crossing takes each layer from either parent, and what
// is joined by an output bottleneck from the same one. Documents that no longer fit are left out.
// Refuses (NoProposal) candidates with edits of other spaces, and seeds that give no child.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "spaces/candidate.h"
#include "spaces/loopnest/layers.h"
#include "spaces/loopnest/options.h"

namespace cambium::spaces::loopnest {

using Documents = std::map<std::size_t, std::string>;  // by site

// NoProposal of this space.
Rejection no_proposal(std::string why);

class Breeding {
 public:
  Breeding(Survey& survey, const std::vector<Layer>& layers, const LoopNestOptions& options)
      : survey_(survey), layers_(layers), options_(options) {}

  Result<Candidate> mutate(const Candidate& candidate, std::uint64_t seed) const;
  Result<Candidate> cross(const Candidate& a, const Candidate& b, std::uint64_t seed) const;

 private:
  Result<Documents> documents_of(const Candidate& candidate) const;
  Plan fitting(const Documents& documents) const;
  Result<Candidate> child(const Candidate& parent, const Documents& documents) const;
  // What is chosen before a layer, so that its variants are those that it would meet.
  Draft before(const Documents& documents, std::size_t layer) const;
  const Variant* changed(const Documents& documents, std::size_t layer, Rng& rng) const;

  Survey& survey_;
  const std::vector<Layer>& layers_;
  const LoopNestOptions& options_;
};

}  // namespace cambium::spaces::loopnest
