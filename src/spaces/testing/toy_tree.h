// A toy space with a tree. A document is a word of letters, each with a length, that fill a total
// exactly; the order does not matter, so most words are reached in several ways, and some
// beginnings are dead ends. Applied, a word replaces the product at its site by a chain of products
// whose widths are the lengths of its letters. docs/howto/add_space.md follows this space.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "spaces/kind.h"

namespace cambium::spaces::testing {

struct ToyTreeOptions {
  std::vector<int> lengths = {2, 3, 4, 5, 7};  // of the letters a, b, c ...
  int total = 12;
  std::vector<std::string> sites = {"b0.fc", "b1.fc", "b2.fc"};
  bool shares_states = true;  // no: two orders of one word are two states, as in a plain tree
  // A word for each site, one after another, so that a proposal has several edits; sites with the
  // same word share one.
  bool per_site = false;
  std::string name = "toy-tree";
};

class ToyTree final : public Space, public TreeOfEdits, public ReadsEdits {
 public:
  explicit ToyTree(ToyTreeOptions options = {});

  std::string_view name() const override { return options_.name; }
  Result<Edit> check(const model::Model& model, const Edit& edit) const override;
  Result<model::Model> apply(const model::Model& model, const Edit& edit) const override;
  Description describe(const model::Model& model, const Edit& edit) const override;
  // The products that the words make; what else the model has is not counted.
  Costs cost_bound(const Edits& edits, const Costs& limits) const override;
  TreeOfEdits* tree() override { return this; }
  const ReadsEdits* reads() const override { return this; }

  State root() override;
  const std::vector<Action>& actions(State state) override;
  State next(State state, std::size_t action) override;
  std::optional<Edits> finished(State state) override;
  Fingerprint identity(State state) override;

  // A word, at all sites.
  Result<Edits> edits_of(const std::string& written) const override;

  std::size_t states() const { return words_.size(); }

 private:
  State intern(std::string words);
  int length_of(const std::string& word) const;
  Status check_word(const std::string& word) const;
  std::vector<char> fitting(const std::string& word) const;

  ToyTreeOptions options_;
  std::vector<std::string> words_;  // by State: `abe|ab`, the last one unfinished
  std::unordered_map<std::string, State> known_;
  std::vector<Action> actions_;
};

// For lists of spaces.
SpaceKind toy_tree_kind();

}  // namespace cambium::spaces::testing
