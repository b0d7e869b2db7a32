#include "report/report.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/scratch_folder_testing.h"
#include "report/assets.h"
#include "report/files.h"
#include "report/page_parts.h"
#include "report/report_testing.h"

namespace cambium::report {
namespace {

namespace fs = std::filesystem;

class Report : public ::testing::Test {
 protected:
  void SetUp() override {
    if (kVega.empty()) GTEST_SKIP() << "built without Vega (package libjs-vega)";
  }
  void write(const ReportOptions& options = sample_options("my study.db")) {
    const auto written = write_report(study_, site_, options);
    ASSERT_TRUE(written.ok()) << written.rejection().message();
  }
  std::string text(const std::string& file) const {
    auto content = read_file(site_ + "/" + file);
    CAMBIUM_CHECK(content.ok(), content.rejection().message());
    return *content;
  }
  static std::string page_of(const store::StudyCandidate& candidate) {
    return "c/" + candidate.identity.text().substr(0, 16) + ".html";
  }

  ScratchFolder folder_;
  std::string site_ = folder_ / "site";
  store::StudyStore study_ = *store::StudyStore::open(folder_ / "study.db");
  SampleStudy sample_{study_, 1};
};

TEST_F(Report, OfAnEmptyStudyIsAPageThatSaysSo) {
  write();
  const std::string index = text("index.html");
  EXPECT_NE(index.find("0 candidates"), std::string::npos);
  EXPECT_NE(index.find("Nothing was evaluated yet"), std::string::npos);
}

// The best is chosen by the limits of the search, and the reader sees them.
TEST_F(Report, TheCardOfTheFastestNamesTheLimitThatWasUsed) {
  fill(study_, 40);
  ReportOptions options = sample_options("my study.db");
  write(options);
  EXPECT_NE(text("index.html").find("Fastest within 1 point of the original"), std::string::npos);
  options.goals.limits = {{study::Metric::Accuracy, "50%", true}};
  write(options);
  const std::string index = text("index.html");
  EXPECT_NE(index.find("Fastest within the limits of the search"), std::string::npos);
  EXPECT_NE(index.find("limits: accuracy at most 50% below the original"), std::string::npos);
}

TEST_F(Report, HoldsEverythingThatItsPagesLoad) {
  fill(study_, 40);
  write();
  for (const char* file :
       {"assets/vega.js", "assets/plots.js", "assets/table.js", "assets/index.js",
        "assets/style.css", "assets/vega.LICENSE.txt", "data/study.js", "data/rows-0.js"})
    EXPECT_TRUE(fs::exists(site_ + "/" + file)) << file;
  // Namespaces are addresses too, but nothing loads them.
  for (const auto& file : fs::recursive_directory_iterator(site_)) {
    if (file.path().extension() != ".html") continue;
    const std::string page = *read_file(file.path().string());
    EXPECT_EQ(page.find("http://"), std::string::npos) << file.path();
    EXPECT_EQ(page.find("https://"), std::string::npos) << file.path();
  }
}

TEST_F(Report, ACandidateHasItsDrawingTextsCostsAndCommands) {
  sample_.head();
  sample_.original();
  for (std::int64_t ticket = 0; ticket < 60; ++ticket) sample_.proposal(ticket);
  write();
  std::string found;
  for (const auto& file : fs::directory_iterator(site_ + "/c")) {
    const std::string page =
        file.path().extension() == ".html" ? *read_file(file.path().string()) : "";
    if (page.find("mean and standard deviation of 3 seeds") != std::string::npos &&
        page.find("Loop nest") != std::string::npos &&
        page.find("the original</p>") == std::string::npos)
      found = page;
  }
  ASSERT_FALSE(found.empty());
  for (const char* part :
       {"out[n, k, h, w] = sum(c, i, j)", "Drawing", "Against it", "±1.2 %", "laptop",
        " points</td><td>12 epochs, mean", "cambium export &#39;my study.db&#39; ",
        "cambium replay &#39;my study.db&#39; ", " --device cpu --train-threads 2</code>",
        "--select &#39;conv(3x3)&#39;", "4fce213", "fashion-mnist", "seed 7", "cambium.showCurves(",
        "12 epochs"})
    EXPECT_NE(found.find(part), std::string::npos) << part;
}

TEST(ReplayCommand, HasADeviceThatReplayTakes) {
  const auto command = [](const std::string& words) {
    Summary summary;
    summary.head.emplace();
    summary.head->options = R"({"command":["cambium","search",)" + words + "]}";
    ReportOptions options;
    options.study = "s";
    Entry entry;
    entry.identity = fingerprint_of("c");
    const std::string text = replay_command(summary, options, entry);
    return text.substr(text.find(' ', std::string("cambium replay s ").size()) + 1);
  };
  EXPECT_EQ(command(R"("--device","cuda","--train-threads","2")"),
            "--device cuda --train-threads 2");
  EXPECT_EQ(command(R"("--train-threads=2","--device=cpu")"), "--device cpu --train-threads 2");
  EXPECT_EQ(command(R"("--device","cuda:1,cuda:2","--train-threads","2")"),
            "--device cuda:1 --train-threads 2");
  EXPECT_EQ(command(R"("--device","none","--train-threads","2")"), "--train-threads 2");
}

// Readers copy the command, and another one could overwrite their files.
TEST(SearchCommand, IsShownOnlyWhereItIsASearch) {
  const auto command = [](const std::string& words) {
    Summary summary;
    summary.head.emplace();
    summary.head->options = R"({"command":[)" + words + "]}";
    return search_command(summary);
  };
  EXPECT_EQ(command(R"("build/cambium","search","zoo:x")"), "cambium search zoo:x");
  EXPECT_EQ(command(R"("cambium","tune","--export","mine")"), std::nullopt);
  EXPECT_EQ(command(R"("cambium")"), std::nullopt);
  EXPECT_EQ(command(""), std::nullopt);
}

// What counts is how the search ran last, not the command that it was begun with.
TEST(ReplayCommand, HasTheDeviceAndTheThreadsOfItsSearch) {
  Summary summary;
  summary.head.emplace();
  summary.head->options = R"({"command":["cambium","search","--train-threads","9"]})";
  summary.names = {"", "first", "second"};
  const auto run = [](const char* device, int threads) {
    return R"({"command":["--device","cuda"],"run":{"device":")" + std::string(device) +
           R"(","train_threads":)" + std::to_string(threads) + "}}";
  };
  summary.options = {{"first", run("cpu", 1)}, {"second", run("cuda:1,cuda:2", 3)}};
  const auto command = [&](std::uint32_t search) {
    Entry entry;
    entry.identity = fingerprint_of("c");
    entry.search = search;
    const std::string text = replay_command(summary, {}, entry);
    return text.substr(text.find("--"));
  };
  EXPECT_EQ(command(1), "--device cpu --train-threads 1");
  EXPECT_EQ(command(2), "--device cuda:1 --train-threads 3");
  EXPECT_EQ(command(0), "--train-threads 9") << "a study of a version that kept the command alone";
  summary.options["first"] = run("none", 1);
  EXPECT_EQ(command(1), "--train-threads 1");
}

TEST_F(Report, TextsOfTheStudyNeverBecomeMarkup) {
  sample_.head(kHostile, kHostile);
  sample_.original();
  auto candidate = sample_.candidate(0, kHostile);
  auto training = sample_.evaluation(candidate, "accuracy", 2);
  training.values["accuracy"] = {0.9, 0, 1, false};
  training.values[kHostile] = {1, 0, 1, false};
  training.host = training.commit = kHostile;
  training.curve = {{1, 0.9, 0.1, 1}};
  sample_.add(training, {SampleStudy::artifact("equation.txt", kHostile),
                         SampleStudy::artifact("loops.txt", kHostile)});
  auto latency = sample_.evaluation(candidate, "latency", 2);
  latency.values["latency"] = {1e-3, 0, 1, false};
  sample_.add(latency);
  auto refusal = sample_.evaluation(candidate, kHostile);
  refusal.state = store::EvaluationState::Refused;
  refusal.reason = refusal.detail = kHostile;
  sample_.add(refusal);
  write(sample_options(kHostile));
  std::size_t pages = 0;
  for (const auto& file : fs::recursive_directory_iterator(site_)) {
    const std::string path = file.path().string();
    if (!file.is_regular_file() || path.find("/assets/") != std::string::npos) continue;
    if (path.ends_with(".svg")) continue;
    const std::string content = *read_file(path);
    ++pages;
    EXPECT_EQ(content.find("<script>window"), std::string::npos) << path;
    EXPECT_EQ(content.find("<img src=x"), std::string::npos) << path;
  }
  EXPECT_GE(pages, 5U);
  EXPECT_NE(text(page_of(candidate)).find("&lt;script&gt;window.hostile"), std::string::npos);
}

TEST_F(Report, ShowsWhichKindsOfStepsFisherPotentialRefuses) {
  fill(study_, 10);
  write();
  EXPECT_EQ(text("index.html").find("Fisher Potential by kind of step"), std::string::npos)
      << "nothing was judged";
  ReportOptions options = sample_options("study.db");
  options.legality.all = {"", "", 2000, 1500, 750, 3, 40, 10};
  options.legality.kinds = {{"loopnest", "group", 800, 600, 150, 1, 30, 3},
                            {"loopnest", kHostile, 1, 1, 1, 0, 0, 0}};
  write(options);
  const std::string index = text("index.html");
  EXPECT_NE(index.find("<td>all</td><td></td><td class=\"number\">2,000</td>"), std::string::npos);
  EXPECT_NE(index.find("<td class=\"number\">150<small>25 %</small></td>"), std::string::npos);
  EXPECT_NE(index.find("3 of 30<small>10 %</small>"), std::string::npos);
  EXPECT_EQ(index.find(kHostile), std::string::npos);
}

TEST_F(Report, ADrawingMayBeSvgOrMayBeMissing) {
  sample_.head();
  const auto drawn = sample_.candidate(0, "drawn"), broken = sample_.candidate(1, "broken");
  auto cost = sample_.evaluation(drawn, "cost");
  cost.values["macs"] = {1, 0, 1, false};
  sample_.add(cost, {SampleStudy::artifact("drawing.svg", "<svg xmlns='x'/>")});
  sample_.add(sample_.evaluation(broken, "cost"),
              {SampleStudy::artifact("drawing.dot", "digraph { this is -> not [")});
  write();
  EXPECT_EQ(text("c/" + drawn.identity.text().substr(0, 16) + ".svg"), "<svg xmlns='x'/>");
  EXPECT_NE(text(page_of(drawn)).find("<figure"), std::string::npos);
  EXPECT_EQ(text(page_of(broken)).find("<figure"), std::string::npos);
  for (const auto& file : fs::directory_iterator(site_ + "/c"))
    EXPECT_EQ(file.path().string().find(".dot"), std::string::npos) << file.path();
}

TEST_F(Report, ReplacesAnEarlierOneAndTouchesNothingElse) {
  fill(study_, 20);
  write();
  const std::string stale = "/c/0123456789abcdef.html", mine = "/c/notes.html";
  std::ofstream(site_ + stale) << "old";
  std::ofstream(site_ + mine) << "mine";
  write();
  EXPECT_FALSE(fs::exists(site_ + stale));
  EXPECT_TRUE(fs::exists(site_ + mine));
}

TEST_F(Report, RowsOfTheTableAreTheStudy) {
  fill(study_, 60);
  write();
  std::string rows = text("data/rows-0.js");
  const std::string begin = "cambium.addRows(";
  ASSERT_TRUE(rows.starts_with(begin));
  rows = "[" + rows.substr(begin.size(), rows.rfind(");") - begin.size()) + "]";
  rows.erase(rows.rfind(",\n"), 1);  // JavaScript allows the last comma, JSON does not
  const auto json = nlohmann::json::parse(rows);
  ASSERT_EQ(json[1].size(), 61U);
  EXPECT_EQ(json[1][0][0], fingerprint_of("candidate", -1).text().substr(0, 16));
  EXPECT_EQ(json[1][7][2], 6) << "the ticket";
}

TEST(ReportRefusals, RefusesToBeMadeWithoutVega) {
  const ScratchFolder folder;
  const auto written = write_assets(folder.path(), "");
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.rejection().reason(), Reason::Unavailable);
  EXPECT_NE(written.rejection().message().find("libjs-vega"), std::string::npos);
}

TEST(ReportRefusals, RefusesAFolderThatCannotBeMade) {
  const ScratchFolder folder;
  auto study = store::StudyStore::open(folder / "study.db");
  std::ofstream(folder / "file") << "x";
  const auto written = write_report(*study, folder / "file/site");
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.rejection().reason(), Reason::Unwritable);
}

TEST(ReportRefusals, RefusesAFileThatCannotBeWritten) {
  const ScratchFolder folder;
  const auto written = write_unsynced(folder / "no such folder/file", "text");
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.rejection().reason(), Reason::Unwritable);
}

}  // namespace
}  // namespace cambium::report
