// CoordinateSpace: operators synthesized from coordinates, as edits of a model
// (docs/spaces/search.md). An edit replaces all places that share their shapes by one operator.
// Places are convolutions (also strided), linear layers and blocks. Refuses (NoProposal) targets
// that leave no place, and a limit on activations that the remaining layers already break; refuses
// (BadOption) limits that contradict each other. Strategies see it as a spaces::Space.
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
#include "spaces/kind.h"
#include "spaces/places/surroundings.h"
#include "spaces/space.h"

namespace cambium::spaces::coordinate {

class CoordinateSpace final : public Space,
                              private SamplesEdits,
                              private EnumeratesEdits,
                              private ReadsEdits,
                              private KnowsMeaning {
 public:
  static Result<std::unique_ptr<CoordinateSpace>> make(const model::Model& base,
                                                       const std::vector<model::Target>& targets,
                                                       SpaceOptions options = {});

  std::string_view name() const override;
  Result<Edit> check(const model::Model& model, const Edit& edit) const override;
  Result<model::Model> apply(const model::Model& model, const Edit& edit) const override;
  Description describe(const model::Model& model, const Edit& edit) const override;
  // For one edit of a whole family, as the space proposes it.
  Costs cost_bound(const Edits& edits, const Costs& limits) const override;

  SamplesEdits* samples() override { return this; }
  EnumeratesEdits* enumerates() override { return this; }
  EditTree* tree() override;
  const ReadsEdits* reads() const override { return this; }
  KnowsMeaning* meanings() override { return this; }

  const std::vector<Family>& families() const { return families_; }
  // Sites of the targets that keep their layer, and why.
  const std::vector<std::pair<std::string, std::string>>& left_out() const { return left_out_; }
  // The edit that puts this operator, a document without or with values, at all places of a family.
  // Refuses what `check` refuses.
  Result<Edit> edit_of(const Family& family, const std::string& document) const;

 private:
  // An edit, read against the model that it meets.
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
  // The family whose places are the sites of an edit, and its operator. Nothing if there is no such
  // family, or if the document has other shapes or coefficients than the family.
  struct Proposed {
    std::size_t family = 0;
    Operator op;
  };
  std::optional<Proposed> proposed(const Edit& edit) const;
  const Surroundings& surroundings(std::size_t family) const;
  double base_activations() const;  // bytes
  // Whether the base model with the operator at all places of the family keeps the limit.
  bool is_light(std::size_t family, const Operator& op) const;
  Wanted wanted(std::size_t family) const;
  Edit edit_of(const Reading& reading) const;
  Edit edit_of(const Family& family, const Operator& op) const;

  Result<Edits> sample(std::uint64_t seed) override;
  void restart() override;
  std::optional<Edits> next() override;
  // A document, or a name of the catalogue with values: `grouped_conv2d g=4`.
  Result<Edits> edits_of(const std::string& written) const override;
  std::optional<Fingerprint> meaning(const Edit& edit) override;

  model::Model base_;
  mutable std::optional<double> base_activations_;  // counted on first use
  SpaceOptions options_;
  std::vector<Family> families_;
  std::vector<std::pair<std::string, std::string>> left_out_;
  mutable std::vector<std::optional<Surroundings>>
      surroundings_;  // by family, counted on first use

  // Per family, made on first use.
  struct Sampling {
    std::unique_ptr<synthesis::Space> space;
    std::unique_ptr<Drawing> drawing;
    std::unique_ptr<SemanticHasher> hasher;
  };
  std::vector<Sampling> sampling_;
  Drawing& drawing(std::size_t family);
  std::optional<Fingerprint> meaning_of(std::size_t family, const Operator& op);
  std::unique_ptr<EditTree> tree_;
  // The family that is being listed, and the functions already seen.
  struct Enumeration {
    std::size_t family = 0;
    std::unique_ptr<Listing> listing;
    std::unordered_set<Fingerprint> seen;
  } enumeration_;
};

// For the list of spaces.
SpaceKind coordinate_kind();

}  // namespace cambium::spaces::coordinate
