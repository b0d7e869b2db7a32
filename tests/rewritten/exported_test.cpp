// What `cambium export` writes, used as somebody would who has nothing of ours: a C compiler,
// PyTorch, ONNX Runtime. All must compute what the candidate computes here.
#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/features.h"
#include "base/file.h"
#include "base/process.h"
#include "base/scratch_folder_testing.h"
#include "compile/compile_testing.h"
#include "engine/search/evaluators.h"
#include "engine/search/export.h"
#include "engine/search/export_example.h"
#include "engine/search/setup.h"
#include "engine/search/spaces.h"
#include "model/fingerprint.h"
#include "model/pytorch/check_testing.h"
#include "model/text.h"
#include "onnx_runtime_testing.h"
#include "report/report.h"
#include "spaces/candidate.h"
#include "store/study_store.h"

namespace cambium::engine {
namespace {

namespace fs = std::filesystem;
using compile::expect_near;
using compile::random_inputs;
using model::Model;
using model::Tensor;

// A study as a search leaves it, without the search.
class Exported : public testing::Test {
 protected:
  void SetUp() override {
    setup_.model = "zoo:tiny-resnet";
    setup_.bind = {{"image", "16"}};
    setup_.data = "fashion-mnist";
    setup_.spaces = {{"coordinate", "conv:k=3", {}}};
    base_ = load_base(setup_.model, setup_.bind).value();
    spaces_ = make_spaces(base_, setup_.spaces).value();
    store::StudyHead head;
    head.base = model::structure_of(base_);
    head.model = setup_.model;
    head.data = setup_.data;
    head.options = to_json(setup_);
    ASSERT_TRUE(study_.set_head(head).ok());
  }

  // Its model, with weights that a training could have left: others than those of the base.
  Model add(const spaces::Candidate& candidate, double accuracy, double seconds, bool is_trained) {
    const Model model = spaces::apply(base_, candidate, pointers(spaces_)).value();
    const std::string drawn = model::to_text(model);
    const std::string text =
        std::regex_replace(drawn, std::regex(R"((normal\([0-9.e-]+, )[0-9]([0-9]))"), "$1$2");
    EXPECT_NE(text, drawn) << "seeds of weights are others";
    const Model trained = model::parse_text(text).value();
    store::StudyCandidate row;
    row.identity = spaces::identity_of(candidate);
    row.document = spaces::to_json(candidate);
    row.ticket = candidate.edits.empty() ? -1 : ++tickets_;
    row.title = candidate.edits.empty() ? "the original" : "candidate " + std::to_string(tickets_);
    EXPECT_TRUE(study_.add(row).ok());
    store::Evaluation training;
    training.key = {row.identity, "accuracy", evaluator_version("accuracy"), "{}", 10, 1, {}};
    training.values["accuracy"] = {accuracy, 0, 1, false};
    const auto bytes = std::as_bytes(std::span(text));
    std::vector<store::Artifact> kept;
    if (is_trained) kept.push_back({kTrainedModel, {bytes.begin(), bytes.end()}});
    EXPECT_TRUE(study_.add(training, kept).ok());
    store::Evaluation latency;
    latency.key = {row.identity, "latency", "1", "{}", 64, 1, fingerprint_of("a machine")};
    latency.values["latency"] = {seconds, 0.01, 15, false};
    EXPECT_TRUE(study_.add(latency).ok());
    return is_trained ? trained : model;
  }
  spaces::Candidate sampled(std::uint64_t seed) {
    return {model::structure_of(base_), spaces_[0]->samples()->sample(seed).value(), {}};
  }
  static std::string identity(const spaces::Candidate& candidate) {
    return spaces::identity_of(candidate).text();
  }

  ExportReport exported(const spaces::Candidate& candidate, bool native) {
    ExportOptions options;
    options.native = native;
    auto report = export_candidate(path_, identity(candidate), out_, options);
    EXPECT_TRUE(report.ok()) << report.rejection().message();
    return report.ok() ? std::move(report).value() : ExportReport{};
  }
  std::set<std::string> files_there() const {
    std::set<std::string> all;
    for (const auto& file : fs::recursive_directory_iterator(out_)) {
      if (file.is_regular_file()) all.insert(fs::relative(file.path(), out_).string());
    }
    return all;
  }

  static ProcessOutcome run(std::vector<std::string> argv, std::string input = {}) {
    auto outcome = run_process({std::move(argv), std::move(input), {}});
    EXPECT_TRUE(outcome.ok()) << outcome.rejection().message();
    return outcome.ok() ? std::move(outcome).value() : ProcessOutcome{};
  }
  static bool has(const std::string& program) {
    return run_process({{program, "--version"}, "", {}}).ok();
  }

  SearchSetup setup_;
  Model base_;
  Spaces spaces_;
  ScratchFolder folder_;
  std::string path_ = folder_ / "s.study", out_ = folder_ / "out";
  store::StudyStore study_ = store::StudyStore::open(path_).value();
  std::int64_t tickets_ = 0;
};

TEST_F(Exported, ReadmeNamesEveryFileThatIsThereAndNoOther) {
  const bool native = require_feature("llvm").ok() && has("ld");
  add(sampled(2), 0.9, 1e-3, true);
  const ExportReport report = exported(sampled(2), native);
  EXPECT_TRUE(report.is_trained);
  std::set<std::string> named, told;
  for (const ExportedFile& file : report.files) told.insert(file.name);
  std::istringstream lines(read_file(out_ + "/README.txt").value());
  int blanks = 0;  // the list stands between the first two
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) ++blanks;
    const std::size_t end = line.find("  ");
    if (blanks == 1 && end != std::string::npos) named.insert(line.substr(0, end));
  }
  EXPECT_EQ(named, told);
  EXPECT_EQ(told, files_there());
  std::vector<std::string> wanted = {"model.cambium", "model.py",      "model.safetensors",
                                     "equation.txt",  "loops.txt",     "drawing.dot",
                                     "README.txt",    "candidate.json"};
  if (require_feature("onnx").ok()) wanted.emplace_back("model.onnx");
  if (has("dot")) wanted.emplace_back("drawing.svg");
  if (native) wanted.insert(wanted.end(), {"native/main.c", "native/manifest.json"});
  for (const std::string& name : wanted) EXPECT_EQ(told.count(name), 1u) << name;
  EXPECT_TRUE(std::any_of(told.begin(), told.end(), [](const std::string& name) {
    return name.starts_with("operators/") && name.ends_with(".py");
  }));
}

TEST_F(Exported, PagesOfTheReportPromiseWhatIsWritten) {
  add(sampled(2), 0.9, 1e-3, true);
  const bool native = require_feature("llvm").ok() && has("ld");
  exported(sampled(2), native);
  report::ReportOptions options;
  options.study = path_;
  const Status written = report::write_report(study_, folder_ / "site", options);
  if (!written.ok() && written.rejection().reason() == Reason::Unavailable) {
    GTEST_SKIP() << written.rejection().message();
  }
  ASSERT_TRUE(written.ok()) << written.rejection().message();
  const std::string digits = identity(sampled(2)).substr(0, 16);
  const std::string page = read_file(folder_ / ("site/c/" + digits + ".html")).value();
  const std::string list = page.substr(page.find("<dl class=\"facts files\">"));
  const std::set<std::string> there = files_there();
  std::set<std::string> promised;
  const std::regex code("<code>([^<]+)</code>(?=[^\n]*</dt>)");
  const std::string until = list.substr(0, list.find("</dl>"));
  for (std::sregex_iterator at(until.begin(), until.end(), code), end; at != end; ++at) {
    const std::string name = (*at)[1];
    promised.insert(name);
    if (name == "model.onnx" && !require_feature("onnx").ok()) continue;
    if (name == "drawing.svg" && !has("dot")) continue;
    if (name.starts_with("native/") && !native) continue;
    EXPECT_TRUE(std::any_of(there.begin(), there.end(), [&](const std::string& file) {
      return file == name || (name.ends_with("/") && file.starts_with(name));
    })) << name;
  }
  // And the other way round.
  for (const std::string& file : there) {
    EXPECT_TRUE(std::any_of(promised.begin(), promised.end(), [&](const std::string& name) {
      return file == name || (name.ends_with("/") && file.starts_with(name));
    })) << file;
  }
}

TEST_F(Exported, ItsExampleInCComputesTheSame) {
  CAMBIUM_SKIP_WITHOUT_LLVM();
  if (!has("cc") || !has("ld")) GTEST_SKIP() << "needs a C compiler and a linker";
  const Model model = add(sampled(2), 0.9, 1e-3, true);
  exported(sampled(2), true);
  const std::string native = out_ + "/native", program = native + "/run";
  const auto manifest = nlohmann::json::parse(read_file(native + "/manifest.json").value());
  const std::string library = manifest["files"]["library"];
  const ProcessOutcome built =
      run({"cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic", native + "/main.c",
           native + "/" + library, "-lm", "-Wl,-rpath," + native, "-o", program});
  ASSERT_TRUE(built.succeeded()) << built.errors;
  const std::vector<Tensor> inputs = random_inputs(model, 3);
  const auto image = inputs[0].bytes();
  const std::string weights = native + "/" + manifest["files"]["weights"].get<std::string>();
  const ProcessOutcome ran =
      run({program, weights}, {reinterpret_cast<const char*>(image.data()), image.size()});
  ASSERT_TRUE(ran.succeeded()) << ran.text() << ran.errors;
  std::vector<float> outputs;
  std::istringstream lines(ran.output);
  for (float value; lines >> value;) outputs.push_back(value);
  const auto expected = execute(model, inputs).value();
  ASSERT_EQ(static_cast<std::int64_t>(outputs.size()), expected[0].elements());
  expect_near(expected, {Tensor::of<float>(expected[0].dims(), outputs)}, 1e-4);
  // As its first lines say, in its folder.
  const std::string text = read_file(native + "/main.c").value();
  const std::size_t at = text.find("cc main.c"), end = text.find('\n', at);
  ASSERT_NE(at, std::string::npos) << text;
  const ProcessOutcome told =
      run({"sh", "-c", "cd '" + native + "' && " + text.substr(at, end - at) + " && ./run"});
  EXPECT_EQ(told.code, 1) << "it wants its weights: " << told.errors;
}

TEST_F(Exported, ItsModulesComputeTheSameInPytorch) {
  const Model model = add(sampled(2), 0.9, 1e-3, true);
  const ExportReport report = exported(sampled(2), false);
  model::PytorchCheck check;
  check.add_files(out_ + "/model", model);
  int operators = 0;
  for (const ExportedFile& file : report.files) {
    if (!file.name.starts_with("operators/") || !file.name.ends_with(".py")) continue;
    const std::string stem = file.name.substr(0, file.name.size() - 3);
    const std::string name = fs::path(stem).filename();
    const auto& nodes = model.nodes();
    const auto node = std::find_if(nodes.begin(), nodes.end(), [&](const model::NodePtr& each) {
      return "operator_" + std::regex_replace(each->name, std::regex("[^A-Za-z0-9]"), "_") == name;
    });
    ASSERT_NE(node, nodes.end()) << name;
    ASSERT_NE((*node)->as<model::Composite>(), nullptr) << name;
    check.add_files(out_ + "/" + stem, model::alone(model, (*node)->id));
    ++operators;
  }
  EXPECT_GT(operators, 1) << "the network has places of several sizes";
  check.run();
}

TEST_F(Exported, ItsOnnxFileComputesTheSameInOnnxRuntime) {
  if (!require_feature("onnx").ok()) GTEST_SKIP() << "needs ONNX";
  const Model model = add(sampled(2), 0.9, 1e-3, true);
  exported(sampled(2), false);
  const std::vector<Tensor> inputs = random_inputs(model, 3);
  tests::OnnxRuntimeCheck check;
  check.add(out_ + "/model.onnx", inputs, execute(model, inputs).value());
  check.run();
}

TEST_F(Exported, WithoutATrainingItSaysThatWeightsAreNotTrained) {
  add(sampled(2), 0.9, 1e-3, false);
  EXPECT_FALSE(exported(sampled(2), false).is_trained);
  EXPECT_NE(read_file(out_ + "/README.txt").value().find("NOT trained"), std::string::npos);
}

TEST_F(Exported, TheFrontIsWhatNothingBeatsWithoutTheOriginal) {
  EXPECT_EQ(front_of_study(path_).rejection().reason(), Reason::NoSuchCandidate);
  add({model::structure_of(base_), {}, {}}, 0.95, 2e-3, false);
  add(sampled(1), 0.80, 0.5e-3, false);
  add(sampled(2), 0.90, 1e-3, false);
  add(sampled(3), 0.79, 1.5e-3, false);  // slower and worse
  EXPECT_EQ(front_of_study(path_).value(),
            (std::vector<Fingerprint>{identity_of(sampled(2)), identity_of(sampled(1))}));
}

TEST(Example, RefusesWhatIsNoManifest) {
  EXPECT_EQ(c_example("{").rejection().reason(), Reason::BadSyntax);
  EXPECT_EQ(c_example("{}").rejection().reason(), Reason::MissingField);
}

// Several inputs and outputs of other types, and names that would end a comment.
TEST(Example, HasABufferOfTheRightTypeForEachTensor) {
  const std::string text =
      c_example(R"({"model": "a */ b", "function": "net_run", "files": {"library": "net.so",
                    "header": "net.h", "weights": "net.weights"}, "inputs": [{"name": "x", "type":
                    {"dtype": "i64", "dims": [2]}}, {"name": "y */", "type": {"dtype": "f16",
                    "dims": []}}], "outputs": [{"name": "z", "type": {"dtype": "bool",
                    "dims": [3]}}]})")
          .value();
  EXPECT_NE(text.find("static int64_t input0[NET_INPUT0_BYTES / sizeof(int64_t)];"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("static uint16_t input1["), std::string::npos) << text;
  EXPECT_NE(text.find("static uint8_t output0[NET_OUTPUT0_BYTES"), std::string::npos) << text;
  EXPECT_NE(text.find("net_run((const void*[]){input0, input1}, (void*[]){output0}, "),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("*/"), text.rfind("*/")) << text;
}

}  // namespace
}  // namespace cambium::engine
