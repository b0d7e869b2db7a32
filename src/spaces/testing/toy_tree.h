// A toy space that offers a tree and nothing else. A document is a word of letters, each with a
// length, that fill a total exactly; the order does not matter, so most words are reached in
// several ways, and some beginnings are dead ends. Applied, a word makes a chain of products of its
// lengths of the product that stood there.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "spaces/space.h"

namespace cambium::spaces::testing {

struct ToyTreeOptions {
  std::vector<int> lengths = {2, 3, 4, 5, 7};  // of the letters a, b, c ...
  int total = 12;
  std::vector<std::string> sites = {"b0.fc", "b1.fc", "b2.fc"};
  bool shares_states = true;  // no: two orders of one word are two states, as in a plain tree
  std::string name = "toy-tree";
};

class ToyTree final : public Space, public TreeOfEdits {
 public:
  explicit ToyTree(ToyTreeOptions options = {});

  std::string_view name() const override { return options_.name; }
  Result<Edit> check(const model::Model& model, const Edit& edit) const override;
  Result<model::Model> apply(const model::Model& model, const Edit& edit) const override;
  Description describe(const model::Model& model, const Edit& edit) const override;
  TreeOfEdits* tree() override { return this; }

  State root() override;
  const std::vector<Action>& actions(State state) override;
  State next(State state, std::size_t action) override;
  std::optional<Edit> finished(State state) override;
  Fingerprint identity(State state) override;

  std::size_t states() const { return words_.size(); }

 private:
  State intern(std::string word);
  int length_of(const std::string& word) const;
  std::vector<char> fitting(const std::string& word) const;

  ToyTreeOptions options_;
  std::vector<std::string> words_;  // by State
  std::unordered_map<std::string, State> known_;
  std::vector<Action> actions_;
};

}  // namespace cambium::spaces::testing
