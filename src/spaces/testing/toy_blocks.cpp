#include "spaces/testing/toy_blocks.h"

#include <algorithm>

#include "base/text.h"
#include "model/builder.h"
#include "spaces/testing/sites.h"

namespace cambium::spaces::testing {
namespace {

using model::Builder;
using model::Node;
using model::Value;

constexpr std::string_view kActivation = "activation ";
constexpr std::string_view kFunctions[] = {"relu", "gelu", "tanh", "sigmoid"};

std::string unused_name(const std::vector<std::string>& blocks, std::string name) {
  do name += '+';
  while (std::find(blocks.begin(), blocks.end(), name) != blocks.end());
  return name;
}

// A block like this one behind it, with weights of its own.
void duplicate(Builder& builder, const Node& product, const Node& activation,
               const std::string& name) {
  builder.begin_block(name, "basic");
  const model::TensorType type = builder.type(product.inputs[1]);
  const Value w =
      builder.weight(name + ".w", model::Tensor::lazy(type, {model::Fill::Law::Normal, 1, 2}));
  const Value x = builder.add(product.op, {Value{activation.id, 0}, w}, name + ".fc");
  const Value y = builder.add(activation.op, {x}, name + ".act");
  builder.end_block();
  builder.replace_except({activation.id, 0}, y, x.node);
}

}  // namespace

std::vector<std::string> toy_blocks_of(const model::Model& model) {
  std::vector<std::string> names;
  for (const model::NodePtr& node : model.nodes()) {
    if (node->name.ends_with(".act")) names.push_back(node->name.substr(0, node->name.size() - 4));
  }
  return names;
}

ToyBlocks::ToyBlocks(model::Model base, ToyBlocksOptions options)
    : base_(std::move(base)), options_(std::move(options)) {}

Result<Edit> ToyBlocks::check(const model::Model& model, const Edit& edit) const {
  if (edit.sites.size() != 1) {
    return Rejection(Reason::UnknownSite, join(edit.sites, ", "), "an edit is of one block");
  }
  CAMBIUM_REQUIRE(site_named(model, edit.sites[0] + ".act"));
  const auto blocks = static_cast<int>(toy_blocks_of(model).size());
  const std::string_view text = edit.document;
  if (text.starts_with(kActivation)) {
    const std::string_view function = text.substr(kActivation.size());
    if (std::find(std::begin(kFunctions), std::end(kFunctions), function) != std::end(kFunctions)) {
      return edit;
    }
  } else if (text == "delete" || text == "duplicate") {
    const int after = blocks + (text == "delete" ? -1 : 1);
    if (after >= 1 && after <= options_.most_blocks) return edit;
    return Rejection(Reason::NoProposal, edit.document,
                     std::to_string(after) + " blocks would be there");
  }
  return Rejection(Reason::BadSyntax, "duplicate, delete or activation", quote(text), 1, 1);
}

Result<model::Model> ToyBlocks::apply(const model::Model& model, const Edit& edit) const {
  const std::string& block = edit.sites[0];
  CAMBIUM_TRY(const Node* product, site_named(model, block + ".fc"));
  CAMBIUM_TRY(const Node* activation, site_named(model, block + ".act"));
  Builder builder(model);
  if (edit.document == "duplicate") {
    duplicate(builder, *product, *activation, unused_name(toy_blocks_of(model), block));
  } else if (edit.document == "delete") {
    builder.replace({activation->id, 0}, product->inputs[0]);
  } else {
    const auto function =
        model::enumerator_named<model::UnaryFn>(edit.document.substr(kActivation.size()));
    CAMBIUM_CHECK(function.has_value(), "an edit that was not checked");
    // Under the name of the one it replaces, which nothing reads any more.
    Builder without(model);
    without.replace({activation->id, 0}, Value{product->id, 0});
    CAMBIUM_TRY(const model::Model bare, std::move(without).finish());
    Builder again(bare);
    const Value fresh =
        again.add(model::Unary{*function}, {Value{product->id, 0}}, activation->name);
    again.set_block(fresh.node, activation->block);
    again.replace_except({product->id, 0}, fresh, fresh.node);
    return std::move(again).finish();
  }
  return std::move(builder).finish();
}

Description ToyBlocks::describe(const model::Model&, const Edit& edit) const {
  return {edit.document + " " + edit.sites[0], "", "", ""};
}

Result<model::Model> ToyBlocks::applied(const Candidate& candidate) const {
  // Checking and applying change nothing in the space.
  return spaces::apply(base_, candidate, {const_cast<ToyBlocks*>(this)});  // NOLINT
}

Edit ToyBlocks::random_edit(const model::Model& model, Rng& rng) const {
  const std::vector<std::string> blocks = toy_blocks_of(model);
  Edit edit{options_.name, {blocks[rng.below(blocks.size())]}, ""};
  switch (rng.below(3)) {
    case 0: edit.document = "duplicate"; break;
    case 1: edit.document = "delete"; break;
    default:
      edit.document =
          std::string(kActivation) + std::string(kFunctions[rng.below(std::size(kFunctions))]);
  }
  return edit;
}

Result<Candidate> ToyBlocks::mutate(const Candidate& candidate, std::uint64_t seed) {
  Rng rng(seed);
  CAMBIUM_TRY(const model::Model model, applied(candidate));
  Candidate child = candidate;
  child.parent = identity_of(candidate);
  const bool is_long = static_cast<int>(child.edits.size()) >= options_.most_edits;
  if (is_long || (!child.edits.empty() && rng.chance(0.25))) {
    const auto dropped = static_cast<std::ptrdiff_t>(rng.below(child.edits.size()));
    child.edits.erase(child.edits.begin() + dropped);
  } else {
    child.edits.push_back(random_edit(model, rng));
  }
  CAMBIUM_REQUIRE(applied(child));
  return child;
}

Result<Candidate> ToyBlocks::cross(const Candidate& a, const Candidate& b, std::uint64_t seed) {
  Rng rng(seed);
  const auto first = static_cast<std::ptrdiff_t>(rng.below(a.edits.size() + 1));
  const auto rest = static_cast<std::ptrdiff_t>(rng.below(b.edits.size() + 1));
  Candidate child{a.base, {a.edits.begin(), a.edits.begin() + first}, identity_of(a)};
  child.edits.insert(child.edits.end(), b.edits.begin() + rest, b.edits.end());
  CAMBIUM_REQUIRE(applied(child));
  return child;
}

}  // namespace cambium::spaces::testing
