// A toy space that mutates candidates: it duplicates blocks, deletes blocks and exchanges their
// activations. Sites are names of blocks. Documents are `duplicate`, `delete` and `activation
// gelu`.
#pragma once

#include <string>
#include <vector>

#include "spaces/space.h"

namespace cambium::spaces::testing {

struct ToyBlocksOptions {
  int most_blocks = 8;
  int most_edits = 12;  // of a candidate
  bool crosses = false;
  std::string name = "toy-blocks";
};

class ToyBlocks final : public Space, public MutatesCandidates, public CrossesCandidates {
 public:
  explicit ToyBlocks(model::Model base, ToyBlocksOptions options = {});

  std::string_view name() const override { return options_.name; }
  Result<Edit> check(const model::Model& model, const Edit& edit) const override;
  Result<model::Model> apply(const model::Model& model, const Edit& edit) const override;
  Description describe(const model::Model& model, const Edit& edit) const override;
  MutatesCandidates* mutates() override { return this; }
  CrossesCandidates* crosses() override { return options_.crosses ? this : nullptr; }

  Result<Candidate> mutate(const Candidate& candidate, std::uint64_t seed) override;
  // The first edits of one candidate, then the last edits of the other.
  Result<Candidate> cross(const Candidate& a, const Candidate& b, std::uint64_t seed) override;

 private:
  Result<model::Model> applied(const Candidate& candidate) const;
  Edit random_edit(const model::Model& model, Rng& rng) const;

  model::Model base_;
  ToyBlocksOptions options_;
};

// Names of the blocks that still have nodes, in the order of the chain.
std::vector<std::string> toy_blocks_of(const model::Model& model);

}  // namespace cambium::spaces::testing
