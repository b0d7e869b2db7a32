// Plans: canonical edits, and costs that are those of the model that the edits make.
#include "spaces/loopnest/plan.h"

#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "lower/nest_form.h"
#include "model/cost.h"
#include "model/verify.h"
#include "spaces/loopnest/layers.h"
#include "spaces/loopnest/loopnest_testing.h"
#include "spaces/loopnest/rewrite.h"
#include "spaces/loopnest/walks.h"

namespace cambium::spaces::loopnest {
namespace {

using model::Value;
using model::zoo::Net;
using Written = std::map<std::string, std::string>;  // by site
using Names = std::vector<std::string>;

// A model with what the space knows of it.
struct Known {
  explicit Known(model::Model of, schedule::MoveLimits limits = {})
      : shapes(limits), survey(std::move(of), shapes) {}

  Result<Plan> plan(const Written& documents) {
    std::map<std::size_t, std::string> by_site;
    for (const auto& [site, document] : documents) {
      by_site[survey.sites().find(site).value()] = document;
    }
    return plan_of(survey, by_site);
  }

  VariantsByShape shapes;
  Survey survey;
};

std::string documents_of(const Plan& plan) {
  std::string text;
  for (const Edit& edit : plan.edits()) text += "\n" + edit.sites[0] + ":\n" + edit.document;
  return text;
}

void expect_costs(const Plan& plan) {
  const auto made = rewritten(plan);
  ASSERT_TRUE(made.ok()) << made.rejection().message() << documents_of(plan);
  EXPECT_TRUE(model::verify(*made).ok());
  const model::Cost cost = model::cost_of(*made);
  EXPECT_EQ(plan.costs().macs, static_cast<double>(cost.macs));
  EXPECT_EQ(plan.costs().parameters, static_cast<double>(cost.params));
}

TEST(Plan, OfNothingIsTheModel) {
  Known known(chain());
  const auto plan = known.plan({{"a", "group 1"}, {"b", "reorder(loops: [ci, co])"}});
  ASSERT_TRUE(plan.ok()) << plan.rejection().message();
  EXPECT_TRUE(plan->placed().empty());
  EXPECT_TRUE(plan->edits().empty());
  expect_costs(*plan);
}

TEST(Plan, SitesOfOneDocumentShareAnEdit) {
  Known known(residual());
  const auto plan = known.plan({{"r0.conv1", "group 2"},
                                {"r0.conv2", "group 4"},
                                {"r1.conv1", "group(outer: co, inner: ci, factor: 2)"},
                                {"r1.conv2", "group 2\n"}});
  ASSERT_TRUE(plan.ok()) << plan.rejection().message();
  const Edits edits = plan->edits();
  ASSERT_EQ(edits.size(), 2u);
  EXPECT_EQ(edits[0].space, lower::kNestSpace);
  EXPECT_EQ(edits[0].sites, (Names{"r0.conv1", "r1.conv1", "r1.conv2"}));
  EXPECT_EQ(edits[0].document, "group(outer: co, inner: ci, factor: 2)\n");
  EXPECT_EQ(edits[1].sites, (Names{"r0.conv2"}));
  expect_costs(*plan);
}

TEST(Plan, ASiteBehindANarrowedOneReadsLess) {
  Known known(chain());
  const auto plan = known.plan({{"a", "bottleneck 2"}, {"b", "group 2"}});
  ASSERT_TRUE(plan.ok()) << plan.rejection().message();
  EXPECT_EQ(plan->narrower(1), 2);
  EXPECT_EQ(plan->narrower(2), 1);
  ASSERT_NE(plan->at(1), nullptr);
  EXPECT_EQ(plan->at(1)->macs, 16 * 2 * 9 * 64) << "of 4 channels in a group, 2";
  expect_costs(*plan);
  const auto refused = known.plan({{"a", "bottleneck 8"}, {"b", "group 2"}});
  ASSERT_FALSE(refused.ok()) << "one channel is left in a group";
  const std::string message = refused.rejection().message();
  EXPECT_EQ(message.rfind("'b'", 0), 0u) << message;
}

// The edit of the narrowed site comes first, also where an earlier edit has the same document.
TEST(Plan, EditsBehindANarrowedSiteComeLater) {
  Known known(residual());
  const auto plan = known.plan({{"stem", "group 2"},
                                {"r0.conv1", "bottleneck 2"},
                                {"r0.conv2", "group 2"},
                                {"r1.conv2", "group 2"}});
  ASSERT_TRUE(plan.ok()) << plan.rejection().message();
  const Edits edits = plan->edits();
  ASSERT_EQ(edits.size(), 3u);
  EXPECT_EQ(edits[0].sites, (Names{"stem", "r1.conv2"}));
  EXPECT_EQ(edits[1].sites, (Names{"r0.conv1"}));
  EXPECT_EQ(edits[2].sites, (Names{"r0.conv2"}));
  EXPECT_EQ(edits[2].document, edits[0].document);
  expect_costs(*plan);
}

TEST(Plan, RefusalsNameTheSite) {
  Known known(residual());
  for (const auto& [site, document] : Written{
           {"r0.conv2", "bottleneck 2"}, {"r0.conv1", "group 3"}, {"stem", "nothing like this"}}) {
    const auto refused = known.plan({{site, document}});
    ASSERT_FALSE(refused.ok()) << document;
    const std::string message = refused.rejection().message();
    EXPECT_EQ(message.rfind("'" + site + "'", 0), 0u) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
}

TEST(Plan, CostsCountASharedFilterOnce) {
  Known known(net_of([](Net& net, Value x) {
    const model::Conv conv{{1, 1}, {1, 1, 1, 1}, {1, 1}, 1};
    const Value w = net.weight("w", {8, 8, 3, 3}, model::Fill::Law::Normal, 0.1);
    x = net.builder().add(conv, {x, w}, "first");
    return net.builder().add(conv, {x, w}, "second");
  }));
  for (const Written& documents :
       {Written{{"first", "group 2"}}, Written{{"first", "group 2"}, {"second", "group 4"}}}) {
    const auto plan = known.plan(documents);
    ASSERT_TRUE(plan.ok()) << plan.rejection().message();
    expect_costs(*plan);
  }
}

TEST(Plan, CostsCountWhatFollowsABottleneck) {
  Known known(chain());
  for (const Written& documents :
       {Written{{"a", "bottleneck 2"}}, Written{{"b", "bottleneck 4"}},
        Written{{"c", "bottleneck 3"}},
        Written{{"a", "bottleneck 4"}, {"b", "bottleneck 2"}, {"c", "bottleneck 2"}},
        Written{{"b",
                 "bottleneck(loop: co, factor: 2, accept: true)\n"
                 "group(outer: co, inner: ci, factor: 4)"},
                {"c", "input bottleneck 2"}}}) {
    const auto plan = known.plan(documents);
    ASSERT_TRUE(plan.ok()) << plan.rejection().message();
    expect_costs(*plan);
  }
}

TEST(Plan, CostsOfRandomPlansAreThoseOfTheirModels) {
  LoopNestOptions options;
  int narrowed = 0;
  for (const auto& make : {chain, residual}) {
    Known known(make(), options.limits());
    std::vector<std::size_t> all(known.survey.sites().size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    const std::vector<Layer> layers = layers_of(known.survey, all, "none");
    for (std::uint64_t seed = 1; seed <= 25; ++seed) {
      Rng rng(seed);
      Draft draft(known.survey);
      for (const Layer& layer : layers) {
        const Variant* const variant = drawn(draft, layer, options, rng);
        if (variant == nullptr) continue;
        narrowed += variant->narrowed > 1 ? 1 : 0;
        draft.choose(layer, *variant);
      }
      const auto plan = draft.plan();
      ASSERT_TRUE(plan.ok()) << plan.rejection().message();
      expect_costs(*plan);
    }
  }
  EXPECT_GT(narrowed, 5);
}

}  // namespace
}  // namespace cambium::spaces::loopnest
