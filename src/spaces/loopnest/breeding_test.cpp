// Children of candidates.
#include "spaces/loopnest/breeding.h"

#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "lower/nest_form.h"
#include "model/fingerprint.h"
#include "spaces/loopnest/loopnest_testing.h"
#include "spaces/loopnest/rewrite.h"

namespace cambium::spaces::loopnest {
namespace {

using BySite = std::map<std::string, std::string>;

struct Bred {
  explicit Bred(model::Model model, const LoopNestOptions& with = {})
      : options(with), shapes(options.limits()), survey(std::move(model), shapes) {
    std::vector<std::size_t> all(survey.sites().size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    layers = layers_of(survey, all, options.tie);
  }

  Breeding breeding() { return {survey, layers, options}; }
  Candidate candidate(const BySite& written) {
    Plan plan(survey);
    for (std::size_t site = 0; site < survey.sites().size(); ++site) {
      const auto found = written.find(survey.sites()[site].name);
      if (found == written.end()) continue;
      EXPECT_TRUE(plan.read(site, found->second).ok());
    }
    return {model::structure_of(survey.model()), plan.edits(), {}};
  }
  static BySite documents(const Candidate& candidate) {
    BySite documents;
    for (const Edit& edit : candidate.edits) {
      for (const std::string& site : edit.sites) documents[site] = edit.document;
    }
    return documents;
  }
  // Whether its documents can be applied as they stand.
  void expect_legal(const Candidate& candidate) {
    Plan plan(survey);
    const BySite written = documents(candidate);
    for (std::size_t site = 0; site < survey.sites().size(); ++site) {
      const auto found = written.find(survey.sites()[site].name);
      if (found == written.end()) continue;
      const Status read = plan.read(site, found->second);
      EXPECT_TRUE(read.ok()) << read.rejection().message();
    }
    EXPECT_EQ(plan.edits(), candidate.edits);
    EXPECT_TRUE(rewritten(plan).ok());
  }

  LoopNestOptions options;
  VariantsByShape shapes;
  Survey survey;
  std::vector<Layer> layers;
};

std::size_t differences(const BySite& a, const BySite& b) {
  std::set<std::string> sites;
  for (const auto* each : {&a, &b}) {
    for (const auto& [site, document] : *each) sites.insert(site);
  }
  std::size_t count = 0;
  for (const std::string& site : sites) {
    const auto at = [&](const BySite& all) {
      const auto found = all.find(site);
      return found == all.end() ? std::string() : found->second;
    };
    count += at(a) == at(b) ? 0 : 1;
  }
  return count;
}

TEST(Mutation, ChangesOneLayerAndNamesItsParent) {
  Bred bred(residual());
  const Candidate parent = bred.candidate({{"stem", "group 2"}, {"r0.conv1", "halves 2 4"}});
  std::set<std::string> touched, documents;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const auto child = bred.breeding().mutate(parent, seed);
    ASSERT_TRUE(child.ok()) << child.rejection().message();
    EXPECT_EQ(child->parent, identity_of(parent));
    EXPECT_NE(identity_of(*child), identity_of(parent));
    bred.expect_legal(*child);
    const BySite before = Bred::documents(parent), after = Bred::documents(*child);
    EXPECT_EQ(differences(before, after), 1u);
    for (const auto& [site, document] : after) {
      if (!before.contains(site)) touched.insert(site);
      documents.insert(document);
    }
  }
  EXPECT_EQ(touched, (std::set<std::string>{"r0.conv2", "r1.conv1", "r1.conv2"}));
  EXPECT_GT(documents.size(), 20u);
}

TEST(Mutation, DependsOnTheSeedAlone) {
  Bred first(residual()), second(residual());
  const Candidate parent = first.candidate({{"r1.conv1", "group 4"}});
  for (std::uint64_t seed = 100; seed > 90; --seed) {
    static_cast<void>(second.breeding().mutate(parent, seed));
  }
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    EXPECT_EQ(first.breeding().mutate(parent, seed).value(),
              second.breeding().mutate(parent, seed).value());
  }
}

// Extends, shortens and copies: each is found among many children.
TEST(Mutation, ExtendsShortensAndCopies) {
  Bred bred(residual());
  const Candidate parent = bred.candidate({{"r0.conv1", "halves 2 4"}, {"r1.conv1", "slabs 2"}});
  const BySite before = Bred::documents(parent);
  bool has_longer = false, has_shorter = false, has_copy = false, has_gone = false;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const auto child = bred.breeding().mutate(parent, seed);
    ASSERT_TRUE(child.ok());
    const BySite after = Bred::documents(*child);
    has_gone = has_gone || !after.contains("r1.conv1");
    for (const auto& [site, document] : after) {
      const auto was = before.find(site);
      if (was == before.end()) {
        for (const auto& [other, known] : before) has_copy = has_copy || known == document;
        continue;
      }
      if (document == was->second) continue;
      has_longer = has_longer || document.starts_with(was->second);
      has_shorter = has_shorter || was->second.starts_with(document);
    }
  }
  EXPECT_TRUE(has_longer);
  EXPECT_TRUE(has_shorter);
  EXPECT_TRUE(has_copy);
  EXPECT_TRUE(has_gone);
}

// A layer that becomes narrower may leave its reader too few channels.
TEST(Mutation, LeavesOutDocumentsThatFitNoMore) {
  Bred bred(chain());
  const Candidate parent = bred.candidate({{"a", "group 2"}, {"b", "group 8"}});
  int narrowed = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const auto child = bred.breeding().mutate(parent, seed);
    ASSERT_TRUE(child.ok());
    bred.expect_legal(*child);
    const BySite after = Bred::documents(*child);
    const auto a = after.find("a");
    const bool is_narrow = a != after.end() && a->second.find("accept: true") != std::string::npos;
    narrowed += is_narrow ? 1 : 0;
    EXPECT_FALSE(is_narrow && after.contains("b")) << a->second;
  }
  EXPECT_GT(narrowed, 0);
}

TEST(Mutation, RefusesEditsOfOthersAndOtherSites) {
  Bred bred(chain());
  Candidate candidate = bred.candidate({{"a", "group 2"}});
  candidate.edits[0].space = "coordinate";
  EXPECT_EQ(bred.breeding().mutate(candidate, 1).rejection().reason(), Reason::NoProposal);
  candidate = bred.candidate({{"a", "group 2"}});
  candidate.edits[0].sites = {"nowhere"};
  EXPECT_EQ(bred.breeding().mutate(candidate, 1).rejection().reason(), Reason::UnknownSite);
}

TEST(Crossing, TakesEachLayerFromEitherParent) {
  Bred bred(residual());
  const BySite one{{"stem", "group 2"}, {"r0.conv2", "group 4"}, {"r1.conv2", "slabs 2"}};
  const BySite two{{"stem", "group 4"}, {"r0.conv2", "halves 2 4"}, {"r1.conv1", "depthwise"}};
  const Candidate a = bred.candidate(one), b = bred.candidate(two);
  const BySite first = Bred::documents(a), second = Bred::documents(b);
  std::set<std::string> children;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const auto child = bred.breeding().cross(a, b, seed);
    if (!child.ok()) {
      EXPECT_EQ(child.rejection().reason(), Reason::NoProposal);
      continue;
    }
    EXPECT_EQ(child->parent, identity_of(a));
    bred.expect_legal(*child);
    for (const auto& placed : Bred::documents(*child)) {
      const auto& site = placed.first;
      const auto& document = placed.second;
      const auto is_of = [&](const BySite& parent) {
        const auto found = parent.find(site);
        return found != parent.end() && found->second == document;
      };
      EXPECT_TRUE(is_of(first) || is_of(second)) << site;
    }
    children.insert(identity_of(*child).text());
  }
  EXPECT_GT(children.size(), 8u);
}

// What an output bottleneck joins comes from one parent.
TEST(Crossing, KeepsABottleneckAndItsReaderTogether) {
  Bred bred(chain());
  const Candidate a = bred.candidate({{"a", "bottleneck 2"}, {"b", "group 4"}});
  const Candidate b = bred.candidate({{"a", "group 2"}, {"b", "group 8"}, {"c", "group 2"}});
  const BySite first = Bred::documents(a), second = Bred::documents(b);
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const auto child = bred.breeding().cross(a, b, seed);
    if (!child.ok()) continue;
    bred.expect_legal(*child);
    const BySite documents = Bred::documents(*child);
    ASSERT_TRUE(documents.contains("a") && documents.contains("b"));
    EXPECT_EQ(documents.at("a") == first.at("a"), documents.at("b") == first.at("b"));
  }
}

}  // namespace
}  // namespace cambium::spaces::loopnest
