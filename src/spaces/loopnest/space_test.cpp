// The loop-nest space as strategies and commands see it.
#include "spaces/loopnest/space.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "model/cost.h"
#include "model/fingerprint.h"
#include "model/verify.h"
#include "model/zoo/zoo.h"
#include "spaces/loopnest/loopnest_testing.h"
#include "spaces/origins.h"

namespace cambium::spaces::loopnest {
namespace {

using Names = std::vector<std::string>;

std::unique_ptr<LoopNestSpace> space_over(const model::Model& base,
                                          const LoopNestOptions& options = {},
                                          const char* targets = "conv:*") {
  return LoopNestSpace::make(base, model::select(base, targets).value(), options).value();
}

Edit edit_of(const Names& sites, const std::string& document) {
  return {"loopnest", sites, document};
}

std::string group(int factor) {
  return "group(outer: co, inner: ci, factor: " + std::to_string(factor) + ")\n";
}

// ---- making one

TEST(Space, HasALayerForEachConvolutionOfItsTargets) {
  const auto space = space_over(chain(), {}, "conv:k=3");
  EXPECT_EQ(space->name(), "loopnest");
  ASSERT_EQ(space->layers().size(), 2u);
  EXPECT_EQ(space->layers()[1].name, "b");
  EXPECT_TRUE(space->left_out().empty());
}

TEST(Space, LeavesOutWhatIsNoConvolution) {
  const auto space = space_over(chain(), {}, "conv:*+linear:*");
  EXPECT_EQ(space->layers().size(), 3u);
  ASSERT_EQ(space->left_out().size(), 1u);
  EXPECT_EQ(space->left_out()[0].first, "fc");
  const model::Model base = chain();
  const auto none = LoopNestSpace::make(base, model::select(base, "linear:*").value());
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.rejection().reason(), Reason::NoProposal);
  EXPECT_NE(none.rejection().message().find("fc"), std::string::npos);
}

TEST(Space, IsMadeByItsKind) {
  const SpaceKind kind = loopnest_kind();
  EXPECT_EQ(kind.name, "loopnest");
  const model::Model base = chain();
  const auto targets = model::select(base, kind.targets).value();
  EXPECT_TRUE(kind.make(base, targets, {{"tie", "shape"}, {"steps", "2"}}).ok());
  for (const SettingList& options : {SettingList{{"tie", "colour"}}, SettingList{{"no such", "1"}},
                                     SettingList{{"steps", "99"}}}) {
    const auto refused = kind.make(base, targets, options);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.rejection().reason(), Reason::BadOption);
  }
  EXPECT_GE(kind.options().size(), 10u);
}

// ---- edits

TEST(Space, ChecksAnEditAndWritesItCanonically) {
  const model::Model base = residual();
  const auto space = space_over(base);
  const auto checked =
      space->check(base, edit_of({"r1.conv1", "r0.conv1", "r0.conv1"}, "group 2\ngroup 2"));
  EXPECT_FALSE(checked.ok()) << "a name stands alone";
  const auto twice = space->check(base, edit_of({"r1.conv1", "r0.conv1"}, group(2) + group(2)));
  ASSERT_TRUE(twice.ok()) << twice.rejection().message();
  EXPECT_EQ(*twice, edit_of({"r0.conv1", "r1.conv1"}, group(4)));
  EXPECT_EQ(space->check(base, *twice).value(), *twice);
}

TEST(Space, TwoOrdersOfTheSameStepsAreOneEdit) {
  const model::Model base = residual();
  const auto space = space_over(base);
  const std::string rows = "bottleneck(loop: h, factor: 2)\n";
  const Edit one = space->check(base, edit_of({"stem"}, rows + group(2))).value();
  EXPECT_EQ(one, space->check(base, edit_of({"stem"}, group(2) + rows)).value());
  LoopNestOptions options;
  options.outputs = false;
  const auto plain = space_over(base, options);
  const auto meaning = plain->meanings()->meaning(edit_of({"stem"}, rows + group(2)));
  ASSERT_TRUE(meaning.has_value());
  EXPECT_EQ(meaning, plain->meanings()->meaning(edit_of({"stem"}, group(2) + rows)));
}

TEST(Space, LoopsAloneAreNoEdit) {
  const model::Model base = residual();
  const auto space = space_over(base);
  const Edit edit = edit_of({"stem"}, "reorder(loops: [ci, co])\nunroll(loop: kh)\n");
  const auto checked = space->check(base, edit);
  ASSERT_TRUE(checked.ok()) << checked.rejection().message();
  EXPECT_EQ(checked->document, "");
  const model::Model same = space->apply(base, *checked).value();
  EXPECT_EQ(model::structure_of(same), model::structure_of(base));
  const auto read = space->reads()->edits_of("reorder(loops: [ci, co])");
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.rejection().reason(), Reason::NoProposal);
}

TEST(Space, FunctionsOfTheSameMacsStayApart) {
  const model::Model base = residual();
  const auto space = space_over(base);
  std::set<std::string> documents, identities;
  std::set<std::int64_t> macs;
  for (const char* name :
       {"group 2", "interleaved group 2", "input bottleneck 2", "channel slabs 2",
        "bottleneck(loop: h, factor: 2)", "bottleneck(loop: w, factor: 2)"}) {
    const Edit edit = space->check(base, edit_of({"r0.conv2"}, name)).value();
    documents.insert(edit.document);
    identities.insert(space->meanings()->meaning(edit)->text());
    macs.insert(model::cost_of(space->apply(base, edit).value()).macs);
  }
  EXPECT_EQ(documents.size(), 6u);
  EXPECT_EQ(identities.size(), 6u);
  EXPECT_EQ(macs.size(), 1u);
}

TEST(Space, AppliesEditsOneAfterTheOther) {
  const model::Model base = chain();
  const auto space = space_over(base);
  const Candidate candidate{
      model::structure_of(base),
      {edit_of({"a"}, "bottleneck(loop: co, factor: 2, accept: true)\n"), edit_of({"b"}, group(2))},
      {}};
  const auto made = apply(base, candidate, {space.get()});
  ASSERT_TRUE(made.ok()) << made.rejection().message();
  EXPECT_TRUE(model::verify(*made).ok());
  const model::Cost cost = model::cost_of(*made);
  const Costs bound = space->cost_bound(candidate.edits, {});
  EXPECT_EQ(bound.macs, static_cast<double>(cost.macs));
  EXPECT_EQ(bound.parameters, static_cast<double>(cost.params));
}

TEST(Space, RefusesAnOutputBottleneckBehindARewrittenReader) {
  const model::Model base = chain();
  const auto space = space_over(base);
  const model::Model first = space->apply(base, edit_of({"b"}, group(2))).value();
  const auto refused = space->check(first, edit_of({"a"}, "bottleneck 2"));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.rejection().reason(), Reason::ChangesInterface);
  EXPECT_NE(refused.rejection().message().find("was rewritten before"), std::string::npos);
  EXPECT_EQ(space->check(first, edit_of({"b"}, "group 2")).rejection().reason(),
            Reason::UnknownSite);
}

// A refusal is one line with the site, the step, the loop and the numbers.
struct Illegal {
  const char* site;
  const char* written;
  Reason reason;
  Names named;
};

TEST(Space, RefusalsNameSiteStepLoopAndNumbers) {
  const model::Model base = residual();
  const auto space = space_over(base);
  const Illegal rows[] = {
      {"stem", "group 3", Reason::NotDivisible, {"'stem'", "step 1", "group(", "co", "3", "16"}},
      {"stem", "halves 2 3", Reason::NotDivisible, {"'stem'", "step 3", "co.2", "3"}},
      {"stem",
       "bottleneck(loop: d, factor: 2)",
       Reason::UnknownName,
       {"'stem'", "step 1", "bottleneck(", "'d'"}},
      {"stem", "slabs 3", Reason::NotDivisible, {"'stem'", "step 1", "split(", "h", "3", "8"}},
      {"stem", "vectorize(loop: w)", Reason::UnknownStep, {"'stem'", "step 1", "vectorize"}},
      {"r0.conv2", "bottleneck 2", Reason::ChangesInterface, {"'r0.conv2'", "16"}},
      {"stem",
       "partition(loop: co, points: [Co/3])",
       Reason::NotDivisible,
       {"'stem'", "line 1", "'Co'", "16", "3"}},
      {"stem", "halves 2", Reason::BadSyntax, {"'stem'", "halves"}},
  };
  for (const Illegal& row : rows) {
    SCOPED_TRACE(row.written);
    const auto refused = space->check(base, edit_of({row.site}, row.written));
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.rejection().reason(), row.reason);
    const std::string message = refused.rejection().message();
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    for (const std::string& name : row.named) {
      EXPECT_NE(message.find(name), std::string::npos) << name << ": " << message;
    }
    EXPECT_FALSE(space->apply(base, edit_of({row.site}, row.written)).ok());
  }
}

// ---- facets

TEST(Space, SamplesDependOnTheSeedAlone) {
  const model::Model base = residual();
  const auto one = space_over(base), other = space_over(base);
  for (std::uint64_t seed = 50; seed > 40; --seed) {
    static_cast<void>(other->samples()->sample(seed));
  }
  static_cast<void>(other->reads()->edits_of("group 4"));
  std::set<std::string> identities;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const auto edits = one->samples()->sample(seed), again = other->samples()->sample(seed);
    ASSERT_TRUE(edits.ok()) << edits.rejection().message();
    EXPECT_EQ(*edits, again.value());
    EXPECT_FALSE(edits->empty());
    const Candidate candidate{model::structure_of(base), *edits, {}};
    identities.insert(identity_of(candidate).text());
    const auto made = apply(base, candidate, {one.get()});
    ASSERT_TRUE(made.ok()) << made.rejection().message();
    EXPECT_TRUE(model::verify(*made).ok());
    for (const Edit& edit : *edits) {
      // Of what was checked, only what comes before may change what a site reads.
      if (&edit == &edits->front()) {
        EXPECT_EQ(one->check(base, edit).value(), edit);
      }
    }
  }
  EXPECT_GT(identities.size(), 35u);
}

TEST(Space, SamplesLeaveALayerAloneWithTheGivenShare) {
  LoopNestOptions options;
  options.original = 0.8;
  const auto space = space_over(residual(), options);
  std::size_t edited = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const Edits edits = space->samples()->sample(seed).value();
    for (const Edit& edit : edits) edited += edit.sites.size();
  }
  // A fifth of 500, and one layer at least: of 0.8^5 of the samples, none would be.
  EXPECT_NEAR(static_cast<double>(edited), 100 + 33, 40);
}

TEST(Space, PublishedSamplesAreThePapersSequences) {
  LoopNestOptions options;
  options.published = true;
  const model::Model base = residual();
  const auto space = space_over(base, options);
  const std::set<std::string> starts{"split(loop: h", "partition(", "group(", "depthwise("};
  std::size_t sites = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Edits edits = space->samples()->sample(seed).value();
    for (const Edit& edit : edits) {
      sites += edit.sites.size();
      EXPECT_TRUE(std::any_of(starts.begin(), starts.end(), [&](const std::string& start) {
        return edit.document.starts_with(start);
      })) << edit.document;
    }
  }
  EXPECT_GT(sites, 70u) << "of 100, all but those that drew factors of 1";
}

TEST(Space, ListsEachLayersFunctionsAndBeginsAgain) {
  LoopNestOptions options;
  options.list_steps = 1;
  const model::Model base = chain();
  const auto space = space_over(base, options);
  std::vector<Edits> all;
  while (auto edits = space->enumerates()->next()) all.push_back(std::move(*edits));
  std::set<std::string> identities, sites;
  for (const Edits& edits : all) {
    ASSERT_EQ(edits.size(), 1u);
    EXPECT_EQ(space->check(base, edits[0]).value(), edits[0]);
    identities.insert(identity_of({model::structure_of(base), edits, {}}).text());
    sites.insert(edits[0].sites.begin(), edits[0].sites.end());
  }
  EXPECT_EQ(identities.size(), all.size());
  EXPECT_EQ(sites, (std::set<std::string>{"a", "b", "c"}));
  space->enumerates()->restart();
  for (const Edits& edits : all) EXPECT_EQ(space->enumerates()->next(), edits);
  EXPECT_FALSE(space->enumerates()->next().has_value());
}

TEST(Space, ReadsNamesAndDocumentsWhereTheyFit) {
  const model::Model base = net_of([](model::zoo::Net& net, model::Value x) {
    x = net.conv(x, "a", {.out = 12, .kernel = 3});
    return net.conv(x, "b", {.out = 12, .kernel = 3});
  });
  const auto space = space_over(base);
  const auto four = space->reads()->edits_of("group 4");
  ASSERT_TRUE(four.ok());
  ASSERT_EQ(four->size(), 1u);
  EXPECT_EQ((*four)[0], edit_of({"a", "b"}, group(4)));
  EXPECT_EQ((*space->reads()->edits_of("group 6"))[0].sites, (Names{"b"})) << "8 channels in a";
  EXPECT_EQ((*space->reads()->edits_of(group(6)))[0], edit_of({"b"}, group(6)));
  EXPECT_EQ((*space->reads()->edits_of("halves 2 3"))[0].sites, (Names{"b"}));
  EXPECT_FALSE(space->reads()->edits_of("halves 2 4").ok()) << "a half has 6 channels";
  for (const char* written : {"group 7", "group", "no such name 2", "depthwise 3"}) {
    const auto refused = space->reads()->edits_of(written);
    EXPECT_FALSE(refused.ok()) << written;
  }
}

TEST(Space, MeaningsAreThoseOfFunctionsAtSites) {
  const model::Model base = residual();
  const auto space = space_over(base);
  const auto meaning = [&](const Names& sites, const std::string& written) {
    return space->meanings()->meaning(edit_of(sites, written));
  };
  EXPECT_EQ(meaning({"r0.conv1"}, group(4)),
            space->meanings()->meaning(edit_of({"r0.conv1"}, group(4))));
  EXPECT_NE(meaning({"r0.conv1"}, group(4)), meaning({"r0.conv2"}, group(4)));
  EXPECT_NE(meaning({"r0.conv1"}, group(4)), meaning({"r0.conv1", "r0.conv2"}, group(4)));
  EXPECT_NE(meaning({"r0.conv1"}, group(4)), meaning({"r0.conv1"}, group(2)));
  EXPECT_EQ(meaning({"nowhere"}, group(4)), std::nullopt);
  EXPECT_EQ(meaning({"r0.conv1"}, group(3)), std::nullopt);
}

TEST(Space, MutatesAndCrosses) {
  const model::Model base = residual();
  const auto space = space_over(base);
  const Candidate a{model::structure_of(base), space->samples()->sample(1).value(), {}};
  const Candidate b{model::structure_of(base), space->samples()->sample(2).value(), {}};
  const auto child = space->mutates()->mutate(a, 3);
  ASSERT_TRUE(child.ok()) << child.rejection().message();
  EXPECT_TRUE(apply(base, *child, {space.get()}).ok());
  int crossed = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const auto both = space->crosses()->cross(a, b, seed);
    if (!both.ok()) continue;  // one of the parents, or the original
    ++crossed;
    EXPECT_TRUE(apply(base, *both, {space.get()}).ok());
  }
  EXPECT_GT(crossed, 2);
}

TEST(Space, MapsWeightsOfACandidate) {
  const model::Model base = residual();
  const auto space = space_over(base);
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Candidate candidate{
        model::structure_of(base), space->samples()->sample(seed).value(), {}};
    const auto traced = spaces::traced(base, candidate, {space.get()});
    ASSERT_TRUE(traced.ok()) << traced.rejection().message();
    EXPECT_FALSE(traced->origins.empty());
    for (const WeightOrigin& origin : traced->origins) {
      const model::Node* const weight = node_named(traced->model, origin.weight);
      const model::Node* const from = node_named(base, origin.from);
      ASSERT_NE(weight, nullptr) << origin.weight;
      ASSERT_NE(from, nullptr) << origin.from;
      EXPECT_EQ(static_cast<std::int64_t>(origin.elements.size()), weight->outputs[0].elements());
      for (const std::int64_t element : origin.elements) {
        ASSERT_LT(element, from->outputs[0].elements());
      }
    }
  }
}

TEST(Space, DescribesAnEdit) {
  const model::Model base = residual();
  const auto space = space_over(base);
  EXPECT_EQ(space->describe(base, edit_of({"stem"}, "group 2")).title, "group 2 at stem");
  EXPECT_NE(space->describe(base, edit_of({"stem"}, "group 3")).title.find("'stem'"),
            std::string::npos);
}

// The variants that Fisher's benchmark draws, as edits of the space.
TEST(Space, EditsMakeTheGroupedVariantsOfTheZoo) {
  const model::Model base = model::zoo::build("resnet34-cifar").value();
  const auto space = space_over(base, {}, "conv:k=3,block=basic");
  const auto edits = space->reads()->edits_of("group 2");
  ASSERT_TRUE(edits.ok()) << edits.rejection().message();
  const model::Model made =
      apply(base, {model::structure_of(base), *edits, {}}, {space.get()}).value();
  const model::Cost cost = model::cost_of(made);
  EXPECT_EQ(cost.params, 10'739'018);
  EXPECT_EQ(cost.macs, 583'734'272);
}

}  // namespace
}  // namespace cambium::spaces::loopnest
