#include "cli/search_options.h"

#include <map>
#include <optional>

#include <CLI/CLI.hpp>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace cambium::cli {
namespace {

// For each option, a value that differs from its default. A new option needs a row here, and a
// place in the study.
const std::map<std::string, std::string> kOther = {
    {"MODEL", "zoo:other"},
    {"--data", "other"},
    {"--bind", "n=3"},
    {"--targets", "conv:k=1"},
    {"--space", "other"},
    {"--space-option", "g=3"},
    {"--try", "grouped_conv2d g=4"},
    {"--strategy", "enumerate"},
    {"--strategy-option", "walk=3"},
    {"--seed", "77"},
    {"--in-flight", "9"},
    {"--objective", "macs"},
    {"--reward", "macs"},
    {"--max-accuracy-drop", "3%"},
    {"--max-perplexity", "1.1x"},
    {"--max-macs", "0.5x"},
    {"--max-latency", "0.6x"},
    {"--max-parameters", "0.7x"},
    {"--max-memory", "0.8x"},
    {"--max-activations", "4x"},
    {"--candidates", "12"},
    {"--seconds", "34"},
    {"--brief-epochs", "5"},
    {"--epochs", "55"},
    {"--seeds", "6"},
    {"--finalists", "8"},
    {"--recipe", "gray"},
    {"--set", "rate=0.5"},
    {"--stopping", "below-original:0.6"},
    {"--proxy", "fisher"},
    {"--least-proxy", "0.7"},
    {"--legality", "total"},
    {"--legality-hooks", "block-outputs"},
    {"--legality-draws", "1"},
    {"--quick-latency", "kernels"},
    {"--brief-trials", "4"},
    {"--trials", "99"},
    {"--threads", "13"},
    {"--workers", "14"},
    {"--train-threads", "1001"},
    {"--device", "cuda:7"},
    {"--job-seconds", "123"},
    {"--worker-memory", "5GiB"},
};

// Options of one command, not of a search: the file, which search of it, what to do and print.
const std::set<std::string> kOfOneCommand = {"--study", "--resume", "--only",
                                             "--name",  "--json",   "--help"};

// Parses the command line as `cambium search` does.
SearchCommand parsed(const std::vector<std::string>& words) {
  CLI::App app;
  SearchCommand command;
  add_search_options(app, command);
  std::vector<std::string> reversed(words.rbegin(), words.rend());
  app.parse(reversed);
  note_given(app, command);
  return command;
}

std::vector<std::string> names() {
  CLI::App app;
  SearchCommand command;
  add_search_options(app, command);
  std::vector<std::string> all;
  for (const CLI::Option* option : app.get_options()) all.push_back(option->get_name());
  return all;
}

std::vector<std::string> with(const std::string& name, const std::string& value) {
  if (name == "MODEL") return {value, "--data", "some"};
  if (name == "--data") return {"zoo:some", name, value};
  return {"zoo:some", "--data", "some", name, value};
}

std::string text_of(const SearchCommand& command) {
  return kept_text(command.setup, command.runtime.run, {});
}

// What the study stores of a search that begins like that.
std::string begun(const std::vector<std::string>& words) {
  SearchCommand command = parsed(words);
  const Status run = complete_run(command), setup = complete_setup(command);
  EXPECT_TRUE(run.ok() && setup.ok());
  return text_of(command);
}

// What the study stores of the same search after it continued.
struct Resumed {
  std::optional<Reason> refused;
  std::string text, words;
};
Resumed resumed(const std::string& kept, const std::vector<std::string>& words) {
  SearchCommand command = parsed(words);
  EXPECT_TRUE(complete_run(command).ok());
  if (const Status fits = check_beside_study(command); !fits.ok()) {
    return {fits.rejection().reason(), "", ""};
  }
  auto search = engine::parse_kept(kept, command.runtime.run);
  EXPECT_TRUE(search.ok()) << search.rejection().message();
  Resumed out;
  out.words = go_on_with(command, *search);
  out.text = text_of(command);
  return out;
}

// The same command line, without --resume.
struct Again {
  engine::SearchRun run;
  std::vector<std::string> command;
  std::string words;
};
Again again(const std::string& kept, const std::vector<std::string>& words) {
  SearchCommand command = parsed(words);
  EXPECT_TRUE(complete_run(command).ok() && complete_setup(command).ok());
  command.runtime.command = words;
  const auto search = engine::parse_kept(kept, command.runtime.run);
  EXPECT_TRUE(search.ok()) << search.rejection().message();
  Again out;
  out.words = run_on(command, *search);
  out.run = command.runtime.run;
  out.command = command.runtime.command;
  return out;
}

TEST(SearchOptions, AreAllKnownToThisTest) {
  for (const std::string& name : names()) {
    EXPECT_EQ(kOther.count(name) + kOfOneCommand.count(name), 1u)
        << name << ": is it a part of what the study keeps? Give it a row in this test.";
  }
}

TEST(SearchOptions, AreAllInWhatTheStudyKeeps) {
  const std::string usual = begun({"zoo:some", "--data", "some"});
  std::set<std::string> texts = {usual};
  for (const auto& [name, value] : kOther) {
    EXPECT_TRUE(texts.insert(begun(with(name, value))).second)
        << name << " is not in the study: --resume would forget it";
  }
}

TEST(SearchOptions, GoOnAsTheyWere) {
  for (const auto& [name, value] : kOther) {
    const std::string kept = begun(with(name, value));
    const Resumed again = resumed(kept, {"--resume"});
    ASSERT_FALSE(again.refused) << name;
    EXPECT_EQ(again.text, kept) << name;
    EXPECT_EQ(again.words, "") << name;
  }
}

// A number just beyond the range of an option, on either side, is refused wherever it comes from.
TEST(SearchOptions, HaveTheSameRangesInAStudy) {
  struct Row {
    std::string name, place;
    std::vector<std::string> within, beyond;
  };
  const std::vector<Row> rows = {
      {"--in-flight", "/strategy/in_flight", {"1", "4096"}, {"0", "4097"}},
      {"--candidates", "/budget/candidates", {"0", "1000000000"}, {"-1", "1000000001"}},
      {"--seconds", "/budget/seconds", {"0", "1e9"}, {"-1", "1.1e9"}},
      {"--brief-epochs", "/brief_epochs", {"0", "1000000000"}, {"-1", "1000000001"}},
      {"--legality-draws", "/legality_draws", {"1", "1000"}, {"0", "1001"}},
      {"--epochs", "/epochs", {"1", "1000000000"}, {"0", "1000000001"}},
      {"--seeds", "/seeds", {"1", "100"}, {"0", "101"}},
      {"--finalists", "/finalists", {"0", "1000"}, {"-1", "1001"}},
      {"--least-proxy", "/least_proxy", {"0", "1e9"}, {"-0.1", "1.1e9"}},
      {"--brief-trials", "/brief_trials", {"0", "1000000000"}, {"-1", "1000000001"}},
      {"--trials", "/trials", {"0", "1000000000"}, {"-1", "1000000001"}},
      {"--threads", "/threads", {"1", "1024"}, {"0", "1025"}},
      {"--workers", "/run/workers", {"1", "1024"}, {"0", "1025"}},
      {"--train-threads", "/run/train_threads", {"1", "1024"}, {"0", "1025"}},
      {"--job-seconds", "/run/job_seconds", {"0", "1e9"}, {"-1", "1.1e9"}}};
  const auto usual = nlohmann::json::parse(begun({"zoo:some", "--data", "some"}));
  for (const Row& row : rows) {
    const auto kept = [&](const std::string& number) {
      nlohmann::json text = usual;
      text[nlohmann::json::json_pointer(row.place)] = nlohmann::json::parse(number);
      return engine::parse_kept(text.dump(), {});
    };
    for (const std::string& number : row.within) {
      EXPECT_NO_THROW(parsed(with(row.name, number))) << row.name << " " << number;
      EXPECT_TRUE(kept(number).ok()) << row.place << " " << number;
    }
    for (const std::string& number : row.beyond) {
      EXPECT_THROW(parsed(with(row.name, number)), CLI::ParseError) << row.name << " " << number;
      const auto refused = kept(number);
      ASSERT_FALSE(refused.ok()) << row.place << " " << number;
      EXPECT_EQ(refused.rejection().reason(), Reason::BadOption) << row.place << " " << number;
    }
    EXPECT_THROW(parsed(with(row.name, "nan")), CLI::ParseError) << row.name;
  }
}

// An option beside --resume has an effect or is refused, and its effect is reported.
TEST(SearchOptions, CountBesideResumeOrAreRefused) {
  const std::string usual = begun({"zoo:some", "--data", "some"});
  const std::set<std::string> counts = {
      "--candidates",    "--seconds",   "--workers", "--train-threads", "--device", "--job-seconds",
      "--worker-memory", "--finalists", "--epochs",  "--seeds",         "--trials"};
  const std::set<std::string> changes_results = {"--train-threads", "--device", "--job-seconds",
                                                 "--worker-memory"};
  for (const auto& [name, value] : kOther) {
    const auto words = name == "MODEL" ? std::vector<std::string>{"--resume", value}
                                       : std::vector<std::string>{"--resume", name, value};
    const Resumed changed = resumed(usual, words);
    if (counts.count(name) == 0) {
      EXPECT_EQ(changed.refused, Reason::BadOption) << name;
      continue;
    }
    ASSERT_FALSE(changed.refused) << name;
    EXPECT_EQ(changed.text, begun(with(name, value))) << name;
    EXPECT_EQ(changed.words.find(name) != std::string::npos, changes_results.count(name) > 0)
        << name << ": " << changed.words;
    EXPECT_EQ(resumed(changed.text, {"--resume"}).text, changed.text) << name;
    EXPECT_EQ(resumed(changed.text, words).words, "") << name << ": as in the last run";
  }
}

// So do the options of the run when the same command runs again: this machine may have other cores.
TEST(SearchOptions, OfTheRunStayAsTheyWereWithoutResumeToo) {
  const std::vector<std::string> plain = {"zoo:some", "--data", "some"};
  SearchCommand command = parsed(plain);
  ASSERT_TRUE(complete_setup(command).ok());
  command.runtime.run.threads = 1001;
  command.runtime.run.device = "cuda:7";
  command.runtime.run.job_seconds = 123;
  const engine::SearchRun run = command.runtime.run;
  const std::string kept = kept_text(command.setup, run, {"begun"});
  const Again same = again(kept, plain);
  EXPECT_EQ(same.run, run);
  EXPECT_EQ(same.command, (std::vector<std::string>{"begun"}));
  EXPECT_EQ(same.words, "");
  std::vector<std::string> other = plain;
  other.insert(other.end(), {"--train-threads", "3", "--candidates", "7"});
  const Again changed = again(kept, other);
  EXPECT_EQ(changed.run.threads, 3);
  EXPECT_EQ(changed.run.candidates, 7);
  EXPECT_EQ(changed.run.device, "cuda:7");
  EXPECT_NE(changed.words.find("--train-threads"), std::string::npos) << changed.words;
}

// --only runs only pending evaluations: the size of the search has no effect, nor do the settings
// of trainings if nothing is trained.
TEST(SearchOptions, CountBesideOnlyOrAreRefused) {
  const std::set<std::string> any = {"--job-seconds", "--worker-memory"};
  const std::set<std::string> of_training = {"--workers", "--train-threads", "--device"};
  for (const std::string evaluator : {"latency", "kernel-sum", "accuracy", "proxy", "legality"}) {
    const bool trains = evaluator != "latency" && evaluator != "kernel-sum";
    for (const auto& [name, value] : kOther) {
      if (name == "MODEL") continue;
      const bool counts = any.count(name) > 0 || (trains && of_training.count(name) > 0);
      const Status fits =
          check_beside_study(parsed({"--resume", "--only", evaluator, name, value}));
      EXPECT_EQ(fits.ok(), counts) << evaluator << " " << name;
      if (counts) continue;
      ASSERT_FALSE(fits.ok()) << evaluator << " " << name;
      EXPECT_EQ(fits.rejection().reason(), Reason::BadOption) << name;
    }
    EXPECT_FALSE(check_beside_study(parsed({"--only", evaluator, "--json"})).ok());
  }
}

// A text has no accuracy: with accuracy as an objective, no candidate would be on the front.
TEST(SearchOptions, OfATextAskForPerplexity) {
  const auto objectives = [](const std::vector<std::string>& words) {
    return nlohmann::json::parse(begun(words))["objectives"];
  };
  const nlohmann::json of_text = {"perplexity", "latency"}, of_images = {"accuracy", "latency"};
  EXPECT_EQ(objectives({"zoo:some", "--data", "text:a.txt,level=word"}), of_text);
  EXPECT_EQ(objectives({"zoo:some", "--data", "fashion-mnist"}), of_images);
  EXPECT_EQ(objectives({"zoo:some", "--data", "text:a.txt", "--objective", "macs"}),
            nlohmann::json({"macs"}));
}

}  // namespace
}  // namespace cambium::cli
