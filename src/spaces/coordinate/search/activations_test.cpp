// What is proposed keeps the limit on activations, and the bound that this rests on is none too
// high.
#include "spaces/coordinate/search/activations.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "model/composite.h"
#include "model/recognize/apart.h"
#include "model/recognize/pass.h"
#include "model/zoo/zoo.h"
#include "spaces/coordinate/document.h"
#include "spaces/coordinate/known.h"
#include "spaces/coordinate/search/document.h"
#include "spaces/coordinate/search/space.h"

namespace cambium::spaces::coordinate {
namespace {

struct Searched {
  model::Model base;
  std::unique_ptr<CoordinateSpace> space;
};

Searched searched(const model::zoo::ZooOptions& sizes, const char* network, const char* selector,
                  const SpaceOptions& options = {}) {
  model::Model base = model::zoo::build(network, sizes).value();
  auto space = CoordinateSpace::make(base, model::select(base, selector).value(), options).value();
  return {std::move(base), std::move(space)};
}

double activations_of(const model::Model& model) {
  return static_cast<double>(model::pass_of(model).activation_bytes);
}

SpaceOptions of_any_weight() {
  SpaceOptions options;
  options.most_activations = std::numeric_limits<double>::infinity();
  return options;
}

bool has_merge(const Edit& edit) {
  return edit.document.find("high(") != std::string::npos;
}

// As a search counts, relative to the base model. It was nine of ten that were too heavy. Some
// still are: where recognition would mix samples at one place, it leaves the whole network as it
// is.
TEST(Activations, MostProposalsKeepTheLimit) {
  const Searched it = searched({.image = 16}, "tiny-resnet", "conv:k=3");
  const model::Model& base = it.base;
  const auto& space = it.space;
  const double most = 3 * activations_of(base);
  const auto is_heavy = [&](const Edit& edit) {
    return activations_of(space->apply(base, edit).value()) > most;
  };
  int heavy = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    heavy += is_heavy(space->samples()->sample(seed).value());
  }
  EXPECT_LE(3 * heavy, 30);
  Rng rng(1);
  TreeOfEdits& tree = *space->tree();
  int found = 0;
  heavy = 0;
  for (int i = 0; i < 40; ++i) {
    const auto descent = tree.descend(tree.root(), rng);
    if (!descent || !descent->is_wanted()) continue;
    ++found;
    heavy += is_heavy(descent->edit);
  }
  EXPECT_GT(found, 8);
  EXPECT_LE(3 * heavy, found);
}

TEST(Activations, MostOfWhatIsListedKeepsTheLimit) {
  SpaceOptions options;
  options.limits.primitives = 6;
  options.limits.merges = options.limits.shifts = 0;
  options.least_mixed = 0;
  options.least_macs = 0;
  const auto [base, space] = searched({.image = 16}, "tiny-resnet", "conv:k=3", options);
  const double most = 3 * activations_of(base);
  int heavy = 0;
  for (int i = 0; i < 30; ++i) {
    const auto edit = space->enumerates()->next();
    ASSERT_TRUE(edit.has_value());
    heavy += activations_of(space->apply(base, *edit).value()) > most;
  }
  EXPECT_LE(3 * heavy, 30);
}

// Drawn step by step among the other primitives, a MERGE was in 97 of 100 operators.
TEST(Activations, AMergeIsNotNearlyCertain) {
  const auto [base, space] = searched({.image = 16}, "tiny-resnet", "conv:k=3", of_any_weight());
  int merged = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    merged += has_merge(space->samples()->sample(seed).value());
  }
  EXPECT_GT(merged, 10);
  EXPECT_LT(merged, 70);
}

TEST(Activations, GroupedConvolutionsAreStillProposed) {
  const auto [base, space] = searched({.image = 16}, "tiny-resnet", "conv:k=3");
  // The catalogue's with the fewest groups, in the form that rules prefer, is light enough.
  const std::string grouped =
      "let s=2\n"
      "operator [N, Ci, H, W] -> [N, Co, H, W]\n"
      "out   n, o, h, w\n"
      "sum   i: Ci/s, a: k, b: k\n"
      "x     n, split(high(o, Co/s), i), unfold(h, a), unfold(w, b)\n"
      "w1    low(o, Co/s), split(high(o, Co/s), i), a, b\n";
  const Family& family = space->families()[0];
  const Edit edit = space->edit_of(family, grouped).value();
  const Operator op = parse(family.problem, read_edit_document(edit.document).value().op).value();
  EXPECT_TRUE(is_within_budgets(family, {}, op));
  const double base_bytes = activations_of(base);
  EXPECT_LE(least_activations(base_bytes, family, op, 3 * base_bytes).value(), 3 * base_bytes);
  // And such as it are drawn: a MERGE that groups channels.
  bool is_drawn = false;
  for (std::uint64_t seed = 0; seed < 60 && !is_drawn; ++seed) {
    const Edit drawn = space->samples()->sample(seed).value();
    if (!has_merge(drawn)) continue;
    const auto apart = model::recognize_apart(model::expanded(space->apply(base, drawn).value()));
    for (const std::string& found : apart.recognized.found) {
      is_drawn = is_drawn || found.find("grouped conv") != std::string::npos;
    }
  }
  EXPECT_TRUE(is_drawn);
}

// Operators of any weight, light and heavy: counted place by place never more than the network
// makes, so that none is refused that keeps the limit; and mostly as much, where nothing but the
// operator moves elements.
TEST(Activations, TheBoundIsNeverAboveTheTruth) {
  struct Case {
    const char* network;
    const char* selector;
    model::zoo::ZooOptions sizes;
    int least_equal;
  };
  for (const Case& c : {Case{"tiny-resnet", "conv:k=3", {.image = 16}, 45},
                        Case{"tiny-gpt", "linear:name=*attn*", {.length = 8}, 0}}) {
    const auto [base, space] = searched(c.sizes, c.network, c.selector, of_any_weight());
    const double base_bytes = activations_of(base);
    int equal = 0;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
      const Edit edit = space->samples()->sample(seed).value();
      const Family& family = space->families()[0];
      const Operator op =
          parse(family.problem, read_edit_document(edit.document).value().op).value();
      const double truth = activations_of(space->apply(base, edit).value());
      const double bound =
          least_activations(base_bytes, family, op, std::numeric_limits<double>::infinity())
              .value();
      EXPECT_LE(bound, truth) << edit.document;
      // A search asks the space with the edit alone, before it builds a model.
      EXPECT_EQ(space->activation_bound(edit, bound), bound) << edit.document;
      equal += bound == truth;
      // Counting may stop as soon as it is too much, and not before.
      for (const double most : {0.5 * bound, bound}) {
        const double counted = least_activations(base_bytes, family, op, most).value();
        EXPECT_EQ(counted > most, bound > most) << edit.document;
        EXPECT_LE(counted, bound) << edit.document;
      }
    }
    EXPECT_GE(equal, c.least_equal) << c.network;
  }
}

// A search refuses by the bound before it builds a model: it must refuse nothing else.
TEST(Activations, ABoundAboveALimitMeansThatTheModelIsAboveIt) {
  struct Case {
    const char* network;
    const char* selector;
  };
  for (const Case& c :
       {Case{"tiny-resnet", "conv:k=3,groups=1"}, Case{"resnet18-cifar", "conv:k=3,groups=1"},
        Case{"mobilenet-v2", "conv:k=3"}}) {
    const auto [base, space] = searched({}, c.network, c.selector, of_any_weight());
    int told = 0;
    for (std::uint64_t seed = 1000; seed < 1100; ++seed) {
      const auto edit = space->samples()->sample(seed);
      if (!edit.ok()) continue;
      const auto bound = space->activation_bound(*edit, std::numeric_limits<double>::infinity());
      const auto model = space->apply(base, *edit);
      if (!bound || !model.ok()) continue;
      ++told;
      EXPECT_LE(*bound, activations_of(*model)) << c.network << " " << edit->document;
    }
    EXPECT_GT(told, 50) << c.network;
  }
}

// Such edits need places of their own: another number of channels per group, the input as it is
// before the average, some of the places, and what is no operator.
TEST(Activations, NoBoundIsToldOfEditsThatTheSpaceWouldNotPropose) {
  const auto [base, space] = searched({.image = 16}, "tiny-resnet", "conv:k=3");
  const double any = std::numeric_limits<double>::infinity();
  const Edit edit = space->samples()->sample(1).value();
  EXPECT_TRUE(space->activation_bound(edit, any).has_value());
  Edit other = edit;
  other.sites.pop_back();
  EXPECT_FALSE(space->activation_bound(other, any).has_value());
  other = edit;
  other.document = "let k=5\n" + std::string(find_known("conv2d")->document);
  EXPECT_FALSE(space->activation_bound(other, any).has_value());
  other.document = "operator [N, Ci, s*H, s*W] -> [N, Co, H, W]\n";
  EXPECT_FALSE(space->activation_bound(other, any).has_value());
  other.document = "nonsense";
  EXPECT_FALSE(space->activation_bound(other, any).has_value());
}

TEST(Activations, AConvolutionInItsOwnPlaceMakesWhatItDid) {
  const auto [base, space] = searched({.image = 16}, "tiny-resnet", "conv:k=3,stride=1");
  const Family& family = space->families()[0];
  const Operator op = parse(family.problem, find_known("conv2d")->document).value();
  const double bytes = activations_of(base);
  EXPECT_EQ(least_activations(bytes, family, op, 10 * bytes).value(), bytes);
}

}  // namespace
}  // namespace cambium::spaces::coordinate
