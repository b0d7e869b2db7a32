#include "store/study_lines.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <schema.h>  // of tests/cli

#include "base/file.h"
#include "base/json.h"
#include "store/study_testing.h"

namespace cambium::store {
namespace {

std::vector<std::string> lines_of(StudyStore& store) {
  std::vector<std::string> lines;
  const Status done = store.export_lines([&lines](const std::string& line) -> Status {
    lines.push_back(line);
    return Ok{};
  });
  CAMBIUM_CHECK(done.ok(), done.rejection().message());
  return lines;
}

Result<StudyStore::Merged> import_to(StudyStore& store, const std::vector<std::string>& lines) {
  std::size_t next = 0;
  return store.import_lines([&]() -> std::optional<std::string> {
    if (next == lines.size()) return std::nullopt;
    return lines[next++];
  });
}

// A study with something of everything.
StudyStore varied_study(const std::string& path) {
  StudyStore store = opened_study(path);
  EXPECT_TRUE(store.set_head(study_head()).ok());
  for (std::uint64_t i = 0; i < 300; ++i) {
    EXPECT_TRUE(store.add(candidate_number(i)).ok());
    EXPECT_TRUE(store.add(evaluation_number(i, "accuracy")).ok());
  }
  EXPECT_TRUE(store.add(refused_evaluation(1, "cost", "OverBudget")).ok());
  EXPECT_TRUE(store.add(pending_evaluation(2, "latency", 0.5)).ok());
  EXPECT_TRUE(store.set_state("tree-1", {17, "{\"visits\": 3}"}).ok());
  return store;
}

TEST(StudyLines, FitTheirSchemaAndComeBackEqual) {
  const auto schema =
      parse_json(read_file(CAMBIUM_SOURCE_DIR "/docs/schema/study_record.json").value());
  ASSERT_TRUE(schema.ok()) << schema.rejection().message();
  Evaluation infinite = evaluation_number(5, "accuracy");
  infinite.values["perplexity"].value = std::numeric_limits<double>::infinity();
  infinite.curve[0].loss = -std::numeric_limits<double>::infinity();
  for (const StudyRecord& record :
       {StudyRecord(study_head()), StudyRecord(candidate_number(0)),
        StudyRecord(candidate_number(1)), StudyRecord(evaluation_number(1, "accuracy")),
        StudyRecord(refused_evaluation(2, "cost", "OverBudget")),
        StudyRecord(pending_evaluation(3, "latency", 0.1)), StudyRecord(infinite),
        StudyRecord(NamedSearch{"tree-1", {3, "line\nbreak"}}),
        StudyRecord(NamedSearch{"tree-2", {}, "{\"seed\": 2}"})}) {
    const std::string line = study_line(record);
    EXPECT_EQ(line.find('\n'), std::string::npos);
    EXPECT_EQ(tests::misfit(*parse_json(line), *schema), "") << line;
    const auto again = parse_study_line(line, 1);
    ASSERT_TRUE(again.ok()) << again.rejection().message();
    EXPECT_EQ(*again, record) << line;
  }
}

TEST(StudyLines, CarryALossThatIsNoNumber) {
  Evaluation diverged = evaluation_number(1, "accuracy");
  diverged.curve[1].loss = std::nan("");
  const auto again = parse_study_line(study_line(diverged), 1);
  ASSERT_TRUE(again.ok()) << again.rejection().message();
  EXPECT_TRUE(std::isnan(std::get<Evaluation>(*again).curve[1].loss));
}

TEST(StudyLines, RefuseWhatIsNoRecordWithItsNumber) {
  std::vector<nlohmann::json> bad = {nlohmann::json(3), nlohmann::json::object()};
  const auto change = [&](const StudyRecord& record, const std::string& pointer,
                          const nlohmann::json& value) {
    bad.push_back(*parse_json(study_line(record)));
    bad.back()[nlohmann::json::json_pointer(pointer)] = value;
  };
  const Evaluation training = evaluation_number(1, "accuracy");
  change(study_head(), "/document", "cambium.tuning_record");
  change(study_head(), "/version", 2);
  change(study_head(), "/study/base", "xyz");
  change(candidate_number(1), "/candidate", 3);
  change(candidate_number(1), "/candidate/parent", "xyz");
  change(candidate_number(1), "/candidate/seed", -1);
  change(candidate_number(1), "/candidate/ticket", 1.5);
  change(training, "/evaluation/state", "guessed");
  change(training, "/evaluation/fidelity", "nan");
  change(training, "/evaluation/fidelity", -1);
  change(training, "/evaluation/values", nlohmann::json::array());
  change(training, "/evaluation/values/accuracy", 0.5);
  change(training, "/evaluation/values/accuracy/value", "much");
  change(training, "/evaluation/values/accuracy/is_estimate", 1);
  change(training, "/evaluation/curve", "none");
  change(training, "/evaluation/curve/0", 7);
  change(training, "/evaluation/curve/0/loss", nullptr);
  change(NamedSearch{"a", {3, "b"}}, "/search/folded", "3");
  change(NamedSearch{"a", {3, "b"}, "{}"}, "/search/options", 3);
  for (const StudyRecord& record :
       {StudyRecord(study_head()), StudyRecord(candidate_number(1)), StudyRecord(training),
        StudyRecord(NamedSearch{"a", {3, "b"}})}) {
    const nlohmann::json good = *parse_json(study_line(record));
    for (const auto& kind : good.items()) {
      if (!kind.value().is_object()) continue;
      for (const auto& member : kind.value().items()) {
        bad.push_back(good);
        bad.back()[kind.key()].erase(member.key());
      }
      bad.push_back(good);
      bad.back().erase(kind.key());
    }
  }
  for (const nlohmann::json& line : bad) {
    const auto record = parse_study_line(json_text(line), 17);
    ASSERT_FALSE(record.ok()) << line;
    EXPECT_EQ(record.rejection().reason(), Reason::BadRecord);
    EXPECT_EQ(record.rejection().message().rfind("line 17: ", 0), 0U)
        << record.rejection().message();
  }
  EXPECT_GT(bad.size(), 50U);
  EXPECT_FALSE(parse_study_line("{\"document\": ", 1).ok());
}

TEST(StudyLines, BringAStudyIntoAnotherFile) {
  const ScratchFolder folder;
  StudyStore from = varied_study(folder / "from.db");
  StudyStore to = opened_study(folder / "to.db");
  const auto merged = import_to(to, lines_of(from));
  ASSERT_TRUE(merged.ok()) << merged.rejection().message();
  EXPECT_EQ(merged->candidates, 300);
  EXPECT_EQ(merged->evaluations, 302);
  EXPECT_EQ(whole(to), whole(from));
  EXPECT_EQ(lines_of(to), lines_of(from));
  const auto again = import_to(to, lines_of(from));
  EXPECT_EQ(again->candidates + again->evaluations, 0);
  EXPECT_EQ(lines_of(to), lines_of(from));
}

TEST(StudyLines, LeaveTheFileAsItWasWhenOneIsBad) {
  const ScratchFolder folder;
  StudyStore from = varied_study(folder / "from.db");
  StudyStore to = opened_study(folder / "to.db");
  std::vector<std::string> lines = lines_of(from);
  lines[400] = lines[400].substr(0, lines[400].size() / 2);
  auto imported = import_to(to, lines);
  ASSERT_FALSE(imported.ok());
  EXPECT_EQ(imported.rejection().reason(), Reason::BadRecord);
  EXPECT_EQ(imported.rejection().number(0), 401);
  EXPECT_TRUE(lines_of(to).empty());
  // An evaluation before its candidate.
  imported = import_to(to, {"", study_line(evaluation_number(1, "cost"))});
  ASSERT_FALSE(imported.ok());
  EXPECT_EQ(imported.rejection().reason(), Reason::BadRecord);
  EXPECT_EQ(imported.rejection().number(0), 2);
  StudyHead other = study_head();
  other.data = "cifar10";
  ASSERT_TRUE(to.set_head(other).ok());
  imported = import_to(to, lines_of(from));
  ASSERT_FALSE(imported.ok());
  EXPECT_EQ(imported.rejection().reason(), Reason::StudyDiffers);
  EXPECT_EQ(*to.count_candidates(), 0);
}

TEST(StudyLines, EndWhereTheWriterRefuses) {
  const ScratchFolder folder;
  StudyStore store = varied_study(folder / "study.db");
  int written = 0;
  const Status done = store.export_lines([&written](const std::string&) -> Status {
    if (++written == 5) return Rejection(Reason::Unwritable, "out", "the disk is full");
    return Ok{};
  });
  EXPECT_FALSE(done.ok());
  EXPECT_EQ(written, 5);
  EXPECT_TRUE(store.add(candidate_number(1000)).ok());
}

}  // namespace
}  // namespace cambium::store
