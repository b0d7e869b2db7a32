// The coordinate space restricted to recorded candidates, on which strategies are replayed. Its
// tree offers only the steps that lead to a recorded candidate, in every order of the real tree.
// Samples draw one of the candidates, all equally likely.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "search/table.h"
#include "spaces/coordinate/search/space.h"

namespace cambium::bench {

class ReplaySpace final : public spaces::Space,
                          private spaces::SamplesEdits,
                          private spaces::TreeOfEdits {
 public:
  // Refuses candidates of other spaces. Candidates that are not in its tree are left out: those
  // drawn with other limits, or made of several edits.
  static Result<std::unique_ptr<ReplaySpace>> make(const model::Model& base,
                                                   spaces::coordinate::CoordinateSpace& space,
                                                   const std::vector<TableRow>& rows);

  std::string_view name() const override { return inner_.name(); }
  Result<spaces::Edit> check(const model::Model& model, const spaces::Edit& edit) const override {
    return inner_.check(model, edit);
  }
  Result<model::Model> apply(const model::Model& model, const spaces::Edit& edit) const override {
    return inner_.apply(model, edit);
  }
  spaces::Description describe(const model::Model& model, const spaces::Edit& edit) const override {
    return inner_.describe(model, edit);
  }
  spaces::SamplesEdits* samples() override { return this; }
  spaces::TreeOfEdits* tree() override { return this; }

  // The recorded row of an edit; the edit must have come from here.
  std::size_t row_of(const spaces::Edit& edit) const { return row_of_.at(edit.document); }
  std::vector<std::size_t> rows() const;  // that are in the tree
  std::size_t states() const { return nodes_.size(); }

 private:
  struct Node {
    Fingerprint identity;
    std::vector<Action> actions;
    std::vector<State> next;           // by action
    std::vector<std::uint32_t> below;  // recorded edits, sorted; a leaf has one
    bool is_leaf = false;
  };
  explicit ReplaySpace(spaces::coordinate::CoordinateSpace& inner) : inner_(inner) {}

  Result<spaces::Edits> sample(std::uint64_t seed) override;
  State root() override { return 0; }
  const std::vector<Action>& actions(State state) override { return nodes_[state].actions; }
  State next(State state, std::size_t action) override { return nodes_[state].next[action]; }
  std::optional<spaces::Edits> finished(State state) override;
  Fingerprint identity(State state) override { return nodes_[state].identity; }
  std::optional<Descent> descend(State state, Rng& rng) override;

  friend class ReplayBuilder;
  spaces::coordinate::CoordinateSpace& inner_;
  std::vector<Node> nodes_;
  std::vector<spaces::Edit> edits_;
  std::vector<std::size_t> rows_;  // by edit
  std::map<std::string, std::size_t> row_of_;
};

}  // namespace cambium::bench
