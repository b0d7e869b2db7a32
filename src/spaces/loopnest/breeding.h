// Breeding: children of candidates. A mutation changes, extends or shortens the document of one
// layer, or copies that of another layer. A crossing takes each layer from either parent. Layers
// that an output bottleneck links come from the same parent. Documents that no longer fit are left
// out. Refuses (NoProposal) candidates with edits of other spaces, and seeds that give no child.
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

// The refusal NoProposal of this space.
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
  // A draft with the choices before a layer, so that the variants of the layer are those after
  // these choices.
  Draft before(const Documents& documents, std::size_t layer) const;
  const Variant* changed(const Documents& documents, std::size_t layer, Rng& rng) const;

  Survey& survey_;
  const std::vector<Layer>& layers_;
  const LoopNestOptions& options_;
};

}  // namespace cambium::spaces::loopnest
