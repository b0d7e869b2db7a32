#include "store/study_merge.h"

#include <gtest/gtest.h>

#include "store/study_testing.h"

namespace cambium::store {
namespace {

// A study of one machine: candidates from `first` on, costs of all, times of some.
StudyStore study_of(const std::string& path, std::uint64_t first, std::uint64_t count) {
  StudyStore store = opened_study(path);
  EXPECT_TRUE(store.set_head(study_head()).ok());
  for (std::uint64_t i = first; i < first + count; ++i) {
    EXPECT_TRUE(store.add(candidate_number(i)).ok());
    EXPECT_TRUE(store.add(evaluation_number(i, "cost")).ok());
    EXPECT_TRUE(store.add(evaluation_number(i, "accuracy"), {artifact_number(i, "weights")}).ok());
  }
  return store;
}

TEST(StudyMerge, TakesEverythingIntoAnEmptyStudy) {
  const ScratchFolder folder;
  StudyStore from = study_of(folder / "from.db", 0, 600);
  ASSERT_TRUE(from.add(refused_evaluation(3, "proxy", "NotPromising")).ok());
  ASSERT_TRUE(from.add(pending_evaluation(4, "latency", 0.5)).ok());
  ASSERT_TRUE(from.set_state("tree-1", {600, "tree"}).ok());
  StudyStore to = opened_study(folder / "to.db");
  const auto merged = to.merge(folder / "from.db");
  ASSERT_TRUE(merged.ok()) << merged.rejection().message();
  EXPECT_EQ(merged->candidates, 600);
  EXPECT_EQ(merged->evaluations, 1202);
  EXPECT_EQ(whole(to), whole(from));
  EXPECT_EQ(*to.head(), *from.head());
  EXPECT_EQ(*to.state("tree-1"), (SearchState{600, "tree"}));
  EXPECT_EQ(*to.artifact(candidate_number(7).identity, "weights"), artifact_number(7, "weights"));
  EXPECT_EQ(to.pending("")->size(), 1U);
  EXPECT_EQ(to.rejections()->size(), 1U);
}

TEST(StudyMerge, JoinsTwoMachinesWithoutLossOrDuplicatesInEitherDirection) {
  const ScratchFolder folder;
  StudyStore one = study_of(folder / "one.db", 0, 30);
  StudyStore two = study_of(folder / "two.db", 20, 30);
  // The same candidate was timed on both.
  Evaluation here = evaluation_number(25, "latency"), there = here;
  there.key.machine = fingerprint_of("there");
  there.host = "there";
  ASSERT_TRUE(one.add(here).ok());
  ASSERT_TRUE(two.add(there).ok());
  const auto first = one.merge(folder / "two.db");
  ASSERT_TRUE(first.ok()) << first.rejection().message();
  EXPECT_EQ(first->candidates, 20);
  EXPECT_EQ(first->evaluations, 41);
  const auto again = one.merge(folder / "two.db");
  EXPECT_EQ(again->candidates, 0);
  EXPECT_EQ(again->evaluations, 0);
  const auto back = two.merge(folder / "one.db");
  EXPECT_EQ(back->candidates, 20);
  EXPECT_EQ(back->evaluations, 41);
  for (StudyStore* store : {&one, &two}) {
    const WholeStudy all = whole(*store);
    EXPECT_EQ(all.candidates.size(), 50U);
    EXPECT_EQ(all.evaluations.size(), 102U);
    EXPECT_EQ(*store->evaluation(here.key), here);
    EXPECT_EQ(*store->evaluation(there.key), there);
  }
}

TEST(StudyMerge, CompletesWhatIsPendingHereAndDoneThere) {
  const ScratchFolder folder;
  StudyStore server = study_of(folder / "server.db", 0, 10);
  StudyStore laptop = study_of(folder / "laptop.db", 0, 10);
  for (std::uint64_t i = 0; i < 10; ++i) {
    ASSERT_TRUE(server.add(pending_evaluation(i, "latency", 0.5)).ok());
    ASSERT_TRUE(laptop.add(evaluation_number(i, "latency"), {artifact_number(i, "so")}).ok());
  }
  // Whoever is asked: done is what stays.
  EXPECT_EQ(laptop.merge(folder / "server.db")->evaluations, 0);
  EXPECT_EQ(server.merge(folder / "laptop.db")->evaluations, 10);
  EXPECT_TRUE(server.pending("")->empty());
  EXPECT_EQ(whole(server), whole(laptop));
  EXPECT_EQ(*server.artifact(candidate_number(3).identity, "so"), artifact_number(3, "so"));
}

TEST(StudyMerge, KeepsTheSearchThatIsFarther) {
  const ScratchFolder folder;
  StudyStore one = study_of(folder / "one.db", 0, 1);
  StudyStore two = study_of(folder / "two.db", 0, 1);
  ASSERT_TRUE(one.set_state("a", {10, "one"}).ok());
  ASSERT_TRUE(two.set_state("a", {20, "two"}).ok());
  ASSERT_TRUE(one.set_state("b", {20, "one"}).ok());
  ASSERT_TRUE(two.set_state("b", {10, "two"}).ok());
  ASSERT_TRUE(one.merge(folder / "two.db").ok());
  EXPECT_EQ(*one.state("a"), (SearchState{20, "two"}));
  EXPECT_EQ(*one.state("b"), (SearchState{20, "one"}));
}

TEST(StudyMerge, TakesWhatHasACurveAndFilesForWhatHasNone) {
  const ScratchFolder folder;
  StudyStore bare = opened_study(folder / "bare.db"), rich = opened_study(folder / "rich.db");
  Evaluation evaluation = evaluation_number(1, "accuracy");
  for (StudyStore* store : {&bare, &rich}) {
    ASSERT_TRUE(store->set_head(study_head()).ok());
    ASSERT_TRUE(store->add(candidate_number(1)).ok());
  }
  ASSERT_TRUE(rich.add(evaluation, {artifact_number(1, "weights")}).ok());
  Evaluation without = evaluation;
  without.curve.clear();
  ASSERT_TRUE(bare.add(without).ok());
  EXPECT_EQ(rich.merge(folder / "bare.db")->evaluations, 0);
  EXPECT_EQ(bare.merge(folder / "rich.db")->evaluations, 1);
  EXPECT_EQ(bare.merge(folder / "rich.db")->evaluations, 0);
  for (StudyStore* store : {&bare, &rich}) {
    EXPECT_EQ(*store->evaluation(evaluation.key), evaluation);
    EXPECT_EQ(*store->artifact(candidate_number(1).identity, "weights"),
              artifact_number(1, "weights"));
  }
}

TEST(StudyMerge, BringsTheOptionsOfSearches) {
  const ScratchFolder folder;
  StudyStore one = study_of(folder / "one.db", 0, 1);
  StudyStore two = study_of(folder / "two.db", 0, 1);
  ASSERT_TRUE(one.set_options("a", "one").ok());
  ASSERT_TRUE(two.set_options("a", "two").ok());
  ASSERT_TRUE(two.set_options("b", "begun").ok());
  ASSERT_TRUE(one.merge(folder / "two.db").ok());
  EXPECT_EQ(*one.options("a"), "one") << "the first stay";
  EXPECT_EQ(*one.options("b"), "begun");
  EXPECT_EQ(*one.state("b"), std::nullopt) << "it has only begun";
  EXPECT_EQ(*one.searches(), (std::vector<std::string>{"a", "b"}));
}

TEST(StudyMerge, RefusesAStudyOfAnotherModelAndTakesNothing) {
  const ScratchFolder folder;
  StudyStore one = study_of(folder / "one.db", 0, 3);
  StudyStore two = opened_study(folder / "two.db");
  StudyHead head = study_head();
  head.base = fingerprint_of("another");
  head.model = "vgg";
  ASSERT_TRUE(two.set_head(head).ok());
  ASSERT_TRUE(two.add(candidate_number(77)).ok());
  const auto merged = one.merge(folder / "two.db");
  ASSERT_FALSE(merged.ok());
  EXPECT_EQ(merged.rejection().reason(), Reason::StudyDiffers);
  EXPECT_NE(merged.rejection().message().find("vgg"), std::string::npos);
  EXPECT_EQ(*one.count_candidates(), 3);
  EXPECT_TRUE(one.add(candidate_number(5)).ok());
}

TEST(StudyMerge, RefusesWhatIsNoStudyOrNotThere) {
  const ScratchFolder folder;
  StudyStore one = study_of(folder / "one.db", 0, 3);
  EXPECT_EQ(one.merge(folder / "none.db").rejection().reason(), Reason::NotFound);
  ASSERT_TRUE(Connection::open(folder / "other.db")->execute("CREATE TABLE mails(x)").ok());
  EXPECT_EQ(one.merge(folder / "other.db").rejection().reason(), Reason::NotADatabase);
}

TEST(StudyMerge, OfAStudyWithItselfChangesNothing) {
  const ScratchFolder folder;
  StudyStore one = study_of(folder / "one.db", 0, 300);
  const auto merged = one.merge(folder / "one.db");
  ASSERT_TRUE(merged.ok()) << merged.rejection().message();
  EXPECT_EQ(merged->candidates + merged->evaluations, 0);
  EXPECT_EQ(whole(one).evaluations.size(), 600U);
}

}  // namespace
}  // namespace cambium::store
