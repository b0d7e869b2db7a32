#include "spaces/coordinate/synthesis/graph.h"

#include <set>

#include "spaces/coordinate/check.h"
#include "spaces/coordinate/document.h"
#include "spaces/coordinate/lowering/stages.h"
#include "spaces/coordinate/structure.h"
#include "spaces/coordinate/synthesis/enumerate.h"
#include "spaces/coordinate/synthesis/finish.h"
#include "spaces/coordinate/synthesis/synthesis_testing.h"

namespace cambium::spaces::coordinate::synthesis {
namespace {

std::unique_ptr<Space> line(int primitives, RuleSet rules = {}) {
  Limits limits;
  limits.primitives = primitives;
  limits.reductions = 3;
  limits.coefficient_power = 1;
  limits.occurrences = Limits::all_of(2);
  limits.strides = 1;
  limits.window_ratio = 1;
  limits.weight_axes = 3;
  return space_for("[N, C, L]", "[N, D, L]", {"N=1, C=4, D=6, L=12, k=3"}, limits, rules);
}

// Follows actions by their labels.
NodeId follow(Graph& graph, const std::vector<std::string>& labels) {
  NodeId at = graph.root();
  for (const std::string& label : labels) {
    const std::vector<Action> actions = graph.actions(at);
    const auto action = std::find_if(actions.begin(), actions.end(),
                                     [&](const Action& a) { return graph.label(at, a) == label; });
    if (action == actions.end()) {
      std::string all;
      for (const Action& a : actions) all += graph.label(at, a) + "; ";
      ADD_FAILURE() << label << " is not among " << all;
      return at;
    }
    at = action->next;
  }
  return at;
}

const std::vector<std::string> kImage = {"N=1, Ci=8, Co=8, H=16, W=16, k=3"};

TEST(GraphTest, TwoOrdersLeadToOneNode) {
  const auto space = space_for("[N, Ci, H, W]", "[N, Co, H, W]", kImage);
  Graph graph(*space);
  const NodeId a = follow(graph, {"reduce k", "reduce k", "reduce Ci", "unfold H k", "unfold W k"});
  const NodeId b = follow(graph, {"reduce k", "reduce k", "reduce Ci", "unfold W k", "unfold H k"});
  EXPECT_EQ(a, b);
  const NodeId other = follow(graph, {"reduce k", "reduce k", "reduce Ci", "unfold H k"});
  EXPECT_NE(graph.identity(a), graph.identity(other));
  const NodeId end = follow(graph, {"reduce k", "reduce k", "reduce Ci", "unfold W k", "unfold H k",
                                    "weight Ci Co k k", "end"});
  ASSERT_TRUE(graph.is_final(end));
  EXPECT_TRUE(graph.actions(end).empty());
  const Operator conv = parse(space->problem,
                              "operator [N, Ci, H, W] -> [N, Co, H, W]\n"
                              "out n, o, h, w\nsum i: Ci, a: k, b: k\n"
                              "x n, i, unfold(h, a), unfold(w, b)\nw1 o, i, a, b\n")
                            .value();
  EXPECT_EQ(identity(space->problem, graph.finished(end)), identity(space->problem, conv));
}

TEST(GraphTest, IdentitiesDoNotDependOnWhatWasAskedBefore) {
  const auto once = space_for("[N, Ci, H, W]", "[N, Co, H, W]", kImage);
  const auto again = space_for("[N, Ci, H, W]", "[N, Co, H, W]", kImage);
  Graph first(*once), second(*again);
  Rng rng(3);
  for (int i = 0; i < 5; ++i) second.descend(second.root(), rng);
  const std::vector<std::string> labels = {"reduce k", "reduce Ci", "unfold W k", "weight Ci Co k"};
  EXPECT_EQ(first.identity(follow(first, labels)), second.identity(follow(second, labels)));
}

TEST(GraphTest, EveryDescentEndsInALegalOperator) {
  const auto space = resnet_space();
  Graph graph(*space);
  Rng rng(1);
  std::set<Fingerprint> distinct;
  for (int i = 0; i < 60; ++i) {
    const auto end = graph.descend(graph.root(), rng);
    ASSERT_TRUE(end.has_value());
    ASSERT_TRUE(graph.is_final(*end));
    const Operator op = graph.finished(*end);
    EXPECT_TRUE(check(space->problem, op).ok()) << to_text(space->problem, op);
    EXPECT_LE(primitive_count(op), space->limits.primitives);
    distinct.insert(graph.identity(*end));
  }
  EXPECT_GT(distinct.size(), 50U);
}

// All nodes behind the root, and the operators among them.
std::set<Fingerprint> operators_of(Graph& graph, const Problem& problem, std::size_t& dead) {
  std::set<NodeId> seen = {graph.root()};
  std::vector<NodeId> all = {graph.root()};
  std::set<Fingerprint> found;
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const Action& action : graph.actions(all[i])) {
      if (seen.insert(action.next).second) all.push_back(action.next);
    }
    dead += graph.is_dead(all[i]);
    if (graph.is_final(all[i])) found.insert(identity(problem, graph.finished(all[i])));
  }
  return found;
}

TEST(GraphTest, HoldsEveryOperatorOfASmallSpaceAndNoWayThatEndsNowhere) {
  const auto space = line(5);
  GraphOptions options;
  options.patience = 0;
  Graph graph(*space, options);
  std::size_t dead = 0;
  const std::set<Fingerprint> found = operators_of(graph, space->problem, dead);
  EXPECT_EQ(dead, 0U);
  std::set<Fingerprint> listed;
  Reach reach(*space);
  enumerate(*space, reach, [&](StateId, const Finishing& finishing, const Choice& choice) {
    listed.insert(identity(space->problem, finish(*space, finishing.anatomy(), choice)));
    return true;
  });
  EXPECT_GT(listed.size(), 100U);
  EXPECT_EQ(found, listed);
}

TEST(GraphTest, BudgetsTakeAwayWhatCannotKeepThem) {
  const auto space = line(4);
  GraphOptions options;
  options.most_parameters = 20;
  options.most_macs = 300;
  options.macs = fewest_macs;
  Graph graph(*space, options);
  std::set<NodeId> ends;
  Rng rng(5);
  for (int i = 0; i < 200; ++i) {
    const auto end = graph.descend(graph.root(), rng);
    ASSERT_TRUE(end.has_value());
    ends.insert(*end);
  }
  EXPECT_GT(ends.size(), 1U);
  for (const NodeId end : ends) {
    double parameters = 0;
    const Operator op = graph.finished(end);
    const auto stages = stages_of(op, space->problem.bindings).value();
    parameters +=
        static_cast<double>(cost_of(op, stages, space->problem.bindings[0]).value().parameters);
    EXPECT_LE(parameters, 20);  // what weights hold is known exactly
    EXPECT_EQ(graph.is_within_budgets(end),
              fewest_macs(op, space->problem.bindings).value() <= 300);
  }
}

TEST(GraphTest, AnEmptySpaceHasNoActions) {
  Limits limits;
  limits.reductions = 0;
  const auto space = space_for("[N, A]", "[N, B]", {"N=1, A=5, B=7"}, limits);
  Graph graph(*space);
  EXPECT_TRUE(graph.actions(graph.root()).empty());
  EXPECT_TRUE(graph.is_dead(graph.root()));
  Rng rng(1);
  EXPECT_FALSE(graph.descend(graph.root(), rng).has_value());
}

}  // namespace
}  // namespace cambium::spaces::coordinate::synthesis
