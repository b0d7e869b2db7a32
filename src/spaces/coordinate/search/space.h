// CoordinateSpace: operators synthesized from coordinates as edits of a model
// (docs/spaces/search.md). An edit replaces all places that share their shapes by one operator;
// places are convolutions, strided ones included, linear layers and blocks. Refuses targets of
// which no place is left and a limit on activations that the layers that stay break (NoProposal),
// and limits that make no sense (BadOption). Strategies reach it as a spaces::Space.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "spaces/coordinate/search/draw.h"
#include "spaces/coordinate/search/family.h"
#include "spaces/coordinate/search/listing.h"
#include "spaces/coordinate/search/tree.h"
#include "spaces/coordinate/semantic.h"
#include "spaces/space.h"

namespace cambium::spaces::coordinate {

class CoordinateSpace final : public Space,
                              private SamplesEdits,
                              private EnumeratesEdits,
                              private ReadsEdits {
 public:
  static Result<std::unique_ptr<CoordinateSpace>> make(const model::Model& base,
                                                       const std::vector<model::Target>& targets,
                                                       SpaceOptions options = {});

  std::string_view name() const override;
  Result<Edit> check(const model::Model& model, const Edit& edit) const override;
  Result<model::Model> apply(const model::Model& model, const Edit& edit) const override;
  Description describe(const model::Model& model, const Edit& edit) const override;
  // For edits of a whole family, as the space proposes them.
  std::optional<double> activation_bound(const Edit& edit, double enough) const override;

  SamplesEdits* samples() override { return this; }
  EnumeratesEdits* enumerates() override { return this; }
  EditTree* tree() override;
  const ReadsEdits* reads() const override { return this; }

  const std::vector<Family>& families() const { return families_; }
  // Sites of the targets that keep what they have, and why.
  const std::vector<std::pair<std::string, std::string>>& left_out() const { return left_out_; }
  // The edit that puts this operator, a document without or with values, at all places of a family.
  // Refuses what `check` refuses.
  Result<Edit> edit_of(const Family& family, const std::string& document) const;

 private:
  // What an edit says, read against the model that it meets.
  struct Reading {
    Family family;
    Operator op;
  };
  CoordinateSpace(model::Model base, SpaceOptions options)
      : base_(std::move(base)), options_(std::move(options)) {}
  Status add_places(const model::Model& base, const std::vector<model::Target>& targets);
  Status check_activations();
  Result<Reading> read(const model::Model& model, const Edit& edit) const;
  Result<Reading> read(std::vector<Place> places, const std::string& document) const;
  Result<std::unique_ptr<synthesis::Space>> synthesis_of(const Family& family) const;
  // The family whose places are the sites of an edit; null where there is none.
  const Family* family_of_sites(const std::vector<std::string>& sites) const;
  double base_activations() const;  // bytes
  // Whether the base model with the operator at all places of the family keeps the limit.
  bool is_light(const Family& family, const Operator& op);
  Wanted wanted(const Family& family);
  Edit edit_of(const Reading& reading) const;
  Edit edit_of(const Family& family, const Operator& op) const;

  Result<Edit> sample(std::uint64_t seed) override;
  void restart() override;
  std::optional<Edit> next() override;
  // A document, or a name of the catalogue with values: `grouped_conv2d g=4`.
  Result<std::vector<Edit>> edits_of(const std::string& written) const override;

  model::Model base_;
  mutable std::optional<double> base_activations_;  // counted when first asked for
  SpaceOptions options_;
  std::vector<Family> families_;
  std::vector<std::pair<std::string, std::string>> left_out_;

  // Per family, made when first asked for.
  struct Sampling {
    std::unique_ptr<synthesis::Space> space;
    std::unique_ptr<Drawing> drawing;
  };
  std::vector<Sampling> sampling_;
  Drawing& drawing(std::size_t family);
  std::unique_ptr<EditTree> tree_;
  // The family that is listed, and what was seen of it.
  struct Enumeration {
    std::size_t family = 0;
    std::unique_ptr<Listing> listing;
    std::unique_ptr<SemanticHasher> hasher;
    std::unordered_set<Fingerprint> seen;
  } enumeration_;
};

}  // namespace cambium::spaces::coordinate
