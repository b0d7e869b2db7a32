#include "spaces/testing/toy_blocks.h"

#include <set>

#include <gtest/gtest.h>

#include "model/fingerprint.h"
#include "spaces/testing/toy_net.h"

namespace cambium::spaces::testing {
namespace {

struct Fixture {
  model::Model net = toy_net();
  ToyBlocks space{net, {.crosses = true}};
  Candidate original{model::structure_of(net), {}, std::nullopt};

  model::Model applied(const std::string& block, const std::string& document) {
    const Edit edit = space.check(net, {"toy-blocks", {block}, document}).value();
    return space.apply(net, edit).value();
  }
};

TEST(ToyBlocks, DuplicatesDeletesAndExchanges) {
  Fixture f;
  using Names = std::vector<std::string>;
  EXPECT_EQ(toy_blocks_of(f.applied("b1", "duplicate")), (Names{"b0", "b1", "b1+", "b2"}));
  EXPECT_EQ(toy_blocks_of(f.applied("b1", "delete")), (Names{"b0", "b2"}));
  const model::Model gelu = f.applied("b1", "activation gelu");
  EXPECT_EQ(toy_blocks_of(gelu), (Names{"b0", "b1", "b2"}));
  EXPECT_NE(model::structure_of(gelu), f.original.base);
}

TEST(ToyBlocks, MutatesForeverAndEachChildApplies) {
  Fixture f;
  Candidate candidate = f.original;
  std::set<std::size_t> sizes;
  int refused = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const auto child = f.space.mutate(candidate, seed);
    if (!child) {
      ++refused;
      continue;
    }
    EXPECT_EQ(child->parent, identity_of(candidate));
    EXPECT_NE(identity_of(*child), identity_of(candidate));
    EXPECT_EQ(*child, f.space.mutate(candidate, seed).value());
    candidate = *child;
    sizes.insert(toy_blocks_of(apply(f.net, candidate, {&f.space}).value()).size());
  }
  EXPECT_GE(sizes.size(), 5u);
  EXPECT_LT(refused, 250);
}

TEST(ToyBlocks, CrossesTwo) {
  Fixture f;
  Candidate a = f.original, b = f.original;
  a.edits = {{"toy-blocks", {"b0"}, "activation tanh"}};
  b.edits = {{"toy-blocks", {"b2"}, "activation gelu"}};
  std::set<std::size_t> edits;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    edits.insert(f.space.cross(a, b, seed).value().edits.size());
  }
  EXPECT_EQ(edits, (std::set<std::size_t>{0, 1, 2}));
}

TEST(ToyBlocks, RefusesWhatItCannotDo) {
  Fixture f;
  const auto reason = [&](const Edit& edit) {
    return f.space.check(f.net, edit).rejection().reason();
  };
  EXPECT_EQ(reason({"toy-blocks", {"b7"}, "delete"}), Reason::UnknownSite);
  EXPECT_EQ(reason({"toy-blocks", {"b0", "b1"}, "delete"}), Reason::UnknownSite);
  EXPECT_EQ(reason({"toy-blocks", {"b0"}, "fold"}), Reason::BadSyntax);
  EXPECT_EQ(reason({"toy-blocks", {"b0"}, "activation sin"}), Reason::BadSyntax);
  const model::Model one = toy_net(1);
  EXPECT_EQ(f.space.check(one, {"toy-blocks", {"b0"}, "delete"}).rejection().reason(),
            Reason::NoProposal);
}

}  // namespace
}  // namespace cambium::spaces::testing
