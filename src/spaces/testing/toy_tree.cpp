#include "spaces/testing/toy_tree.h"

#include <algorithm>

#include "base/text.h"
#include "model/builder.h"
#include "spaces/testing/sites.h"
#include "spaces/testing/toy_net.h"

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

Status ToyTree::check_word(const std::string& word) const {
  for (std::size_t i = 0; i < word.size(); ++i) {
    const int letter = word[i] - 'a';
    if (letter < 0 || letter >= static_cast<int>(options_.lengths.size())) {
      return Rejection(Reason::BadSyntax, "a letter", word.substr(i, 1), 1,
                       static_cast<std::int64_t>(i) + 1);
    }
  }
  const int length = length_of(word);
  if (length == options_.total) return Ok{};
  return Rejection(Reason::WrongDomain, "'" + word + "'",
                   std::to_string(length) + ", not " + std::to_string(options_.total));
}

Result<Edit> ToyTree::check(const model::Model& model, const Edit& edit) const {
  Edit checked = edit;
  std::sort(checked.document.begin(), checked.document.end());
  CAMBIUM_REQUIRE(check_word(edit.document));
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

Costs ToyTree::cost_bound(const Edits& edits, const Costs&) const {
  double products = 0;
  for (const Edit& edit : edits) {
    std::int64_t width = testing::kToyWidth;
    std::int64_t at_one_site = 0;
    for (const char letter : edit.document) {
      const std::int64_t next = options_.lengths[static_cast<std::size_t>(letter - 'a')];
      at_one_site += width * next;
      width = next;
    }
    at_one_site += width * testing::kToyWidth;
    products += static_cast<double>(edit.sites.size()) * static_cast<double>(at_one_site);
  }
  return {.macs = products, .parameters = products};
}

Result<Edits> ToyTree::edits_of(const std::string& written) const {
  Edit edit{options_.name, options_.sites, written};
  std::sort(edit.document.begin(), edit.document.end());
  CAMBIUM_REQUIRE(check_word(edit.document));
  return Edits{std::move(edit)};
}

namespace {

std::string last_of(const std::string& words) {
  return words.substr(words.find_last_of('|') + 1);
}

}  // namespace

TreeOfEdits::State ToyTree::intern(std::string words) {
  if (options_.shares_states) {
    std::sort(words.end() - std::ssize(last_of(words)), words.end());
  }
  const auto [found, is_new] = known_.emplace(words, static_cast<State>(words_.size()));
  if (is_new) words_.push_back(std::move(words));
  return found->second;
}

TreeOfEdits::State ToyTree::root() {
  return intern("");
}

const std::vector<TreeOfEdits::Action>& ToyTree::actions(State state) {
  actions_.clear();
  for (const char letter : fitting(last_of(words_[state]))) {
    const int length = options_.lengths[static_cast<std::size_t>(letter - 'a')];
    actions_.push_back({std::string("take ") + letter, length % 2 == 0 ? "even" : "odd"});
  }
  return actions_;
}

TreeOfEdits::State ToyTree::next(State state, std::size_t action) {
  std::string words = words_[state];
  words += fitting(last_of(words)).at(action);
  const auto begun = static_cast<std::size_t>(std::count(words.begin(), words.end(), '|')) + 1;
  const bool has_more = options_.per_site && begun < options_.sites.size();
  if (has_more && length_of(last_of(words)) == options_.total) words += '|';
  return intern(std::move(words));
}

std::optional<Edits> ToyTree::finished(State state) {
  if (length_of(last_of(words_[state])) != options_.total) return std::nullopt;
  Edits edits;
  std::size_t site = 0;
  for (const std::string_view each : split(words_[state], '|')) {
    std::string word(each);
    std::sort(word.begin(), word.end());
    const auto same = std::find_if(edits.begin(), edits.end(),
                                   [&](const Edit& edit) { return edit.document == word; });
    const std::vector<std::string> sites =
        options_.per_site ? std::vector{options_.sites[site++]} : options_.sites;
    if (same == edits.end()) {
      edits.push_back({options_.name, sites, std::move(word)});
    } else {
      same->sites.insert(same->sites.end(), sites.begin(), sites.end());
    }
  }
  return edits;
}

Fingerprint ToyTree::identity(State state) {
  return fingerprint_of("toy-tree", words_[state]);
}

namespace {

Settings settings_of(ToyTreeOptions& options) {
  return Settings("the toy-tree space")
      .whole("total", options.total, 1, 40, "length that the letters of a word fill")
      .yes_no("per-site", options.per_site, "a word for each site");
}

}  // namespace

SpaceKind toy_tree_kind() {
  return {"toy-tree", "chains of products, for tests", "linear:name=b*",
          [] {
            ToyTreeOptions standard;
            return settings_of(standard).list();
          },
          [](const model::Model&, const std::vector<model::Target>& targets,
             const SettingList& list) -> Result<std::unique_ptr<Space>> {
            ToyTreeOptions options;
            CAMBIUM_REQUIRE(settings_of(options).read(list));
            options.sites.clear();
            for (const model::Target& target : targets) {
              for (const model::Site& site : target.sites) options.sites.push_back(site.name);
            }
            return std::unique_ptr<Space>(std::make_unique<ToyTree>(std::move(options)));
          }};
}

}  // namespace cambium::spaces::testing
