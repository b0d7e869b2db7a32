// A study that somebody made to harm whoever lists, reports or exports it.
#include <algorithm>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/text.h"
#include "engine/search/evaluator.h"
#include "engine/search/setup.h"
#include "hostile_cli.h"
#include "hostile_models.h"
#include "model/fingerprint.h"
#include "model/text.h"
#include "report/plain_svg.h"
#include "spaces/candidate.h"
#include "store/study_store.h"

namespace cambium::tests {
namespace {

store::Artifact text_artifact(const std::string& name, const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {name, {bytes.begin(), bytes.end()}};
}

class HostileStudy : public HostileCli {
 protected:
  void SetUp() override {
    fs::create_directory(path("there"));
    auto opened = store::StudyStore::open(study_);
    ASSERT_TRUE(opened.ok()) << opened.rejection().message();
    store::StudyStore& store = *opened;
    engine::SearchSetup setup;
    setup.model = setup.data = all_;
    setup.strategy.name = all_;
    nlohmann::json options = nlohmann::json::parse(engine::to_json(setup));
    options["command"] = {"rm", "search", "$(touch '" + canary_ + "')", "--device", all_};
    for (const std::string& text : texts_) options["command"].push_back(text);
    // As JSON has it: what is no UTF-8 is none of it.
    options = nlohmann::json::parse(json_text(options));
    command_ = options["command"].get<std::vector<std::string>>();
    options[all_] = all_;
    store::StudyHead head;
    head.base = fingerprint_of("base");
    head.model = head.data = head.commit = all_;
    head.options = json_text(options);
    ASSERT_TRUE(store.set_head(head).ok());
    add(store, "the original", R"({"base":")" + head.base.text() + R"(","edits":[]})", -1,
        spaces::identity_of({head.base, {}, std::nullopt}));
    const nlohmann::json document = {
        {"base", head.base.text()},
        {"edits", {{{"space", all_}, {"sites", {all_}}, {"document", all_}}}}};
    for (std::size_t i = 0; i < texts_.size(); ++i) {
      add(store, texts_[i], json_text(document), static_cast<std::int64_t>(i),
          fingerprint_of("c", i));
    }
  }
  void add(store::StudyStore& store, const std::string& title, const std::string& document,
           std::int64_t ticket, Fingerprint identity) {
    store::StudyCandidate candidate;
    candidate.identity = identity;
    candidate.document = document;
    candidate.strategy = candidate.space = candidate.search = candidate.title = title;
    candidate.ticket = ticket;
    ASSERT_TRUE(store.add(candidate).ok());
    store::Evaluation training;
    training.key = {candidate.identity, "accuracy", "1", "{}", 2, 1, {}};
    // Better and slower ones: all are on the front.
    const double rank = static_cast<double>(ticket + 2);
    training.values["accuracy"] = {0.5 + rank / 1000, 0, 1, false};
    training.values[title] = {1, 0, 1, false};
    training.host = training.commit = title;
    training.curve = {{1, 0.5, 0.1, 1}, {2, 0.6, 0.1, 2}};
    std::vector<store::Artifact> artifacts = {
        text_artifact("equation.txt", all_), text_artifact("loops.txt", all_),
        text_artifact(engine::kTrainedModel, model::to_text(hostile_model(title)))};
    artifacts.push_back(
        ticket % 2 == 0
            ? text_artifact("drawing.svg",
                            "<svg xmlns='http://www.w3.org/2000/svg'>"
                            "<script>" +
                                mark_ + "</script></svg>")
            : text_artifact("drawing.dot", "digraph a { x [URL=\"javascript:" + mark_ +
                                               "\"] }\ndigraph b { y [URL=\"javascript:x\"] }"));
    ASSERT_TRUE(store.add(training, artifacts).ok());
    store::Evaluation latency;
    latency.key = {candidate.identity, "latency", "1", "{}", 16, 1, fingerprint_of("machine")};
    latency.values["latency"] = {rank / 1000, 0.01, 15, false};
    ASSERT_TRUE(store.add(latency).ok());
    store::Evaluation refusal;
    refusal.key = {candidate.identity, title, "1", "{}", 0, 1, {}};
    refusal.state = store::EvaluationState::Refused;
    refusal.reason = refusal.detail = title;
    ASSERT_TRUE(store.add(refusal).ok());
  }

  // What a shell gives the program of the first command on a page.
  static std::vector<std::string> words_of_command(const std::string& page) {
    const std::string begin = "<pre class=\"command\"><code>";
    const std::size_t at = page.find(begin) + begin.size();
    std::string command = page.substr(at, page.find("</code>", at) - at);
    const std::pair<const char*, const char*> entities[] = {
        {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&#39;", "'"}, {"&amp;", "&"}};
    for (const auto& [entity, sign] : entities) {
      for (std::size_t i = command.find(entity); i != std::string::npos;
           i = command.find(entity, i + 1)) {
        command.replace(i, std::string_view(entity).size(), sign);
      }
    }
    const std::string script = "cambium() { printf '%s\\0' \"$@\"; }\n" + command + "\n";
    const auto told = run_process({{"bash", "-s"}, script, {}});
    EXPECT_TRUE(told.ok() && told->succeeded()) << (told.ok() ? told->errors : "no bash");
    std::vector<std::string> words;
    for (const std::string_view word : split(told->output, '\0')) words.emplace_back(word);
    words.pop_back();  // behind the last zero
    return words;
  }

  // The page after its scripts, as a browser has it.
  static Result<std::string> shown(const std::string& page, const std::string& profile) {
    ProcessRequest request{
        {"chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
         "--allow-file-access-from-files", "--user-data-dir=" + profile,
         "--virtual-time-budget=4000", "--dump-dom", "file://" + page},
        "",
        {}};
    request.limits.wall_seconds = 120;
    request.limits.output_bytes = 64 << 20;
    CAMBIUM_TRY(const ProcessOutcome outcome, run_process(request));
    return outcome.output;
  }

  const std::string mark_ = "document.documentElement.setAttribute('hostile', 1)";
  // Many of them in one, without what JSON cannot say.
  const std::string all_ = [this] {
    std::string all;
    for (const std::string& text : texts_) {
      if (text.size() < 1000) all += text + " ";
    }
    return nlohmann::json::parse(json_text(nlohmann::json(all))).get<std::string>();
  }();
  std::vector<std::string> command_;  // that the study says the search was started with
  const std::string study_ = path("there") + "/it's $(touch canary) \u202e.study";
};

TEST_F(HostileStudy, IsListedMergedAndPacked) {
  expect_plain_run({"study", "list", study_}, 0);
  expect_plain_run({"study", "list", study_, "--json"}, 0);
  expect_plain_run({"study", "pack", study_, "-o", path("packed.jsonl")}, 0);
  expect_plain(*read_file(path("packed.jsonl")), "the packed study");
  expect_plain_run({"study", "merge", study_, study_}, 0);
  expect_plain_run({"replay", study_, "no such"}, 2);
  plain_run({"replay", study_, "best"});
  expect_plain_run({"search", "--resume", "--study", study_}, 2);
}

TEST_F(HostileStudy, ItsPagesHoldTextsOnly) {
  expect_plain_run({"report", study_, "-o", path("site")}, 0);
  std::size_t pages = 0;
  for (const auto& each : fs::recursive_directory_iterator(path("site"))) {
    const std::string name = each.path().string();
    if (!each.is_regular_file() || name.find("/assets/") != std::string::npos) continue;
    const std::string text = *read_file(name);
    ++pages;
    expect_plain(text, name);
    EXPECT_EQ(text.find("<script>document"), std::string::npos) << name;
    EXPECT_EQ(text.find("<img src=x"), std::string::npos) << name;
    EXPECT_FALSE(name.ends_with(".svg")) << "the study has no drawing that is only one";
  }
  EXPECT_GT(pages, texts_.size());
}

// What a reader copies from a page into a shell.
TEST_F(HostileStudy, ItsCommandsAreOnesOfOursWithTheWordsThatTheyHad) {
  expect_plain_run({"report", study_, "-o", path("site")}, 0);
  const auto searched = words_of_command(*read_file(path("site") + "/index.html"));
  ASSERT_EQ(searched.size(), command_.size() - 1) << "the program itself is no argument";
  for (std::size_t i = 0; i < searched.size(); ++i) {
    const std::string& word = command_[i + 1];
    // A word of a shell ends at a zero.
    EXPECT_EQ(searched[i], word.substr(0, word.find('\0'))) << i;
  }
  const std::string candidate = fingerprint_of("c", 0).text().substr(0, 16);
  const auto exported = words_of_command(*read_file(path("site") + "/c/" + candidate + ".html"));
  ASSERT_EQ(exported.size(), 5U);
  EXPECT_EQ(exported[0], "export");
  EXPECT_EQ(exported[1], study_);
}

TEST_F(HostileStudy, ABrowserRunsNoneOfIt) {
  const std::string control = file("control.html", "<script>" + mark_ + "</script>");
  const auto marked = shown(control, path("profile"));
  if (!marked.ok()) GTEST_SKIP() << "Chromium is not installed";
  ASSERT_NE(marked->find("hostile=\"1\""), std::string::npos) << "what runs is seen";
  expect_plain_run({"report", study_, "-o", path("site")}, 0);
  std::vector<std::string> pages = {path("site") + "/index.html"};
  for (const auto& each : fs::directory_iterator(path("site") + "/c")) {
    const std::string text = *read_file(each.path().string());
    if (pages.size() < 3 && text.find("&lt;/title&gt;") != std::string::npos) {
      pages.push_back(each.path().string());
    }
  }
  ASSERT_EQ(pages.size(), 3U);
  for (const std::string& page : pages) {
    const auto dom = shown(page, path("profile"));
    ASSERT_TRUE(dom.ok());
    EXPECT_NE(dom->find("<footer>"), std::string::npos) << page << ": " << dom->substr(0, 300);
    EXPECT_EQ(dom->substr(0, dom->find("<head>")).find("hostile"), std::string::npos) << page;
  }
}

TEST_F(HostileStudy, IsExportedAsFilesThatOthersUse) {
  const auto export_one = [&](std::size_t i, const std::string& folder) {
    std::vector<std::string> arguments = {"export", study_, fingerprint_of("c", i).text(), "-o",
                                          path(folder)};
    if (!has_llvm()) arguments.emplace_back("--without-native");
    expect_plain_run(arguments, 0);
  };
  for (const std::size_t i :
       {std::size_t{0}, std::size_t{17}, std::size_t{27}, texts_.size() - 1}) {
    const std::string folder = "out" + std::to_string(i);
    SCOPED_TRACE(texts_[i].substr(0, 60));
    export_one(i, folder);
    for (const auto& each : fs::recursive_directory_iterator(path(folder))) {
      const std::string name = each.path().string();
      for (const char* ending : {".txt", ".py", ".json", ".dot", ".c", ".h", ".cambium"}) {
        if (name.ends_with(ending)) expect_plain(*read_file(name), name);
      }
      EXPECT_FALSE(name.ends_with(".svg")) << "it was no drawing";
    }
    const auto loaded =
        run_process({{"/usr/bin/python3", "-c",
                      "import glob, sys, importlib.util as u\n"
                      "try: import torch\n"
                      "except ImportError: sys.exit(0)\n"
                      "for f in glob.glob(sys.argv[1] + '/**/*.py', recursive=True):\n"
                      "    s = u.spec_from_file_location('m', f); m = u.module_from_spec(s)\n"
                      "    s.loader.exec_module(m); m.load()\n",
                      path(folder)},
                     "",
                     {}});
    ASSERT_TRUE(loaded.ok());
    EXPECT_TRUE(loaded->succeeded()) << loaded->errors;
    if (!has_llvm()) continue;
    const std::string native = path(folder) + "/native";
    const auto compiled = run_process({{"sh", "-c",
                                        "cd \"$1\" && cc -Wall -Wextra -Werror -trigraphs main.c "
                                        "*.so -lm '-Wl,-rpath,$ORIGIN' -o run",
                                        "sh", native},
                                       "",
                                       {}});
    ASSERT_TRUE(compiled.ok());
    EXPECT_TRUE(compiled->succeeded()) << compiled->errors.substr(0, 2000);
  }
}

}  // namespace
}  // namespace cambium::tests
