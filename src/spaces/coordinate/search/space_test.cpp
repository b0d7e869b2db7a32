#include "spaces/coordinate/search/space.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "base/text.h"
#include "model/composite.h"
#include "model/cost.h"
#include "model/fingerprint.h"
#include "model/reference/execute.h"
#include "model/verify.h"
#include "model/zoo/zoo.h"
#include "spaces/coordinate/document.h"
#include "spaces/coordinate/known.h"

namespace cambium::spaces::coordinate {
namespace {

using model::Model;

Model tiny_resnet() {
  return model::zoo::build("tiny-resnet", {.image = 16}).value();
}

std::unique_ptr<CoordinateSpace> space_over(const Model& base, std::string_view selector,
                                            const SpaceOptions& options = {}) {
  return CoordinateSpace::make(base, model::select(base, selector).value(), options).value();
}

std::string document_of(std::string_view name) {
  return std::string(find_known(name)->document);
}

std::vector<double> run(const Model& model) {
  std::vector<model::Tensor> inputs;
  for (const model::NodeId id : model.inputs()) {
    const model::Fill fill{model::Fill::Law::Normal, 1, 7};
    inputs.push_back(model::Tensor::lazy(model.node(id).outputs[0], fill));
  }
  return model::execute(model, inputs).value().at(0).to_doubles();
}

const model::Node* node_named(const Model& model, std::string_view name) {
  for (const model::NodePtr& node : model.nodes()) {
    if (node->name == name) return node.get();
  }
  return nullptr;
}

// The rewritten model with the weights that the convolutions had.
void expect_same_with_old_weights(const Model& base, const Model& made,
                                  const std::vector<std::string>& sites) {
  model::Builder builder(made);
  for (const std::string& site : sites) {
    const model::Node* weight = node_named(made, site + ".weight");
    const model::Node* old = node_named(base, site + ".weight");
    ASSERT_NE(weight, nullptr) << "one weight in the place of one keeps its name";
    ASSERT_EQ(weight->outputs[0], old->outputs[0]);
    builder.set_weight(weight->id, old->as<model::Weight>()->value);
  }
  const std::vector<double> expected = run(base), actual = run(std::move(builder).finish().value());
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) EXPECT_NEAR(actual[i], expected[i], 1e-4);
}

TEST(CoordinateSpace, PutsStridedAndPlainConvolutionsIntoOneFamily) {
  const Model base = tiny_resnet();
  const auto space = space_over(base, "conv:k=3");
  ASSERT_EQ(space->families().size(), 1u);
  const Family& family = space->families()[0];
  EXPECT_EQ(family.places.size(), 12u);
  EXPECT_EQ(family.places.front().shapes.in, "[N, Ci, H, W]");
  EXPECT_EQ(family.problem.bindings.size(), 5u);
  ASSERT_EQ(space->left_out().size(), 1u);
  EXPECT_EQ(space->left_out()[0].first, "conv1");
  EXPECT_EQ(space->left_out()[0].second, "it has 1 channels, fewer than 4");
  // 16 channels at least: g*s divides them.
  EXPECT_EQ(family.values, (Values{{"g", 8}, {"k", 3}, {"s", 2}}));
  std::int64_t macs = 0;
  for (const Place& place : family.places) macs += place.macs;
  EXPECT_EQ(static_cast<double>(macs), original_cost(family).macs);
}

TEST(CoordinateSpace, ReplacesEveryPlaceByAComposite) {
  const Model base = tiny_resnet();
  const auto space = space_over(base, "conv:k=3");
  const Edit edit = space->edit_of(space->families()[0], document_of("operator1")).value();
  EXPECT_EQ(edit.document.substr(0, 22), "let     g=8, k=3, s=2\n");
  EXPECT_EQ(space->check(base, edit).value(), edit);
  const Model made = space->apply(base, edit).value();
  EXPECT_TRUE(model::verify(made).ok());
  int composites = 0;
  for (const model::NodePtr& node : made.nodes())
    composites += node->as<model::Composite>() != nullptr;
  EXPECT_EQ(composites, 12);
  // A strided place averages first.
  const model::Node* strided = node_named(made, "layer2.0.conv1.coordinate");
  ASSERT_NE(strided, nullptr);
  EXPECT_EQ(made.node(strided->inputs[0].node).name, "layer2.0.conv1.pool");
  EXPECT_EQ(made.node(strided->inputs[1].node).name, "layer2.0.conv1.w1");
  EXPECT_EQ(made.blocks()[strided->block].name, "layer2.0");
  for (const double y : run(made)) EXPECT_TRUE(std::isfinite(y));
}

// Several weights in the place of one are none of them that one, and neither is one in the place of
// what another layer reads too.
TEST(CoordinateSpace, NamesWeightsAfterTheSiteUnlessOneTakesThePlaceOfOne) {
  model::Builder b("tied");
  const model::Value x = b.input("x", {DType::F32, {1, 16, 8, 8}});
  const model::Value tied = b.weight(
      "tied", model::Tensor::lazy({DType::F32, {16, 16, 3, 3}}, {model::Fill::Law::Normal, 1, 3}));
  const model::Conv conv{{1, 1}, {1, 1, 1, 1}, {1, 1}, 1};
  const model::Value first = b.add(conv, {x, tied}, "first");
  b.output("y", b.add(conv, {first, tied}, "second"));
  const Model base = std::move(b).finish().value();
  const auto space = space_over(base, "conv:*");
  for (const char* name : {"conv2d", "separable_conv2d"}) {
    const Edit edit = space->edit_of(space->families()[0], document_of(name)).value();
    const Model made = space->apply(base, edit).value();
    EXPECT_NE(node_named(made, "first.w1"), nullptr) << name;
    EXPECT_NE(node_named(made, "second.w1"), nullptr) << name;
    EXPECT_EQ(node_named(made, "tied"), nullptr) << name;
  }
  const Model resnet = tiny_resnet();
  const auto convolutions = space_over(resnet, "conv:k=3,stride=1");
  const Edit two =
      convolutions->edit_of(convolutions->families()[0], document_of("separable_conv2d")).value();
  const Model made = convolutions->apply(resnet, two).value();
  EXPECT_NE(node_named(made, "layer1.0.conv1.w2"), nullptr);
  EXPECT_EQ(node_named(made, "layer1.0.conv1.weight"), nullptr);
}

// The catalogue's convolution in the place of a convolution, with the weights of the original, is
// the original where that does not stride.
TEST(CoordinateSpace, AConvolutionInItsOwnPlaceComputesWhatItDid) {
  const Model base = tiny_resnet();
  const auto space = space_over(base, "conv:k=3,stride=1");
  const Edit edit = space->edit_of(space->families()[0], document_of("conv2d")).value();
  const Model made = space->apply(base, edit).value();
  EXPECT_EQ(model::cost_of(made).macs, model::cost_of(base).macs);
  EXPECT_EQ(model::cost_of(made).params, model::cost_of(base).params);
  expect_same_with_old_weights(base, made, edit.sites);
}

// An operator that strides by itself takes the input as it is.
TEST(CoordinateSpace, AStridedConvolutionInItsOwnPlaceComputesWhatItDid) {
  const Model base = tiny_resnet();
  const auto space = space_over(base, "conv:k=3");
  const Edit edit = space
                        ->check(base, {"coordinate",
                                       {"layer2.0.conv1", "layer3.0.conv1"},
                                       document_of("strided_conv2d")})
                        .value();
  const Model made = space->apply(base, edit).value();
  EXPECT_EQ(node_named(made, "layer2.0.conv1.pool"), nullptr);
  expect_same_with_old_weights(base, made, edit.sites);
}

TEST(CoordinateSpace, KeepsBiases) {
  model::Builder b("biased");
  const model::Value x = b.input("x", {DType::F32, {2, 8, 9, 9}});
  const auto weight = [&](const char* name, model::Ints dims) {
    return b.weight(name, model::Tensor::lazy({DType::F32, std::move(dims)},
                                              {model::Fill::Law::Normal, 0.1, 3}));
  };
  const model::Value conv =
      b.add(model::Conv{{2, 2}, {1, 1, 1, 1}, {1, 1}, 1},
            {x, weight("conv.weight", {16, 8, 3, 3}), weight("conv.bias", {16})}, "conv");
  const model::Value flat = b.add(model::Reduce{model::ReduceFn::Mean, {2, 3}, false}, {conv});
  b.output("y", b.add(model::Gemm{1, 1, false, true},
                      {flat, weight("fc.weight", {32, 16}), weight("fc.bias", {32})}, "fc"));
  const Model base = std::move(b).finish().value();
  const auto space = space_over(base, "conv:*+linear:*");
  ASSERT_EQ(space->families().size(), 2u);
  Candidate candidate{model::structure_of(base), {}, {}};
  for (const Family& family : space->families()) {
    const bool linear = family.places[0].name == "fc";
    candidate.edits.push_back(
        space->edit_of(family, document_of(linear ? "linear" : "conv2d")).value());
  }
  const Model made = spaces::apply(base, candidate, {space.get()}).value();
  EXPECT_TRUE(model::verify(made).ok());
  // 9 rows become 5: the last window is cut.
  EXPECT_EQ(node_named(made, "conv.pool")->outputs[0].dims, (model::Ints{2, 8, 5, 5}));
  ASSERT_NE(node_named(made, "conv.biased"), nullptr);
  ASSERT_NE(node_named(made, "fc.biased"), nullptr);
  EXPECT_EQ(node_named(made, "fc.bias")->id, node_named(base, "fc.bias")->id);
  EXPECT_EQ(made.outputs()[0].value, (model::Value{node_named(made, "fc.biased")->id, 0}));
  // Where the weights are zero, the bias is what is left.
  model::Builder zeroed(made);
  for (const model::NodePtr& node : made.nodes()) {
    if (node->name.find(".weight") == std::string::npos) continue;
    zeroed.set_weight(node->id, model::Tensor::lazy(node->outputs[0], {}));
  }
  const std::vector<double> y = run(std::move(zeroed).finish().value());
  const auto bias = node_named(base, "fc.bias")->as<model::Weight>()->value.to_doubles();
  for (std::size_t i = 0; i < y.size(); ++i) EXPECT_EQ(y[i], bias[i % bias.size()]);
}

// A language model must not read later tokens.
TEST(CoordinateSpace, KeepsTokensOfLinearLayersApart) {
  const Model base = model::zoo::build("tiny-gpt", {.length = 8}).value();
  const auto space = space_over(base, "linear:name=*attn*");
  ASSERT_EQ(space->families().size(), 1u);
  const Family& family = space->families()[0];
  EXPECT_EQ(family.places[0].shapes.in, "[N, T, Ci]");
  EXPECT_EQ(family.problem.fixed, (std::vector<FixedPair>{{0, 0}, {1, 1}}));
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const Edit edit = space->samples()->sample(seed).value().at(0);
    EXPECT_NE(edit.document.find("\nx       n, t, "), std::string::npos) << edit.document;
    EXPECT_TRUE(model::verify(space->apply(base, edit).value()).ok());
  }
}

TEST(CoordinateSpace, SamplesTheSameForASeedWhateverWasAskedBefore) {
  const Model base = tiny_resnet();
  const auto first = space_over(base, "conv:k=3"), second = space_over(base, "conv:k=3");
  std::vector<Edit> forwards, backwards;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    forwards.push_back(first->samples()->sample(seed).value().at(0));
  }
  for (std::uint64_t seed = 12; seed-- > 0;) {
    backwards.push_back(second->samples()->sample(seed).value().at(0));
  }
  std::reverse(backwards.begin(), backwards.end());
  EXPECT_EQ(forwards, backwards);
  std::set<std::string> documents;
  for (const Edit& edit : forwards) documents.insert(edit.document);
  EXPECT_GT(documents.size(), 9u);
}

TEST(CoordinateSpace, SamplesKeepBudgetsAndMakeModelsThatRun) {
  const Model base = tiny_resnet();
  SpaceOptions options;
  options.least_macs = 0.2;
  options.most_macs = 0.5;
  options.most_parameters = 0.6;
  options.most_memory = 6;
  const auto space = space_over(base, "conv:k=3", options);
  const Family& family = space->families()[0];
  const FamilyCost original = original_cost(family);
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const Edit edit = space->samples()->sample(seed).value().at(0);
    EXPECT_EQ(space->check(base, edit).value(), edit);
    const Model made = space->apply(base, edit).value();
    ASSERT_TRUE(model::verify(made).ok()) << edit.document;
    const auto composites_macs =
        model::cost_of(made).macs -
        (model::cost_of(base).macs - static_cast<std::int64_t>(original.macs));
    EXPECT_LE(static_cast<double>(composites_macs), 0.5 * original.macs) << edit.document;
    for (const double y : run(made)) EXPECT_TRUE(std::isfinite(y)) << edit.document;
  }
}

TEST(CoordinateSpace, SamplesMixAsManyAxesAsAreAskedFor) {
  const Model base = tiny_resnet();
  SpaceOptions options;
  options.least_mixed = 3;
  options.least_macs = 0.1;
  const auto space = space_over(base, "conv:k=3", options);
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const Edit edit = space->samples()->sample(seed).value().at(0);
    EXPECT_NE(edit.document.find("unfold("), std::string::npos) << edit.document;
  }
  const Family& family = space->families()[0];
  const Problem& problem = family.problem;
  EXPECT_TRUE(
      is_within_budgets(family, options, parse(problem, document_of("grouped_conv2d")).value()));
  EXPECT_FALSE(
      is_within_budgets(family, options, parse(problem, document_of("shift_conv2d")).value()));
}

TEST(CoordinateSpace, AsksForAsManyMixedAxesAsTheOriginalHas) {
  const Model base = tiny_resnet();
  const auto windows = space_over(base, "conv:k=3");
  EXPECT_EQ(least_mixed(windows->families()[0], {}), 3);
  const auto points = space_over(base, "conv:k=1");
  EXPECT_EQ(least_mixed(points->families()[0], {}), 1);
  SpaceOptions none;
  none.least_mixed = 0;
  EXPECT_EQ(least_mixed(windows->families()[0], none), 0);
}

TEST(CoordinateSpace, ReadsWhatAPersonWritesAsADocumentOrAName) {
  const Model base = tiny_resnet();
  const auto space = space_over(base, "conv:k=3");
  const auto by_name = space->reads()->edits_of("grouped_conv2d g=4");
  ASSERT_TRUE(by_name.ok()) << by_name.rejection().message();
  ASSERT_EQ(by_name->size(), 1u);
  EXPECT_NE(by_name->front().document.find("g=4"), std::string::npos) << by_name->front().document;
  EXPECT_EQ(*space->reads()->edits_of("let g=4\n" + document_of("grouped_conv2d")), *by_name);
  EXPECT_TRUE(space->apply(base, by_name->front()).ok());
  EXPECT_EQ(space->reads()->edits_of("linear").rejection().reason(), Reason::ShapeMismatch);
  EXPECT_EQ(space->reads()->edits_of("no such thing").rejection().reason(), Reason::BadSyntax);
}

TEST(CoordinateSpace, EnumeratesWithoutRepeatsAndStartsAgain) {
  const Model base = tiny_resnet();
  SpaceOptions options;
  options.limits.primitives = 6;
  options.limits.weights = 1;
  options.limits.merges = options.limits.shifts = 0;
  options.least_mixed = 0;
  options.least_macs = 0;
  options.most_macs = 1;
  const auto space = space_over(base, "conv:k=3", options);
  std::vector<Edit> first;
  std::set<std::string> documents;
  while (const auto edits = space->enumerates()->next()) {
    ASSERT_EQ(edits->size(), 1u);
    first.push_back(edits->front());
    documents.insert(edits->front().document);
  }
  EXPECT_EQ(documents.size(), first.size());
  EXPECT_GT(first.size(), 50u);
  const Edit convolution = space->edit_of(space->families()[0], document_of("conv2d")).value();
  EXPECT_EQ(documents.count(convolution.document), 1u);
  space->enumerates()->restart();
  for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(space->enumerates()->next(), Edits{first[i]});
}

TEST(CoordinateSpace, DescribesByNameAndEquation) {
  const Model base = tiny_resnet();
  const auto space = space_over(base, "conv:k=3");
  const Family& family = space->families()[0];
  const Description known =
      space->describe(base, space->edit_of(family, document_of("operator1")).value());
  EXPECT_EQ(known.title, "operator1: 10 primitives, 2 weights, at 12 places");
  EXPECT_NE(known.equation.find("sum over"), std::string::npos);
  EXPECT_NE(known.loops.find("for"), std::string::npos);
  EXPECT_NE(known.drawing.find("digraph"), std::string::npos);
}

// A candidate has one id, that of its edits: another number beside it would only confuse.
TEST(CoordinateSpace, TitlesOfNewOperatorsHoldNoId) {
  const Model base = tiny_resnet();
  const auto space = space_over(base, "conv:k=3");
  for (int i = 0; i < 200; ++i) {
    const auto edits = space->enumerates()->next();
    ASSERT_TRUE(edits && edits->size() == 1) << "no new operator among " << i;
    const std::string title = space->describe(base, edits->front()).title;
    if (!title.starts_with("new operator")) continue;
    EXPECT_TRUE(title.starts_with("new operator: ")) << title;
    return;
  }
  FAIL() << "all operators have names";
}

TEST(CoordinateSpace, RefusesSitesThatAreNotThere) {
  const Model base = tiny_resnet();
  const auto space = space_over(base, "conv:k=3");
  Edit edit = space->edit_of(space->families()[0], document_of("conv2d")).value();
  edit.sites = {"layer9.conv"};
  const auto unknown = space->check(base, edit);
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.rejection().reason(), Reason::UnknownSite);
  edit.sites = {};
  EXPECT_EQ(space->check(base, edit).rejection().reason(), Reason::UnknownSite);
  // A place that was rewritten is gone.
  edit = space->edit_of(space->families()[0], document_of("conv2d")).value();
  const Model made = space->apply(base, edit).value();
  EXPECT_EQ(space->check(made, edit).rejection().reason(), Reason::UnknownSite);
}

TEST(CoordinateSpace, RefusesDocumentsThatAreNotLegalAtEverySite) {
  const Model base = tiny_resnet();
  const auto space = space_over(base, "conv:k=3");
  const Family& family = space->families()[0];
  const auto reason = [&](const std::string& document) {
    const auto edit = space->edit_of(family, document);
    return edit.ok() ? Reason::NotFound : edit.rejection().reason();
  };
  EXPECT_EQ(reason("let k=\n" + document_of("conv2d")), Reason::BadSyntax);
  EXPECT_EQ(reason("let H=3\n" + document_of("conv2d")), Reason::NameTaken);
  EXPECT_EQ(reason("let g=5\n" + document_of("grouped_conv2d")), Reason::SizeNotInteger);
  EXPECT_EQ(reason("let k=5\n" + document_of("conv2d")), Reason::NotFound);  // fine
  Edit mixed = space->edit_of(family, document_of("conv2d")).value();
  mixed.sites.push_back("fc");
  EXPECT_EQ(space->check(base, mixed).rejection().reason(), Reason::ShapeMismatch);
}

// Two documents of one function have one meaning, one function at other sites another.
TEST(CoordinateSpace, KnowsWhatDocumentsMean) {
  const Model base = tiny_resnet();
  const auto space = space_over(base, "conv:k=3");
  KnowsMeaning& meanings = *space->meanings();
  const Family& family = space->families()[0];
  const Edit plain = space->edit_of(family, document_of("conv2d")).value();
  Edit renamed = plain;
  renamed.document =
      "let k=3\n"
      "operator [N, Ci, H, W] -> [N, Co, H, W]\n"
      "out a, b, c, d\n"
      "sum q: k, p: k, z: Ci\n"
      "x a, z, unfold(c, p), unfold(d, q)\n"
      "w1 b, z, p, q\n";
  EXPECT_NE(renamed.document, plain.document);
  ASSERT_TRUE(meanings.meaning(plain).has_value());
  EXPECT_EQ(meanings.meaning(renamed), meanings.meaning(plain));
  const Edit other = space->edit_of(family, document_of("separable_conv2d")).value();
  EXPECT_NE(meanings.meaning(other), meanings.meaning(plain));
  const Fingerprint structure = model::structure_of(base);
  const std::vector<Space*> spaces = {space.get()};
  EXPECT_EQ(meaning_of({structure, {renamed}, {}}, spaces),
            meaning_of({structure, {plain}, {}}, spaces));
  EXPECT_NE(meaning_of({structure, {other}, {}}, spaces),
            meaning_of({structure, {plain}, {}}, spaces));
  Edit elsewhere = plain;
  elsewhere.sites.pop_back();
  EXPECT_EQ(meanings.meaning(elsewhere), std::nullopt) << "the space proposes no such edit";
}

TEST(CoordinateSpace, ReadsItsOptionsByName) {
  const SpaceKind kind = coordinate_kind();
  SpaceOptions options;
  EXPECT_TRUE(
      settings_of(options)
          .read({{"merges", "3"}, {"g", "4"}, {"most-macs", "none"}, {"weight-free", "yes"}})
          .ok());
  EXPECT_EQ(options.limits.merges, 3);
  EXPECT_EQ(options.coefficients[2].value, 4);
  EXPECT_TRUE(std::isinf(options.most_macs));
  EXPECT_TRUE(options.limits.weight_free);
  // What is listed as the default can be given, and changes nothing.
  const Model base = tiny_resnet();
  const auto targets = model::select(base, kind.targets).value();
  SettingList standard;
  for (const SettingInfo& option : kind.options()) {
    EXPECT_FALSE(option.meaning.empty()) << option.name;
    standard.emplace_back(option.name, option.standard);
  }
  const auto one = kind.make(base, targets, {}).value(),
             two = kind.make(base, targets, standard).value();
  EXPECT_EQ(one->samples()->sample(3).value(), two->samples()->sample(3).value());
  const auto refused = kind.make(base, targets, {{"mergers", "3"}});
  EXPECT_EQ(refused.rejection().reason(), Reason::BadOption);
  EXPECT_EQ(kind.make(base, targets, {{"g", "0"}}).rejection().reason(), Reason::BadOption);
}

TEST(CoordinateSpace, RefusesToBeMadeOfNothing) {
  const Model base = tiny_resnet();
  const auto stem = CoordinateSpace::make(base, model::select(base, "conv:name=conv1").value());
  ASSERT_FALSE(stem.ok());
  EXPECT_EQ(stem.rejection().reason(), Reason::NoProposal);
  SpaceOptions contradiction;
  contradiction.least_macs = 2;
  EXPECT_EQ(CoordinateSpace::make(base, model::select(base, "conv:k=3").value(), contradiction)
                .rejection()
                .reason(),
            Reason::BadOption);
  SpaceOptions none_left;
  none_left.most_activations = 1e-4;
  EXPECT_EQ(CoordinateSpace::make(base, model::select(base, "conv:k=3").value(), none_left)
                .rejection()
                .reason(),
            Reason::NoProposal);
  SpaceOptions tight;
  tight.most_parameters = 1e-9;
  tight.patience = 3;
  const auto space = space_over(base, "conv:k=3", tight);
  EXPECT_EQ(space->samples()->sample(1).rejection().reason(), Reason::NoProposal);
}

}  // namespace
}  // namespace cambium::spaces::coordinate
