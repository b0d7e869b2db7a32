#include "spaces/testing/toy_sites.h"

#include <gtest/gtest.h>

#include "model/cost.h"
#include "model/fingerprint.h"
#include "spaces/testing/toy_net.h"

namespace cambium::spaces::testing {
namespace {

struct SitesFixture {
  model::Model net = toy_net();
  ToySites space{3};

  std::int64_t macs(const Edits& edits) {
    return model::cost_of(apply(net, {model::structure_of(net), edits, {}}, {&space}).value()).macs;
  }
  Reason refusal(const Edit& edit) { return space.check(net, edit).rejection().reason(); }
};

// 0 to 3: widths 1, 2, 3 and 5; 4 to 6: cuts to 2, 4 and 6.
TEST(ToySites, OffersOptionsAndComposesThem) {
  SitesFixture f;
  ASSERT_EQ(f.space.site_count(), 3u);
  EXPECT_EQ(f.space.options_at(0).size(), 7u);
  EXPECT_EQ(f.space.options_at(2).size(), 4u) << "nothing reads less behind the last block";
  EXPECT_EQ(f.space.options_at(1)[5].label, "cut 4");
  EXPECT_TRUE(f.space.options_at(1)[5].is_linked);
  EXPECT_EQ(f.space.linked_to(1), 2u);
  EXPECT_EQ(f.space.linked_to(2), std::nullopt);
  EXPECT_TRUE(f.space.composed({-1, -1, -1}).value().empty());
  EXPECT_EQ(f.space.composed({-1, 5, -1}).value(), f.space.options_at(1)[5].edits);
  const std::int64_t before = f.macs({});
  EXPECT_EQ(f.macs(f.space.composed({1, -1, -1}).value()) - before, 2 * 8 + 2 * 8 - 64);
  EXPECT_EQ(f.macs(f.space.composed({-1, 5, -1}).value()) - before, 2 * 8 * 4 - 2 * 64);
  // The cut and the width that reads it do not add up.
  EXPECT_EQ(f.macs(f.space.composed({5, 1, -1}).value()) - before, 8 * 4 + 4 * 2 + 2 * 8 - 2 * 64);
  EXPECT_EQ(f.macs(f.space.composed({5, 4, 0}).value()) - before,
            8 * 4 + 4 * 2 + 2 * 1 + 1 * 8 - 3 * 64);
}

TEST(ToySites, RefusesWhatDoesNotFit) {
  SitesFixture f;
  EXPECT_EQ(f.refusal({"toy-sites", {"b9.fc"}, "width 2"}), Reason::UnknownSite);
  EXPECT_EQ(f.refusal({"toy-sites", {"b2.fc"}, "cut 2"}), Reason::UnknownSite);
  EXPECT_EQ(f.refusal({"toy-sites", {"b0.fc", "b1.fc"}, "cut 2"}), Reason::UnknownSite);
  EXPECT_EQ(f.refusal({"toy-sites", {"b0.fc"}, "fold"}), Reason::BadSyntax);
  EXPECT_EQ(f.refusal({"toy-sites", {"b0.fc"}, "width 8"}), Reason::NoProposal);
  // A width of 5 of what reads 4.
  EXPECT_EQ(f.space.composed({5, 3, -1}).rejection().reason(), Reason::NoProposal);
  EXPECT_FALSE(apply(f.net,
                     {model::structure_of(f.net),
                      {{"toy-sites", {"b0.fc"}, "cut 4"}, {"toy-sites", {"b1.fc"}, "width 5"}},
                      {}},
                     {&f.space})
                   .ok());
}

}  // namespace
}  // namespace cambium::spaces::testing
