#include "search/strategies/tree_nodes.h"

#include <gtest/gtest.h>

namespace cambium::search {
namespace {

// 0 -> 1 -> 3, 0 -> 2 -> 3: node 3 is shared. Each has one more action, never taken.
TreeNodes diamond() {
  TreeNodes nodes(100);
  nodes[0].hidden_count = 3;
  for (NodeIndex i = 1; i <= 2; ++i) {
    nodes.add(100 + i, 0, i);
    nodes.reveal(0, i, i);
    nodes[i].hidden_count = 2;
  }
  nodes.add(103, 1, 3);
  nodes[3].hidden_count = 1;
  nodes.reveal(1, 3, 3);
  nodes.reveal(2, 3, 3);
  return nodes;
}

TEST(TreeNodes, ClosesWhatHasNothingLeftAndTellsAllParents) {
  TreeNodes nodes = diamond();
  nodes.use_up(3, 9);
  EXPECT_FALSE(nodes[3].is_open);
  EXPECT_TRUE(nodes[1].is_open);
  EXPECT_TRUE(nodes[1].edges.empty());
  EXPECT_EQ(nodes[2].gone, (std::vector<Label>{3}));
  nodes.use_up(1, 9);
  EXPECT_FALSE(nodes[1].is_open);
  EXPECT_TRUE(nodes[0].is_open);
  EXPECT_EQ(nodes[0].edges.size(), 1u);
  nodes.use_up(0, 9);
  nodes.use_up(2, 9);
  EXPECT_FALSE(nodes[0].is_open);
}

TEST(TreeNodes, RemembersActionsUntilTheyAreTaken) {
  TreeNodes nodes = diamond();
  ASSERT_NE(nodes[3].local_tally(9), nullptr);
  nodes[3].local_tally(9)->add(0.5);
  EXPECT_EQ(nodes[3].local_tally(9)->count, 1);
  EXPECT_EQ(nodes[0].local_tally(1), nullptr);  // was taken
  nodes.use_up(3, 9);
  EXPECT_TRUE(nodes[3].local.empty());
}

std::string text_of(const TreeNodes& nodes) {
  SnapshotWriter out;
  nodes.write(out);
  return std::move(out).done();
}

TEST(TreeNodes, AreTheSameAfterTheirText) {
  TreeNodes nodes = diamond();
  nodes[0].visits = 7;
  nodes[0].edges[1].tally.add(0.25);
  nodes[2].is_tried = true;
  nodes[3].local_tally(9)->add(0.5);
  const std::string text = text_of(nodes);
  SnapshotReader in(text);
  TreeNodes read(1);
  read.read(in, 10);
  ASSERT_TRUE(in.finish().ok());
  EXPECT_EQ(text_of(read), text);
  EXPECT_EQ(read.find(103), NodeIndex{3});
  EXPECT_EQ(read[3].parents, (std::vector<NodeIndex>{1, 2}));
  EXPECT_EQ(read[3].creator, NodeIndex{1});
  EXPECT_TRUE(read.is_acyclic());
}

TEST(TreeNodes, NoticeACircle) {
  TreeNodes nodes = diamond();
  nodes.reveal(3, 9, 1);
  EXPECT_FALSE(nodes.is_acyclic());
}

}  // namespace
}  // namespace cambium::search
