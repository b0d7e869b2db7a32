// LoopNestSpace: convolutions whose loops are rewritten, as edits of a model: the neural half of
// NAS-PTE (docs/spaces/loopnest.md). The document of an edit is the neural half of a trace, or a
// name of its catalogue, and is read at each of its sites. Refuses (NoProposal) targets without a
// convolution. Strategies see it as a spaces::Space.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/target.h"
#include "spaces/kind.h"
#include "spaces/loopnest/breeding.h"
#include "spaces/loopnest/layers.h"
#include "spaces/loopnest/listing.h"
#include "spaces/loopnest/offers.h"
#include "spaces/loopnest/options.h"
#include "spaces/loopnest/survey.h"
#include "spaces/loopnest/tree.h"
#include "spaces/space.h"

namespace cambium::spaces::loopnest {

class LoopNestSpace final : public Space,
                            private SamplesEdits,
                            private EnumeratesEdits,
                            private MutatesCandidates,
                            private CrossesCandidates,
                            private ReadsEdits,
                            private KnowsMeaning,
                            private MapsWeights {
 public:
  static Result<std::unique_ptr<LoopNestSpace>> make(const model::Model& base,
                                                     const std::vector<model::Target>& targets,
                                                     LoopNestOptions options = {});

  std::string_view name() const override;
  Result<Edit> check(const model::Model& model, const Edit& edit) const override;
  Result<model::Model> apply(const model::Model& model, const Edit& edit) const override;
  Description describe(const model::Model& model, const Edit& edit) const override;
  Costs cost_bound(const Edits& edits, const Costs& limits) const override;

  SamplesEdits* samples() override { return this; }
  EnumeratesEdits* enumerates() override { return this; }
  TreeOfEdits* tree() override;
  MutatesCandidates* mutates() override { return this; }
  CrossesCandidates* crosses() override { return this; }
  const ReadsEdits* reads() const override { return this; }
  KnowsMeaning* meanings() override { return this; }
  const MapsWeights* weights() const override { return this; }
  OffersBySite* offers() override;

  const std::vector<Layer>& layers() const { return layers_; }
  // Sites of the targets that keep their layer, and why.
  const std::vector<std::pair<std::string, std::string>>& left_out() const { return left_out_; }

 private:
  LoopNestSpace(const model::Model& base, LoopNestOptions options);
  Status add_layers(const std::vector<model::Target>& targets);
  // The survey of the base model, or of the last requested model.
  Survey& survey_of(const model::Model& model) const;
  Result<Plan> plan_of_edit(const model::Model& model, const Edit& edit) const;

  Result<Edits> sample(std::uint64_t seed) override;
  void restart() override;
  std::optional<Edits> next() override;
  Result<Candidate> mutate(const Candidate& candidate, std::uint64_t seed) override;
  Result<Candidate> cross(const Candidate& a, const Candidate& b, std::uint64_t seed) override;
  Result<Edits> edits_of(const std::string& written) const override;
  std::optional<Fingerprint> meaning(const Edit& edit) override;
  Result<std::vector<WeightOrigin>> origins(const model::Model& before,
                                            const Edit& edit) const override;

  LoopNestOptions options_;
  mutable VariantsByShape shapes_;
  mutable Survey base_;
  mutable std::unique_ptr<Survey> last_;
  std::vector<std::size_t> sites_;  // of the targets
  std::vector<Layer> layers_;
  std::vector<std::pair<std::string, std::string>> left_out_;
  std::unique_ptr<LoopNestTree> tree_;
  std::unique_ptr<Offers> offers_;
  // State of the list.
  std::size_t layer_ = 0;
  std::unique_ptr<Listing> listing_;
};

SpaceKind loopnest_kind();

}  // namespace cambium::spaces::loopnest
