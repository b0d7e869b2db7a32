// Rewritten models: what stands in the place of a convolution, and where its weights start from.
#include "spaces/loopnest/rewrite.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "lower/nest_form.h"
#include "model/reference/execute.h"
#include "model/verify.h"
#include "spaces/loopnest/loopnest_testing.h"

namespace cambium::spaces::loopnest {
namespace {

using model::Ints;
using model::Value;
using model::zoo::Net;
using Written = std::map<std::string, std::string>;  // by site

// A plan on a model, and the model that it makes.
struct Made {
  Made(const model::Model& base, const Written& documents)
      : shapes({}), survey(base, shapes), plan(survey) {
    std::map<std::size_t, std::string> by_site;
    for (const auto& [site, document] : documents) {
      by_site[survey.sites().find(site).value()] = document;
    }
    plan = plan_of(survey, by_site).value();
    model = rewritten(plan).value();
    origins = origins_of(plan).value();
  }

  const model::WeightOrigin* origin(const std::string& weight) const {
    const auto found = std::find_if(origins.begin(), origins.end(),
                                    [&](const auto& each) { return each.weight == weight; });
    return found == origins.end() ? nullptr : &*found;
  }

  VariantsByShape shapes;
  Survey survey;
  Plan plan;
  model::Model model;
  std::vector<model::WeightOrigin> origins;
};

const model::Tensor& weight_named(const model::Model& model, const std::string& name) {
  return *model.weight({node_named(model, name)->id, 0});
}

std::vector<double> run(const model::Model& model, std::uint64_t seed) {
  std::vector<model::Tensor> inputs;
  for (const model::NodeId id : model.inputs()) {
    inputs.push_back(
        model::Tensor::lazy(model.node(id).outputs[0], {model::Fill::Law::Normal, 1.0, seed++}));
  }
  return model::execute(model, inputs).value()[0].to_doubles();
}

// With weights that start from those of the base model; 0 where an element has no origin.
model::Model started(const model::Model& base, const Made& made) {
  model::Builder builder(made.model);
  for (const model::WeightOrigin& origin : made.origins) {
    const std::vector<float> from = [&] {
      const std::vector<double> values = weight_named(base, origin.from).to_doubles();
      return std::vector<float>(values.begin(), values.end());
    }();
    std::vector<float> values;
    for (const std::int64_t element : origin.elements) {
      values.push_back(element < 0 ? 0.0F : from.at(static_cast<std::size_t>(element)));
    }
    const model::Node& node = *node_named(made.model, origin.weight);
    builder.set_weight(node.id, model::Tensor::of<float>(node.outputs[0].dims, values));
  }
  return std::move(builder).finish().value();
}

void expect_near(const std::vector<double>& have, const std::vector<double>& wanted) {
  ASSERT_EQ(have.size(), wanted.size());
  for (std::size_t i = 0; i < have.size(); ++i) EXPECT_NEAR(have[i], wanted[i], 1e-4) << i;
}

TEST(Rewrite, PutsACompositeThatKnowsTheConvolution) {
  const Made made(chain(), {{"b", "group 2"}});
  EXPECT_TRUE(model::verify(made.model).ok());
  EXPECT_EQ(node_named(made.model, "b"), nullptr);
  const model::Node* const node = node_named(made.model, "b.loopnest");
  ASSERT_NE(node, nullptr);
  EXPECT_TRUE(lower::is_nest(made.model, node->id));
  const auto form = lower::read_nest_form(node->as<model::Composite>()->document).value();
  EXPECT_EQ(form.conv.groups, 2);
  EXPECT_EQ(form.filter, (Ints{16, 8, 3, 3}));
  EXPECT_EQ(form.recipe, "group(outer: co, inner: ci, factor: 2)\n");
}

TEST(Rewrite, OneWeightKeepsItsNameAndSeveralGetNumbers) {
  const Made one(chain(), {{"b", "group 2"}});
  EXPECT_EQ(node_named(one.model, "b.weight")->outputs[0].dims, (Ints{16, 4, 3, 3}));
  const Made two(residual(), {{"stem", "halves 1 2"}});
  EXPECT_EQ(node_named(two.model, "stem.weight"), nullptr);
  EXPECT_EQ(node_named(two.model, "stem.w1")->outputs[0].dims[0], 8);
  EXPECT_NE(node_named(two.model, "stem.w2"), nullptr);
}

TEST(Rewrite, KeepsTheBiasAndTheOutputs) {
  const Made made(chain(), {{"c", "group 4"}});
  EXPECT_NE(node_named(made.model, "c.bias"), nullptr);
  EXPECT_NE(node_named(made.model, "c.biased"), nullptr);
  EXPECT_EQ(made.model.outputs()[0].name, "logits");
  EXPECT_EQ(run(made.model, 3).size(), 10u);
}

TEST(Rewrite, MakesWhatFollowsABottleneckNarrower) {
  const Made made(chain(), {{"a", "bottleneck 2"}});
  EXPECT_TRUE(model::verify(made.model).ok());
  EXPECT_EQ(node_named(made.model, "a.loopnest")->outputs[0].dims, (Ints{1, 8, 8, 8}));
  EXPECT_EQ(node_named(made.model, "b.weight")->outputs[0].dims, (Ints{16, 4, 3, 3}));
  EXPECT_EQ(node_named(made.model, "a.bn.bias")->outputs[0].dims, (Ints{8}));
  EXPECT_NE(node_named(made.model, "b"), nullptr) << "it is still a convolution";
}

TEST(Rewrite, MakesBothOfSitesThatReadEachOther) {
  const Made made(chain(), {{"a", "bottleneck 2"}, {"b", "group 2"}, {"c", "input bottleneck 4"}});
  EXPECT_TRUE(model::verify(made.model).ok());
  const auto form =
      lower::read_nest_form(node_named(made.model, "b.loopnest")->as<model::Composite>()->document)
          .value();
  EXPECT_EQ(form.filter, (Ints{16, 4, 3, 3})) << "it reads what is left of a";
  EXPECT_EQ(run(made.model, 3).size(), 10u);
}

// ---- origins

TEST(Origins, OfAGroupAreItsBlocksOnTheDiagonal) {
  const Made made(residual(), {{"r0.conv1", "group 4"}});
  const model::WeightOrigin* const origin = made.origin("r0.conv1.weight");
  ASSERT_NE(origin, nullptr);
  EXPECT_EQ(origin->from, "r0.conv1.weight");
  ASSERT_EQ(origin->elements.size(), 16u * 4 * 9);
  EXPECT_EQ(origin->elements[0], 0);
  EXPECT_EQ(origin->elements[4 * 36], (4 * 16 + 4) * 9) << "row 4 begins at channel 4";
  EXPECT_EQ(made.origins.size(), 1u);
}

TEST(Origins, ListAllThatBecomesNarrower) {
  const Made made(chain(), {{"a", "bottleneck 2"}});
  std::vector<std::string> names;
  for (const auto& origin : made.origins) names.push_back(origin.weight);
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"a.bn.bias", "a.bn.running_mean", "a.bn.running_var",
                                             "a.bn.weight", "a.weight", "b.weight"}));
  // b reads in two groups, so of each eight channels the first four stay.
  EXPECT_EQ(made.origin("a.bn.weight")->elements,
            (std::vector<std::int64_t>{0, 1, 2, 3, 8, 9, 10, 11}));
  EXPECT_EQ(made.origin("a.weight")->elements[4 * 72], 8 * 72);
}

struct Zeroed {
  const char* site;
  const char* document;
};

// A rewritten network that starts from the original's weights is the original with zeros in the
// filter, where no weight of the nest starts from that element.
TEST(Origins, StartedNetworksAreTheOriginalWithZeros) {
  const Zeroed rows[] = {{"b", "group 2"},
                         {"b", "interleaved group 2"},
                         {"b", "input bottleneck 2"},
                         {"a", "halves 2 4"},
                         {"a", "peel 4 2"},
                         {"c", "group 4"}};
  for (const Zeroed& row : rows) {
    SCOPED_TRACE(std::string(row.site) + ": " + row.document);
    const model::Model base = chain();
    const Made made(base, {{row.site, row.document}});
    const std::string filter = std::string(row.site) + ".weight";
    const std::vector<double> dense = weight_named(base, filter).to_doubles();
    std::vector<float> kept(dense.size(), 0.0F);
    int starting = 0;
    for (const model::WeightOrigin& origin : made.origins) {
      ASSERT_EQ(origin.from, filter);
      for (const std::int64_t element : origin.elements) {
        ASSERT_GE(element, 0);
        const auto at = static_cast<std::size_t>(element);
        kept.at(at) = static_cast<float>(dense.at(at));
        ++starting;
      }
    }
    EXPECT_LT(starting, static_cast<int>(dense.size()));
    model::Builder builder(base);
    const model::Node& node = *node_named(base, filter);
    builder.set_weight(node.id, model::Tensor::of<float>(node.outputs[0].dims, kept));
    const model::Model zeroed = std::move(builder).finish().value();
    expect_near(run(started(base, made), 5), run(zeroed, 5));
    EXPECT_NE(run(zeroed, 5), run(base, 5));
  }
}

// Zeros where a reader of these channels has weights for one that goes.
void clear_reads(model::Builder& builder, const model::Node& filter, std::int64_t groups,
                 const std::vector<std::int64_t>& kept) {
  const Ints& dims = filter.outputs[0].dims;  // [Co, Ci / groups, taps...]
  const std::vector<double> before = builder.weight_of({filter.id, 0})->to_doubles();
  std::vector<float> values(before.begin(), before.end());
  std::int64_t taps = 1;
  for (std::size_t i = 2; i < dims.size(); ++i) taps *= dims[i];
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::int64_t row = static_cast<std::int64_t>(i) / taps;
    const std::int64_t group = row / dims[1] / (dims[0] / groups);
    const std::int64_t channel = group * dims[1] + row % dims[1];
    if (std::find(kept.begin(), kept.end(), channel) == kept.end()) values[i] = 0;
  }
  builder.set_weight(filter.id, model::Tensor::of<float>(dims, values));
}

// Without the channels that go: what reads them gets zeros for them.
TEST(Origins, StartedBottlenecksAreTheOriginalWithoutThoseChannels) {
  for (const Written& documents :
       {Written{{"a", "bottleneck 2"}}, Written{{"b", "bottleneck 2"}},
        Written{{"c", "bottleneck 3"}},
        Written{{"a", "bottleneck 4"}, {"b", "bottleneck 2"}, {"c", "bottleneck 2"}}}) {
    const model::Model base = chain();
    const Made made(base, documents);
    model::Builder builder(base);
    for (const auto& [site, document] : documents) {
      SCOPED_TRACE(site + ": " + document);
      const std::size_t number = *Sites(base).find(site);
      const Followers& followers = *made.plan.survey().followers(number);
      const std::vector<std::int64_t> kept = followers.kept(made.plan.at(number)->narrowed);
      for (const model::NodeId reader : followers.convolutions) {
        const model::Node& conv = base.node(reader);
        clear_reads(builder, base.node(conv.inputs[1].node), conv.as<model::Conv>()->groups, kept);
      }
      for (const model::NodeId product : followers.products) {
        clear_reads(builder, base.node(base.node(product).inputs[1].node), 1, kept);
      }
    }
    const model::Model without = std::move(builder).finish().value();
    expect_near(run(started(base, made), 7), run(without, 7));
  }
}

}  // namespace
}  // namespace cambium::spaces::loopnest
