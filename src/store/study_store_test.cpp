#include "store/study_store.h"

#include <cctype>
#include <cmath>
#include <limits>
#include <thread>

#include <gtest/gtest.h>

#include "base/file.h"
#include "store/schema.h"
#include "store/study_testing.h"
#include "store/tuning_store.h"

namespace cambium::store {
namespace {

template <class T>
void expect_refused(const Result<T>& result, Reason reason, const std::string& words) {
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.rejection().reason(), reason);
  EXPECT_NE(result.rejection().message().find(words), std::string::npos)
      << result.rejection().message();
}

TEST(StudyStore, KeepsCandidatesAsTheyAreInTheOrderInWhichTheyCame) {
  const ScratchFolder folder;
  const std::string path = folder / "study.db";
  std::vector<StudyCandidate> all;
  {
    StudyStore store = opened_study(path);
    for (std::uint64_t i = 0; i < 700; ++i) {  // several pages
      all.push_back(candidate_number(700 - i));
      ASSERT_EQ(*store.add(all.back()), true);
    }
  }
  StudyStore store = opened_study(path);
  EXPECT_EQ(whole(store).candidates, all);
  EXPECT_EQ(*store.count_candidates(), 700);
  EXPECT_EQ(*store.candidate(all[5].identity), all[5]);
  EXPECT_EQ(*store.candidate(fingerprint_of("other")), std::nullopt);
}

TEST(StudyStore, KeepsTheFirstWordOnACandidate) {
  const ScratchFolder folder;
  StudyStore store = opened_study(folder / "study.db");
  ASSERT_EQ(*store.add(candidate_number(1)), true);
  StudyCandidate again = candidate_number(1);
  again.search = "random-2";
  again.ticket = 17;
  EXPECT_EQ(*store.add(again), false);
  EXPECT_EQ(*store.candidate(again.identity), candidate_number(1));
  // But for what people call it.
  ASSERT_TRUE(store.set_title(again.identity, "by another name").ok());
  EXPECT_EQ(store.candidate(again.identity)->value().title, "by another name");
}

TEST(StudyStore, EndsWhereTheReaderHasEnoughAndLetsItUseTheStore) {
  const ScratchFolder folder;
  StudyStore store = opened_study(folder / "study.db");
  for (std::uint64_t i = 0; i < 10; ++i) {
    ASSERT_TRUE(store.add(candidate_number(i)).ok());
    ASSERT_TRUE(store.add(evaluation_number(i, "cost")).ok());
  }
  int seen = 0;
  ASSERT_TRUE(store
                  .each_candidate([&](const StudyCandidate& candidate) {
                    EXPECT_EQ(store.evaluations(candidate.identity)->size(), 1U);
                    return ++seen < 3;
                  })
                  .ok());
  EXPECT_EQ(seen, 3);
  const Status read = store.each_evaluation([&](const Evaluation& evaluation) {
    Evaluation more = evaluation;
    more.key.evaluator = "proxy";
    EXPECT_TRUE(store.add(more).ok());
    return ++seen < 8;
  });
  ASSERT_TRUE(read.ok()) << read.rejection().message();
  EXPECT_EQ(seen, 8);
  EXPECT_EQ(whole(store).evaluations.size(), 15U);
}

TEST(StudyStore, FindsACandidateByTheFirstDigitsOfItsIdentity) {
  const ScratchFolder folder;
  StudyStore store = opened_study(folder / "study.db");
  for (std::uint64_t i = 0; i < 100; ++i) ASSERT_TRUE(store.add(candidate_number(i)).ok());
  const std::string name = candidate_number(42).identity.text();
  std::string upper = name.substr(0, 12);
  for (char& c : upper) c = static_cast<char>(std::toupper(c));
  for (const std::string& prefix : {name, name.substr(0, 10), upper}) {
    const auto found = store.candidate_named(prefix);
    ASSERT_TRUE(found.ok()) << found.rejection().message();
    EXPECT_EQ(*found, candidate_number(42));
  }
  expect_refused(store.candidate_named(name.substr(0, 1)), Reason::NoSuchCandidate, "several");
  for (const char* none :
       {"", "0123456789", "' OR 1=1", "zz", "abcdefabcdefabcdefabcdefabcdef012"}) {
    expect_refused(store.candidate_named(none), Reason::NoSuchCandidate, none);
  }
}

TEST(StudyStore, KeepsEvaluationsWithTheirValuesAndCurves) {
  const ScratchFolder folder;
  const std::string path = folder / "study.db";
  {
    StudyStore store = opened_study(path);
    for (std::uint64_t i = 0; i < 150; ++i) {
      ASSERT_TRUE(store.add(candidate_number(i)).ok());
      for (const char* evaluator : {"cost", "latency", "accuracy"}) {
        ASSERT_TRUE(store.add(evaluation_number(i, evaluator)).ok());
      }
    }
    ASSERT_TRUE(store.add(refused_evaluation(3, "proxy", "NotPromising")).ok());
    ASSERT_TRUE(store.add(pending_evaluation(4, "memory", 0.5)).ok());
  }
  StudyStore store = opened_study(path);
  EXPECT_EQ(*store.evaluation(key_of(9, "accuracy")), evaluation_number(9, "accuracy"));
  EXPECT_EQ(*store.evaluation(key_of(3, "proxy")), refused_evaluation(3, "proxy", "NotPromising"));
  EXPECT_EQ(*store.evaluation(key_of(4, "memory")), pending_evaluation(4, "memory", 0.5));
  EXPECT_EQ(*store.evaluation(key_of(5, "memory")), std::nullopt);
  EXPECT_EQ(*store.evaluations(candidate_number(3).identity),
            (std::vector{evaluation_number(3, "cost"), evaluation_number(3, "latency"),
                         evaluation_number(3, "accuracy"),
                         refused_evaluation(3, "proxy", "NotPromising")}));
  EXPECT_TRUE(store.evaluations(fingerprint_of("other"))->empty());

  std::size_t number = 0;
  ASSERT_TRUE(store
                  .each_evaluation([&](const Evaluation& evaluation) {
                    if (number < 450) {
                      static constexpr const char* kOrder[] = {"cost", "latency", "accuracy"};
                      Evaluation want = evaluation_number(number / 3, kOrder[number % 3]);
                      want.curve.clear();
                      EXPECT_EQ(evaluation, want) << number;
                    }
                    ++number;
                    return true;
                  })
                  .ok());
  EXPECT_EQ(number, 452U);
}

TEST(StudyStore, TellsEvaluationsApartByEveryPartOfTheirKey) {
  const ScratchFolder folder;
  StudyStore store = opened_study(folder / "study.db");
  ASSERT_TRUE(store.add(candidate_number(1)).ok());
  ASSERT_TRUE(store.add(candidate_number(2)).ok());
  std::vector<EvaluationKey> keys(7, key_of(1, "accuracy"));
  keys[1].candidate = candidate_number(2).identity;
  keys[2].version = "4";
  keys[3].options = "{}";
  keys[4].fidelity = 2.5000001;
  keys[5].seed = 7;
  keys[6].machine = fingerprint_of("elsewhere");
  for (std::size_t i = 0; i < keys.size(); ++i) {
    Evaluation evaluation = evaluation_number(i, "accuracy");
    evaluation.key = keys[i];
    ASSERT_TRUE(store.add(evaluation).ok());
  }
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto found = store.evaluation(keys[i]);
    ASSERT_TRUE(found->has_value()) << i;
    EXPECT_EQ((**found).values, evaluation_number(i, "accuracy").values) << i;
  }
}

TEST(StudyStore, KeepsNumbersThatAreNotFinite) {
  const ScratchFolder folder;
  StudyStore store = opened_study(folder / "study.db");
  ASSERT_TRUE(store.add(candidate_number(1)).ok());
  Evaluation diverged = evaluation_number(1, "accuracy");
  diverged.values["perplexity"].value = std::numeric_limits<double>::infinity();
  diverged.values["accuracy"].spread = std::nan("");
  diverged.curve[1].loss = std::nan("");
  const Status added = store.add(diverged);
  ASSERT_TRUE(added.ok()) << added.rejection().message();
  const Evaluation found = **store.evaluation(diverged.key);
  EXPECT_TRUE(std::isinf(found.values.at("perplexity").value));
  EXPECT_TRUE(std::isnan(found.values.at("accuracy").spread));
  EXPECT_TRUE(std::isnan(found.curve[1].loss));
}

TEST(StudyStore, RefusesAnEvaluationOfACandidateThatIsNotThere) {
  const ScratchFolder folder;
  StudyStore store = opened_study(folder / "study.db");
  expect_refused(store.add(evaluation_number(1, "cost")), Reason::NoSuchCandidate,
                 candidate_number(1).identity.text());
}

// What is there, what comes, and which of them is there then.
TEST(StudyStore, KeepsUnderAKeyWhatKnowsMostAndOfEqualsTheFirst) {
  const Evaluation done = evaluation_number(1, "latency");
  Evaluation other = done;
  other.values["latency"].value = 77;
  const Evaluation refused = refused_evaluation(1, "latency", "OverBudget");
  const Evaluation died = refused_evaluation(1, "latency", "WorkerDied");
  const Evaluation pending = pending_evaluation(1, "latency");
  const Evaluation estimated = pending_evaluation(1, "latency", 0.5);
  Evaluation estimated_later = estimated;
  estimated_later.values["latency"].value = 0.75;
  struct Case {
    Evaluation there, comes, stays;
  };
  const Case cases[] = {
      {done, other, done},
      {done, refused, done},
      {refused, done, refused},
      {done, died, done},
      {died, done, done},
      {died, refused, refused},
      {died, pending, died},
      {done, pending, done},
      {pending, done, done},
      {pending, refused, refused},
      {pending, died, died},
      {estimated, done, done},
      {pending, estimated, estimated},
      {estimated, pending, estimated},
      {estimated, estimated_later, estimated},
  };
  int number = 0;
  for (const Case& c : cases) {
    const ScratchFolder folder;
    StudyStore store = opened_study(folder / "study.db");
    ASSERT_TRUE(store.add(candidate_number(1)).ok());
    ASSERT_TRUE(store.add(c.there).ok());
    ASSERT_TRUE(store.add(c.comes).ok());
    EXPECT_EQ(*store.evaluations(candidate_number(1).identity), std::vector{c.stays})
        << "case " << number++;
  }
}

TEST(StudyStore, NamesWhatIsPendingUntilItIsDone) {
  const ScratchFolder folder;
  StudyStore store = opened_study(folder / "study.db");
  for (std::uint64_t i = 0; i < 4; ++i) {
    ASSERT_TRUE(store.add(candidate_number(i)).ok());
    ASSERT_TRUE(store.add(pending_evaluation(i, "latency")).ok());
    ASSERT_TRUE(store.add(evaluation_number(i, "cost")).ok());
  }
  ASSERT_TRUE(store.add(pending_evaluation(2, "accuracy")).ok());
  ASSERT_TRUE(store.add(evaluation_number(1, "latency")).ok());
  EXPECT_EQ(*store.pending("latency"),
            (std::vector{key_of(0, "latency"), key_of(2, "latency"), key_of(3, "latency")}));
  EXPECT_EQ(*store.pending("accuracy"), std::vector{key_of(2, "accuracy")});
  EXPECT_EQ(store.pending("")->size(), 4U);
  EXPECT_TRUE(store.pending("cost")->empty());
  // Whoever was absent could not know the version and the machine of the one that answers.
  Evaluation elsewhere = evaluation_number(3, "latency");
  elsewhere.key.version = "another";
  elsewhere.key.machine = fingerprint_of("another machine");
  ASSERT_TRUE(store.add(elsewhere).ok());
  EXPECT_EQ(*store.pending("latency"), (std::vector{key_of(0, "latency"), key_of(2, "latency")}));
}

TEST(StudyStore, GivesTheArtifactOfTheEvaluationThatWentFarthest) {
  const ScratchFolder folder;
  StudyStore store = opened_study(folder / "study.db");
  ASSERT_TRUE(store.add(candidate_number(1)).ok());
  const Fingerprint candidate = candidate_number(1).identity;
  EXPECT_EQ(*store.artifact(candidate, "weights"), std::nullopt);
  const auto add = [&](double fidelity, std::uint64_t seed, std::uint64_t artifact) {
    Evaluation evaluation = evaluation_number(1, "accuracy");
    evaluation.key.fidelity = fidelity;
    evaluation.key.seed = seed;
    return store
        .add(evaluation, {artifact_number(artifact, "weights"), artifact_number(9, "log.txt")})
        .ok();
  };
  ASSERT_TRUE(add(20, 2, 2));
  ASSERT_TRUE(add(20, 1, 1));
  ASSERT_TRUE(add(20, ~std::uint64_t{0}, 4));
  ASSERT_TRUE(add(3, 0, 3));
  EXPECT_EQ(*store.artifact(candidate, "weights"), artifact_number(1, "weights"));
  EXPECT_EQ(*store.artifact(candidate, "drawing.dot"), std::nullopt);
  EXPECT_EQ(*store.artifact(fingerprint_of("other"), "weights"), std::nullopt);
  // Known already: its artifacts are not taken either.
  ASSERT_TRUE(add(20, 1, 7));
  EXPECT_EQ(*store.artifact(candidate, "weights"), artifact_number(1, "weights"));
}

TEST(StudyStore, KeepsAnEmptyArtifactAndOneOfManyPages) {
  const ScratchFolder folder;
  StudyStore store = opened_study(folder / "study.db");
  ASSERT_TRUE(store.add(candidate_number(1)).ok());
  Artifact large{"weights", std::vector<std::byte>(3'000'001, std::byte{7})};
  large.bytes.back() = std::byte{9};
  ASSERT_TRUE(store.add(evaluation_number(1, "accuracy"), {large, {"empty", {}}}).ok());
  EXPECT_EQ(*store.artifact(candidate_number(1).identity, "weights"), large);
  EXPECT_EQ(*store.artifact(candidate_number(1).identity, "empty"), (Artifact{"empty", {}}));
}

TEST(StudyStore, AddsAnEvaluationWithAllOfItsArtifactsOrNotAtAll) {
  const ScratchFolder folder;
  StudyStore store = opened_study(folder / "study.db");
  ASSERT_TRUE(store.add(candidate_number(1)).ok());
  const Artifact twice = artifact_number(1, "weights");
  expect_refused(store.add(evaluation_number(1, "accuracy"), {twice, twice}),
                 Reason::DatabaseFailed, "study.db");
  EXPECT_EQ(*store.evaluation(key_of(1, "accuracy")), std::nullopt);
  EXPECT_EQ(*store.artifact(candidate_number(1).identity, "weights"), std::nullopt);
  ASSERT_TRUE(store.add(evaluation_number(1, "accuracy"), {twice}).ok());
}

TEST(StudyStore, DropsTheArtifactsOfWhatIsReplaced) {
  const ScratchFolder folder;
  StudyStore store = opened_study(folder / "study.db");
  ASSERT_TRUE(store.add(candidate_number(1)).ok());
  ASSERT_TRUE(
      store.add(refused_evaluation(1, "accuracy", "WorkerDied"), {artifact_number(1, "log.txt")})
          .ok());
  ASSERT_TRUE(store.add(evaluation_number(1, "accuracy"), {artifact_number(2, "weights")}).ok());
  EXPECT_EQ(*store.artifact(candidate_number(1).identity, "log.txt"), std::nullopt);
  EXPECT_EQ(*store.artifact(candidate_number(1).identity, "weights"),
            artifact_number(2, "weights"));
}

// ---- searches that share a study

TEST(StudyStore, GivesAnEvaluationToOneOfSeveralUntilItIsThere) {
  const ScratchFolder folder;
  StudyStore one = opened_study(folder / "study.db"), two = opened_study(folder / "study.db");
  ASSERT_TRUE(one.add(candidate_number(1)).ok());
  const EvaluationKey key = key_of(1, "accuracy");
  EXPECT_EQ(one.claim(key, "one", 0, 10)->owner, "one");
  EXPECT_EQ(two.claim(key, "two", 5, 15)->owner, "one");
  EXPECT_EQ(one.claim(key, "one", 5, 10)->owner, "one") << "it may ask again";
  EvaluationKey other = key;
  other.seed = 2;
  EXPECT_EQ(two.claim(other, "two", 5, 15)->owner, "two") << "another seed is another evaluation";
  ASSERT_TRUE(one.add(evaluation_number(1, "accuracy")).ok());
  EXPECT_TRUE(two.claim(key, "two", 5, 15)->is_answered);
  EXPECT_EQ(two.claim(key_of(7, "accuracy"), "two", 5, 15).rejection().reason(),
            Reason::NoSuchCandidate);
}

TEST(StudyStore, WaitsForNobodyWhoDoesNotRenewItsClaims) {
  const ScratchFolder folder;
  StudyStore store = opened_study(folder / "study.db");
  ASSERT_TRUE(store.add(candidate_number(1)).ok());
  const EvaluationKey key = key_of(1, "accuracy");
  ASSERT_EQ(store.claim(key, "one", 0, 10)->owner, "one");
  ASSERT_TRUE(store.renew_claims("one", 20).ok());
  EXPECT_EQ(store.claim(key, "two", 15, 25)->owner, "one");
  EXPECT_EQ(store.claim(key, "two", 21, 31)->owner, "two");
  ASSERT_TRUE(store.let_go("two").ok());
  EXPECT_EQ(store.claim(key, "three", 22, 32)->owner, "three");
}

TEST(StudyStore, ADeathMayBeClaimedAgain) {
  const ScratchFolder folder;
  StudyStore store = opened_study(folder / "study.db");
  ASSERT_TRUE(store.add(candidate_number(1)).ok());
  ASSERT_TRUE(store.add(refused_evaluation(1, "accuracy", "WorkerDied")).ok());
  EXPECT_EQ(store.claim(key_of(1, "accuracy"), "one", 0, 10)->owner, "one");
  ASSERT_TRUE(store.add(refused_evaluation(1, "accuracy", "WorkerDied")).ok());
  EXPECT_EQ(store.claim(key_of(1, "accuracy"), "two", 5, 15)->owner, "two") << "its end came again";
}

TEST(StudyStore, KeepsTheOptionsOfEachSearch) {
  const ScratchFolder folder;
  StudyStore store = opened_study(folder / "study.db");
  EXPECT_EQ(*store.options("a"), std::nullopt);
  ASSERT_TRUE(store.set_options("b", "{}").ok());
  ASSERT_TRUE(store.set_options("a", R"({"x": 1})").ok());
  EXPECT_EQ(*store.state("a"), std::nullopt);
  ASSERT_TRUE(store.set_state("a", {3, "state"}).ok());
  ASSERT_TRUE(store.set_options("a", R"({"x": 2})").ok());
  EXPECT_EQ(*store.options("a"), R"({"x": 2})");
  EXPECT_EQ(*store.state("a"), (SearchState{3, "state"}));
  EXPECT_EQ(*store.searches(), (std::vector<std::string>{"b", "a"}));
}

TEST(StudyStore, BringsAFileOfTheFirstVersionUpToDate) {
  const ScratchFolder folder;
  {
    auto db = Connection::open(folder / "study.db");
    Schema first = study_schema();
    first.versions = first.versions.first(1);
    ASSERT_TRUE(db.ok() && prepare(*db, first).ok());
    ASSERT_TRUE(
        db->execute("INSERT INTO searches(name, folded, state) VALUES('old', 4, 'tree')").ok());
  }
  StudyStore store = opened_study(folder / "study.db");
  EXPECT_EQ(*store.state("old"), (SearchState{4, "tree"}));
  EXPECT_EQ(*store.options("old"), std::nullopt);
  ASSERT_TRUE(store.add(candidate_number(1)).ok());
  EXPECT_EQ(store.claim(key_of(1, "cost"), "one", 0, 1)->owner, "one");
}

TEST(StudyStore, IsOfOneModelAndOneDataSet) {
  const ScratchFolder folder;
  StudyStore store = opened_study(folder / "study.db");
  EXPECT_EQ(*store.head(), std::nullopt);
  ASSERT_TRUE(store.set_head(study_head()).ok());
  StudyHead head = study_head();
  head.options = "{}";
  head.commit = "other";
  head.model = "renamed";
  EXPECT_TRUE(store.set_head(head).ok());
  EXPECT_EQ(*store.head(), study_head());
  head = study_head();
  head.base = fingerprint_of("another");
  expect_refused(store.set_head(head), Reason::StudyDiffers, head.base.text().substr(0, 8));
  head = study_head();
  head.data = "cifar10";
  expect_refused(store.set_head(head), Reason::StudyDiffers,
                 "data 'fashion-mnist', not of model 'tiny-resnet'");
  EXPECT_EQ(*store.head(), study_head());
}

TEST(StudyStore, KeepsTheNewestStateOfEachSearch) {
  const ScratchFolder folder;
  const std::string path = folder / "study.db";
  {
    StudyStore store = opened_study(path);
    EXPECT_EQ(*store.state("tree-1"), std::nullopt);
    ASSERT_TRUE(store.set_state("tree-1", {100, "a"}).ok());
    ASSERT_TRUE(store.set_state("tree-1", {200, "b"}).ok());
    ASSERT_TRUE(store.set_state("random-2", {50, std::string(100'000, 'x')}).ok());
    ASSERT_TRUE(store.set_state("tree-1", {150, "late"}).ok());
  }
  StudyStore store = opened_study(path);
  EXPECT_EQ(*store.state("tree-1"), (SearchState{200, "b"}));
  EXPECT_EQ(store.state("random-2")->value().state.size(), 100'000U);
}

TEST(StudyStore, CountsRejectionsByReasonTheMostFrequentFirst) {
  const ScratchFolder folder;
  StudyStore store = opened_study(folder / "study.db");
  EXPECT_TRUE(store.rejections()->empty());
  for (std::uint64_t i = 0; i < 12; ++i) {
    ASSERT_TRUE(store.add(candidate_number(i)).ok());
    ASSERT_TRUE(
        store
            .add(i < 5 ? refused_evaluation(i, "cost", "OverBudget") : evaluation_number(i, "cost"))
            .ok());
    ASSERT_TRUE(
        store.add(refused_evaluation(i, "proxy", i < 4 ? "OverBudget" : "NotPromising")).ok());
  }
  const auto counts = *store.rejections();
  ASSERT_EQ(counts.size(), 3U);
  EXPECT_EQ(counts[0].reason, "NotPromising");
  EXPECT_EQ(counts[0].evaluator, "proxy");
  EXPECT_EQ(counts[0].count, 8);
  EXPECT_EQ(counts[0].example, "of candidate 4");
  EXPECT_EQ(counts[1].evaluator, "cost");
  EXPECT_EQ(counts[1].count, 5);
  EXPECT_EQ(counts[2].count, 4);
}

TEST(StudyStore, TakesAdditionsOfSeveralHandlesAtOnce) {
  const ScratchFolder folder;
  const std::string path = folder / "study.db";
  std::vector<std::thread> threads;
  for (std::uint64_t t = 0; t < 4; ++t) {
    threads.emplace_back([&path, t] {
      StudyStore store = opened_study(path);  // all four may be the one that makes the file
      EXPECT_TRUE(store.set_head(study_head()).ok());
      for (std::uint64_t i = 0; i < 40; ++i) {
        const std::uint64_t number = t < 2 ? i : t * 1000 + i;
        EXPECT_TRUE(store.add(candidate_number(number)).ok());
        const Status added = store.add(evaluation_number(number, "accuracy"));
        EXPECT_TRUE(added.ok()) << added.rejection().message();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  StudyStore store = opened_study(path);
  EXPECT_EQ(*store.count_candidates(), 120);
  EXPECT_EQ(whole(store).evaluations.size(), 120U);
}

// ---- files

TEST(StudyFile, IsMadeWhereThereIsNoneOnlyIfAsked) {
  const ScratchFolder folder;
  const std::string path = folder / "study.db";
  expect_refused(StudyStore::open(path, StudyStore::Mode::Open), Reason::NotFound, path);
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_TRUE(StudyStore::open(path, StudyStore::Mode::Make).ok());
  EXPECT_TRUE(StudyStore::open(path, StudyStore::Mode::Open).ok());
}

TEST(StudyFile, IsNoTuningDatabaseAndATuningDatabaseIsNoStudy) {
  const ScratchFolder folder;
  const std::string study = folder / "study.db", tuning = folder / "tuning.db";
  opened_study(study);
  ASSERT_TRUE(TuningStore::open(tuning).ok());
  expect_refused(StudyStore::open(tuning), Reason::NotADatabase,
                 "holds tuning records, not a study");
  expect_refused(TuningStore::open(study), Reason::NotADatabase,
                 "holds a study, not tuning records");
  EXPECT_TRUE(TuningStore::open(tuning).ok());
  EXPECT_TRUE(StudyStore::open(study).ok());
}

TEST(StudyFile, OfANewerVersionIsRefused) {
  const ScratchFolder folder;
  const std::string path = folder / "study.db";
  opened_study(path);
  const auto newer = static_cast<int>(study_schema().versions.size()) + 1;
  ASSERT_TRUE(Connection::open(path)
                  ->execute(("PRAGMA user_version=" + std::to_string(newer)).c_str())
                  .ok());
  expect_refused(StudyStore::open(path), Reason::NewerDatabase, "version " + std::to_string(newer));
}

TEST(StudyFile, ThatIsSomethingElseIsRefusedAndLeftAsItIs) {
  const ScratchFolder folder;
  const std::string path = folder / "notes.txt";
  const std::string content(5000, 'n');
  ASSERT_TRUE(write_file(path, content).ok());
  expect_refused(StudyStore::open(path), Reason::NotADatabase, "notes.txt");
  EXPECT_EQ(*read_file(path), content);
}

TEST(StudyFile, ThatIsCutOffIsRefusedWhereItIsRead) {
  const ScratchFolder folder;
  const std::string path = folder / "study.db";
  {
    StudyStore store = opened_study(path);
    for (std::uint64_t i = 0; i < 300; ++i) ASSERT_TRUE(store.add(candidate_number(i)).ok());
  }
  const std::string content = *read_file(path);
  ASSERT_TRUE(write_file(path, std::string_view(content).substr(0, content.size() / 2)).ok());
  expect_refused(StudyStore::open(path), Reason::DatabaseFailed, ".recover");
}

}  // namespace
}  // namespace cambium::store
