// Proposals, counts and reports of a space that engine knows nothing of.
#include "engine/search/synth_space.h"

#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/scratch_folder_testing.h"
#include "engine/search/space_list.h"
#include "model/fingerprint.h"
#include "model/target.h"
#include "model/zoo/zoo.h"
#include "spaces/testing/toy_blocks.h"
#include "spaces/testing/toy_net.h"
#include "spaces/testing/toy_tree.h"

namespace cambium::engine {
namespace {

struct Toys {
  explicit Toys(const SettingList& options = {}) {
    const spaces::SpaceKind kind = spaces::testing::toy_tree_kind();
    all.push_back(kind.make(base, model::select(base, kind.targets).value(), options).value());
  }
  spaces::Space& tree() { return *all.front(); }

  model::Model base = spaces::testing::toy_net();
  Spaces all;
};

TEST(SynthSpace, ListsAndCountsAllOfASpace) {
  Toys toys;
  std::set<std::string> titles;
  const auto summary = list_edits(toys.tree(), toys.base, {.count = 100}, [&](const auto& each) {
    titles.insert(each.title);
    EXPECT_EQ(each.identity, spaces::identity_of(each.candidate));
    return true;
  });
  ASSERT_TRUE(summary.ok()) << summary.rejection().message();
  EXPECT_TRUE(summary->is_all);
  EXPECT_EQ(summary->proposed, 12u);
  EXPECT_EQ(titles.size(), 12u);
  EXPECT_EQ(count_edits(toys.tree(), toys.base, 12).value(), 12u);
  EXPECT_EQ(count_edits(toys.tree(), toys.base, 11).rejection().reason(), Reason::TooLarge);
}

TEST(SynthSpace, SamplesTheSameForTheSameSeed) {
  const auto drawn = [](std::uint64_t seed) {
    Toys toys(SettingList{{"per-site", "yes"}});
    std::vector<Fingerprint> identities;
    const auto summary = sample_edits(toys.tree(), toys.base, {.seed = seed, .count = 8},
                                      [&](const ProposedEdits& each) {
                                        identities.push_back(each.identity);
                                        return true;
                                      });
    EXPECT_EQ(summary.value().proposed, 8u);
    return identities;
  };
  EXPECT_EQ(drawn(1), drawn(1));
  EXPECT_NE(drawn(1), drawn(2));
  const auto first = drawn(1);
  EXPECT_EQ(std::set<Fingerprint>(first.begin(), first.end()).size(), 8u);
}

// A name that the space reads, the JSON of a candidate, and a file of either.
TEST(SynthSpace, ExplainsAnEditByPlace) {
  Toys toys;
  const EditReport report = explain_edits(toys.all, toys.base, "de").value();
  EXPECT_EQ(report.edits.title, "the word de");
  ASSERT_EQ(report.sites.size(), 3u);
  for (const EditedSite& site : report.sites) {
    EXPECT_EQ(site.macs_before, 64);
    EXPECT_EQ(site.macs, 8 * 5 + 5 * 7 + 7 * 8);
    EXPECT_EQ(site.parameters, site.macs);
  }
  EXPECT_EQ(report.edits.macs - report.macs_before, 3 * (131 - 64));
  spaces::Candidate two = report.edits.candidate;
  two.edits[0].sites = {"b0.fc"};
  two.edits.push_back({"toy-tree", {"b2.fc"}, "aaaaaa"});
  const ScratchFolder folder;
  ASSERT_TRUE(write_file(folder / "candidate.json", spaces::to_json(two)).ok());
  const EditReport mixed = explain_edits(toys.all, toys.base, folder / "candidate.json").value();
  EXPECT_EQ(mixed.edits.identity, spaces::identity_of(two));
  EXPECT_EQ(mixed.about.size(), 2u);
  EXPECT_EQ(mixed.sites[1].macs, 52);
  EXPECT_EQ(to_json(mixed)["sites"].size(), 2u);
}

// The 4 peeled channels are a quarter of 16. As such a part, the document would also fit 32
// channels.
TEST(SynthSpace, TellsWhyWhatWasWrittenDoesNotStandAtATarget) {
  const model::Model base = model::zoo::build("tiny-resnet").value();
  const spaces::SpaceKind kind = space_kind("loopnest").value();
  Spaces spaces;
  spaces.push_back(kind.make(base, model::select(base, kind.targets).value(), {}).value());
  const auto report = explain_edits(spaces, base, "peel 4 3", "conv:name=layer2.1.*");
  ASSERT_TRUE(report.ok()) << report.rejection().message();
  ASSERT_EQ(report->unedited.size(), 2u);
  for (const UneditedSite& each : report->unedited) {
    EXPECT_NE(each.why.find("the extent 28 of 'co.2' is not divisible by 3"), std::string::npos)
        << each.why;
  }
}

// As a search takes candidates of a person: one row of a study for all ways of writing one.
TEST(SynthSpace, TakesJsonForWhatTheSpaceMakesOfIt) {
  const model::Model base = model::zoo::build("tiny-resnet").value();
  const spaces::SpaceKind kind = space_kind("loopnest").value();
  Spaces all;
  all.push_back(kind.make(base, model::select(base, kind.targets).value(), {}).value());
  const auto report = [&](const std::vector<std::string>& documents) {
    spaces::Candidate candidate{model::structure_of(base), {}, {}};
    for (const std::string& document : documents) {
      const std::string site = candidate.edits.empty() ? "layer1.0.conv1" : "layer2.0.conv2";
      candidate.edits.push_back({"loopnest", {site}, document});
    }
    return explain_edits(all, base, spaces::to_json(candidate));
  };
  const std::string twice =
      "group(outer: co, inner: ci, factor: 2)\ngroup(outer: co, inner: ci, factor: 2)\n";
  const std::string none = "reorder(loops: [ci, co])";
  const EditReport by_name = report({"group 4"}).value();
  EXPECT_EQ(report({twice}).value().edits.identity, by_name.edits.identity);
  EXPECT_EQ(report({"group 4", none}).value().edits.candidate, by_name.edits.candidate);
  EXPECT_EQ(by_name.edits.candidate.edits[0].document, "group(outer: co, inner: ci, factor: 4)\n");
  EXPECT_EQ(report({none}).rejection().reason(), Reason::NoProposal);
  EXPECT_EQ(report({none}).rejection().message(),
            "the candidate: its edits leave the model as it is");
}

TEST(SynthSpace, RefusesWhatTheSpaceDoes) {
  Toys toys;
  EXPECT_EQ(explain_edits(toys.all, toys.base, "ab").rejection().reason(), Reason::WrongDomain);
  spaces::testing::ToyBlocks blocks(toys.base);
  const auto use = [](const ProposedEdits&) { return true; };
  EXPECT_EQ(list_edits(blocks, toys.base, {}, use).rejection().reason(), Reason::NoFacet);
}

}  // namespace
}  // namespace cambium::engine
