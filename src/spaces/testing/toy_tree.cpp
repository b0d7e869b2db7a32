#include "spaces/testing/toy_tree.h"

#include <algorithm>

#include "model/builder.h"
#include "spaces/testing/sites.h"

namespace cambium::spaces::testing {

using model::Builder;
using model::Node;
using model::Tensor;
using model::TensorType;
using model::Value;

ToyTree::ToyTree(ToyTreeOptions options) : options_(std::move(options)) {}

int ToyTree::length_of(const std::string& word) const {
  int length = 0;
  for (const char letter : word) length += options_.lengths[static_cast<std::size_t>(letter - 'a')];
  return length;
}

std::vector<char> ToyTree::fitting(const std::string& word) const {
  std::vector<char> letters;
  const int left = options_.total - length_of(word);
  for (std::size_t i = 0; i < options_.lengths.size(); ++i) {
    if (options_.lengths[i] <= left) letters.push_back(static_cast<char>('a' + i));
  }
  return letters;
}

Result<Edit> ToyTree::check(const model::Model& model, const Edit& edit) const {
  Edit checked = edit;
  std::sort(checked.document.begin(), checked.document.end());
  for (std::size_t i = 0; i < edit.document.size(); ++i) {
    const int letter = edit.document[i] - 'a';
    if (letter < 0 || letter >= static_cast<int>(options_.lengths.size())) {
      return Rejection(Reason::BadSyntax, "a letter", edit.document.substr(i, 1), 1,
                       static_cast<std::int64_t>(i) + 1);
    }
  }
  const int length = length_of(checked.document);
  if (length != options_.total) {
    return Rejection(Reason::WrongDomain, "'" + checked.document + "'",
                     std::to_string(length) + ", not " + std::to_string(options_.total));
  }
  for (const std::string& site : edit.sites) {
    CAMBIUM_REQUIRE(site_named(model, site));
  }
  return checked;
}

Result<model::Model> ToyTree::apply(const model::Model& model, const Edit& edit) const {
  Builder builder(model);
  for (const std::string& site : edit.sites) {
    CAMBIUM_TRY(const Node* node, site_named(model, site));
    Value x = node->inputs[0];
    std::int64_t width = model.type(x).dims.back();
    const auto widen = [&](const std::string& name, std::int64_t next) {
      const TensorType type{DType::F32, {width, next}};
      const Value w =
          builder.weight(name + ".w", Tensor::lazy(type, {model::Fill::Law::Normal, 1, 1}));
      x = builder.add(model::MatMul{}, {x, w}, name);
      width = next;
    };
    for (std::size_t i = 0; i < edit.document.size(); ++i) {
      const auto letter = static_cast<std::size_t>(edit.document[i] - 'a');
      widen(site + "." + std::to_string(i), options_.lengths[letter]);
    }
    widen(site + ".last", node->outputs[0].dims.back());
    builder.replace({node->id, 0}, x);
  }
  return std::move(builder).finish();
}

Description ToyTree::describe(const model::Model&, const Edit& edit) const {
  return {"the word " + edit.document, "", "", ""};
}

TreeOfEdits::State ToyTree::intern(std::string word) {
  if (options_.shares_states) std::sort(word.begin(), word.end());
  const auto [found, is_new] = known_.emplace(word, static_cast<State>(words_.size()));
  if (is_new) words_.push_back(std::move(word));
  return found->second;
}

TreeOfEdits::State ToyTree::root() {
  return intern("");
}

const std::vector<TreeOfEdits::Action>& ToyTree::actions(State state) {
  actions_.clear();
  for (const char letter : fitting(words_[state])) {
    const int length = options_.lengths[static_cast<std::size_t>(letter - 'a')];
    actions_.push_back({std::string("take ") + letter, length % 2 == 0 ? "even" : "odd"});
  }
  return actions_;
}

TreeOfEdits::State ToyTree::next(State state, std::size_t action) {
  const std::string word = words_[state];
  return intern(word + fitting(word).at(action));
}

std::optional<Edit> ToyTree::finished(State state) {
  std::string word = words_[state];
  if (length_of(word) != options_.total) return std::nullopt;
  std::sort(word.begin(), word.end());
  return Edit{options_.name, options_.sites, std::move(word)};
}

Fingerprint ToyTree::identity(State state) {
  return fingerprint_of("toy-tree", words_[state]);
}

}  // namespace cambium::spaces::testing
