#include "spaces/loopnest/variants.h"

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "model/cost.h"
#include "spaces/loopnest/loopnest_testing.h"

namespace cambium::spaces::loopnest {
namespace {

using Names = std::vector<std::string>;

std::unique_ptr<Variants> variants_of(const ConvNumbers& numbers,
                                      const schedule::MoveLimits& limits = {}) {
  return Variants::make(shape_of(numbers), limits).value();
}

const Variant& read(Variants& variants, const std::string& written) {
  const auto variant = variants.read(written);
  if (variant.ok()) return **variant;
  ADD_FAILURE() << written << ": " << variant.rejection().message();
  return variants.original();
}

TEST(Variants, OfOneFunctionAreOneObject) {
  const auto variants = variants_of({});
  EXPECT_EQ(&read(*variants, "group 4"), &read(*variants,
                                               "group(outer: co, inner: ci, factor: 2)\n"
                                               "group(outer: co, inner: ci, factor: 2)\n"));
  EXPECT_EQ(&read(*variants, "reorder(loops: [ci, co])"), &variants->original());
  EXPECT_EQ(&read(*variants, "group 1"), &variants->original());
  EXPECT_NE(&read(*variants, "group 4"), &read(*variants, "interleaved group 4"));
}

TEST(Variants, KnowWhatTheyCost) {
  const auto variants = variants_of({.batch = 2});
  EXPECT_EQ(variants->original().macs, 2 * 8 * 8 * 9 * 64);
  EXPECT_EQ(variants->original().parameters, 8 * 8 * 9);
  EXPECT_EQ(variants->original().steps, 0);
  const Variant& halves = read(*variants, "halves 2 4");
  EXPECT_EQ(halves.macs, variants->original().macs * 3 / 8);
  EXPECT_EQ(halves.parameters, 8 * 8 * 9 * 3 / 8);
  EXPECT_EQ(halves.steps, 2) << "a partition is no neural step";
  EXPECT_EQ(halves.narrowed, 1);
  EXPECT_EQ(read(*variants, "bottleneck 4").narrowed, 4);
}

TEST(Variants, RefuseTheSameEachTime) {
  const auto variants = variants_of({});
  for (int i = 0; i < 2; ++i) {
    const auto refused = variants->read("group 3");
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.rejection().reason(), Reason::NotDivisible);
  }
  EXPECT_EQ(variants->read("vectorize(loop: w)").rejection().reason(), Reason::UnknownStep);
}

TEST(Variants, RefuseAShapeThatNoConvolutionHas) {
  Shape shape = shape_of({});
  shape.input[1] = 7;
  EXPECT_FALSE(Variants::make(shape, {}).ok());
}

TEST(Variants, HaveTheNamesOfTheCatalogue) {
  const auto variants = variants_of({.ci = 16, .co = 16});
  for (const char* name :
       {"group 4", "interleaved group 2", "depthwise", "bottleneck 2", "input bottleneck 4",
        "spatial bottleneck 2", "slabs 2", "channel slabs 2", "peel 2 7", "peel 4 3", "peel 2 1",
        "halves 2 4", "halves 1 2", "quarters 1 2 4 2", "eighths 1 1 2 1 1 2 1 1"}) {
    EXPECT_EQ(variants->name_of(read(*variants, name)), name);
  }
  EXPECT_EQ(variants->name_of(read(*variants,
                                   "group(outer: co, inner: ci, factor: 2)\n"
                                   "bottleneck(loop: h, factor: 2)\n")),
            "");
}

TEST(Variants, WaysLeadToOtherFunctionsEachOnce) {
  const auto variants = variants_of({.size = 4});
  const Variant& group = read(*variants, "group 2");
  for (const Variant* from : {&variants->original(), &group}) {
    const std::vector<Way>& ways = variants->ways(*from);
    EXPECT_GT(ways.size(), 5u);
    std::set<const Variant*> seen{from, &variants->original()};
    for (std::size_t i = 0; i < ways.size(); ++i) {
      const Way& way = ways[i];
      const Variant* const to = variants->behind(*from, i);
      ASSERT_NE(to, nullptr) << way.label;
      EXPECT_EQ(to->function, way.function) << way.label;
      EXPECT_TRUE(seen.insert(to).second) << way.label;
      EXPECT_EQ(way.label.rfind(way.kind, 0), 0u) << way.label;
    }
    EXPECT_EQ(&variants->ways(*from), &ways);
  }
}

TEST(Variants, WaysKeepTheLimits) {
  schedule::MoveLimits limits;
  limits.slabs = limits.space = limits.interleaves = false;
  limits.most_factor = 2;
  const auto variants = variants_of({}, limits);
  std::set<std::string> kinds;
  for (const Way& way : variants->ways(variants->original())) kinds.insert(way.kind);
  EXPECT_TRUE(kinds.contains("group"));
  for (const char* kind :
       {"slabs", "channel slabs", "spatial bottleneck", "interleaved group", "bottleneck"}) {
    EXPECT_FALSE(kinds.contains(kind)) << kind;
  }
}

TEST(Variants, WalksDependOnTheirSeedAlone) {
  const auto one = variants_of({}), other = variants_of({});
  // What is known before does not matter.
  for (const char* name : {"group 2", "halves 2 4", "slabs 2"}) read(*other, name);
  static_cast<void>(other->ways(other->original()));
  int walked = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Rng a(seed), b(seed);
    std::vector<schedule::Move> trail;
    const Variant* const first = one->walk(one->original(), 3, false, a, &trail);
    const Variant* const second = other->walk(other->original(), 3, false, b);
    ASSERT_EQ(first == nullptr, second == nullptr);
    if (first == nullptr) continue;
    ++walked;
    EXPECT_EQ(first->document, second->document);
    EXPECT_FALSE(trail.empty());
    EXPECT_EQ(first->narrowed, 1);
  }
  EXPECT_GT(walked, 15);
}

TEST(Variants, ShorterOnesLackOneStep) {
  const auto variants = variants_of({});
  Names documents;
  for (const Variant* one : variants->shorter(read(*variants, "halves 2 4"))) {
    documents.push_back(one->document);
  }
  EXPECT_EQ(documents,
            (Names{read(*variants, "halves 2 1").document, read(*variants, "halves 1 4").document}))
      << "without the partition, there is no second half";
  const std::vector<const Variant*> group = variants->shorter(read(*variants, "group 2"));
  ASSERT_EQ(group.size(), 1u);
  EXPECT_TRUE(group[0]->is_original());
  EXPECT_TRUE(variants->shorter(variants->original()).empty());
}

TEST(Variants, StandAsACompositeWithTheirCosts) {
  const auto variants = variants_of({.batch = 2});
  for (const char* name : {"group 2", "halves 2 4", "slabs 2", "spatial bottleneck 2"}) {
    SCOPED_TRACE(name);
    const Variant& variant = read(*variants, name);
    const auto standing = variants->standing(variant);
    ASSERT_TRUE(standing.ok()) << standing.rejection().message();
    EXPECT_EQ(model::cost_of(*(*standing)->composite.body).macs, variant.macs);
    std::int64_t parameters = 0;
    const auto inputs = (*standing)->composite.body->inputs();
    for (std::size_t i = 1; i < inputs.size(); ++i) {
      parameters += (*standing)->composite.body->node(inputs[i]).outputs[0].elements();
    }
    EXPECT_EQ(parameters, variant.parameters);
    EXPECT_EQ((*standing)->weights.size() + 1, inputs.size());
    EXPECT_EQ(*variants->standing(variant), *standing) << "it is made once";
    const auto maps = variants->maps(variant);
    ASSERT_TRUE(maps.ok()) << maps.rejection().message();
    EXPECT_EQ(maps->size() + 1, inputs.size());
  }
}

TEST(Variants, ShowTheirSums) {
  const auto variants = variants_of({});
  const std::string sums = variants->sums_of(read(*variants, "halves 2 4"));
  EXPECT_EQ(std::count(sums.begin(), sums.end(), '\n'), 1) << sums;
  EXPECT_NE(sums.find("+="), std::string::npos);
  EXPECT_NE(variants->loops_of(read(*variants, "group 2")).find("for g in 2"), std::string::npos);
}

// Programs are thrown away when they have taken much memory; what was read stays.
TEST(Variants, StayWhenProgramsAreMadeAnew) {
  const auto variants = variants_of({.ci = 64, .co = 64, .size = 32});
  const Variant* const group = &read(*variants, "group 2");
  const std::string loops = variants->loops_of(*group);
  Rng rng(1);
  for (int i = 0; i < 300; ++i)
    static_cast<void>(variants->walk(variants->original(), 3, true, rng));
  EXPECT_EQ(&read(*variants, "group 2"), group);
  EXPECT_EQ(variants->loops_of(*group), loops);
}

}  // namespace
}  // namespace cambium::spaces::loopnest
