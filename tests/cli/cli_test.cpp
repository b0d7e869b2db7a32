// The program from the outside: exit codes, what goes to which stream, documents and their schemas,
// and what bad input gets.
#include <string>
#include <vector>

#include "cli_testing.h"

namespace cambium::tests {
namespace {

const std::string kExample = CAMBIUM_SOURCE_DIR "/examples/fashion_mnist/classifier.onnx";

// ---- help and options
TEST_F(Cli, HelpOfEveryCommandHasAnExampleThatNamesIt) {
  const std::vector<std::vector<std::string>> commands = {
      {},          {"inspect"},     {"run"},           {"compile"}, {"convert"},
      {"zoo"},     {"zoo", "list"}, {"zoo", "export"}, {"bench"},   {"machine"},
      {"version"}, {"search"},      {"report"},        {"export"},  {"replay"},
      {"study"},   {"tune"},        {"why"},           {"evaluate"}};
  for (std::vector<std::string> command : commands) {
    std::string line = "  cambium";
    for (const std::string& word : command) line += " " + word;
    command.emplace_back("--help");
    const ProcessOutcome outcome = run(command);
    EXPECT_TRUE(outcome.succeeded()) << outcome.errors;
    const std::size_t example = outcome.output.find("Example:\n");
    ASSERT_NE(example, std::string::npos) << outcome.output;
    EXPECT_NE(outcome.output.find(line, example), std::string::npos) << outcome.output;
    EXPECT_EQ(outcome.errors, "");
  }
}

TEST_F(Cli, PrintsTheWayInWithoutArguments) {
  const ProcessOutcome alone = run({});
  EXPECT_TRUE(alone.succeeded()) << alone.errors;
  EXPECT_EQ(alone.output, run({"--help"}).output);
  const std::size_t search = alone.output.find("  cambium search ");
  ASSERT_NE(search, std::string::npos) << alone.output;
  EXPECT_LT(search, alone.output.find("inspect"));
  EXPECT_EQ(alone.output.find("rehearse"), std::string::npos) << alone.output;
}

TEST_F(Cli, SuggestsWhatWasMeant) {
  expect_refusal({"inspct", "zoo:resnet18"}, {"unknown command", "did you mean 'inspect'?"});
  expect_refusal({"zoo", "lits"}, {"did you mean 'list'?"});
  expect_refusal({"inspect", "zoo:resnet18", "--jsn"},
                 {"unknown option", "did you mean '--json'?"});
  expect_refusal({"inspect", "zoo:resnet81"}, {"did you mean 'resnet18'?"});
  expect_refusal({"inspect", "resnet18"}, {"did you mean zoo:resnet18?"});
  expect_refusal({"run", "zoo:tiny-resnet", "--data", "fashon-mnist"}, {"fashion-mnist"});
  expect_refusal({"inspect", "zoo:resnet18", "--targets", "cnv:k=3"}, {"conv"});
}

TEST_F(Cli, RefusesBadOptionsInOneLine) {
  expect_refusal({"inspect"}, {"MODEL"});
  expect_refusal({"zoo"}, {"name a command: list, export", "cambium zoo --help"});
  expect_refusal({"inspect", "zoo:resnet18", "--bind", "batch"}, {"NAME=N"});
  expect_refusal({"inspect", "zoo:resnet18", "--bind", "batch=0"}, {"batch"});
  expect_refusal({"inspect", "zoo:resnet18", "--bind", "bach=2"}, {"bach", "batch"});
  expect_refusal({"inspect", "zoo:resnet18", "--dot", "--json"}, {"--dot"});
  expect_refusal({"inspect", "zoo:resnet18", "--targets", "conv:k=9"}, {"matches nothing"});
  expect_refusal({"run", "zoo:tiny-resnet"}, {"--data", "--input"});
  expect_refusal({"run", "zoo:tiny-resnet", "--random", "--threads", "0"}, {"--threads"});
  expect_refusal({"run", "zoo:tiny-resnet", "--input", "y=x.npy"}, {"--input"});
  expect_refusal({"run", "zoo:resnet18", "--data", "fashion-mnist"}, {"1, 3, 224, 224"});
  expect_refusal({"convert", "zoo:tiny-resnet", path("out.txt")}, {".onnx", ".cambium"});
}

// ---- documents
TEST_F(Cli, InspectCountsWhatIsPublished) {
  const auto resnet = document({"inspect", "zoo:resnet18"}, "inspect");
  EXPECT_EQ(resnet["totals"]["params"], 11'689'512);
  EXPECT_NEAR(resnet["totals"]["macs"].get<double>(), 1.814e9, 1e6);
  EXPECT_EQ(resnet["blocks"].size(), 8u);
  const ProcessOutcome table = run({"inspect", "zoo:resnet18"});
  EXPECT_NE(table.output.find("total 1.81 G MACs, 11.7 M parameters"), std::string::npos);
}

TEST_F(Cli, InspectShowsTargetsWithTheirSizes) {
  const auto found =
      document({"inspect", "zoo:resnet18", "--targets", "conv:k=3,groups=1"}, "targets");
  std::size_t sites = 0;
  for (const auto& target : found["targets"]) sites += target["sites"].size();
  EXPECT_EQ(sites, 16u);
  const ProcessOutcome table = run({"inspect", "zoo:resnet18", "--targets", "block:basic"});
  EXPECT_NE(table.output.find("layer1.0"), std::string::npos) << table.output;
}

TEST_F(Cli, InspectDrawsGraphvizText) {
  const ProcessOutcome outcome = run({"inspect", "zoo:tiny-resnet", "--dot"});
  EXPECT_TRUE(outcome.succeeded());
  EXPECT_EQ(outcome.output.rfind("digraph \"tiny-resnet\" {\n", 0), 0u);
  EXPECT_NE(outcome.output.find("subgraph cluster_0"), std::string::npos);
}

TEST_F(Cli, ZooAndVersionAreDocumentsToo) {
  const auto zoo = document({"zoo", "list"}, "zoo");
  EXPECT_GE(zoo["models"].size(), 20u);
  const auto version = document({"version"}, "version");
  EXPECT_EQ(version["cambium"], std::string(cambium::version()));
  EXPECT_EQ(version["features"].size(), features().size());
  EXPECT_EQ(version["machine"]["name"], "host");
  EXPECT_EQ(version["code_generator"] == "none", !has_llvm());
}

// ---- running
TEST_F(Cli, RunsOnRandomInputsBySeed) {
  const auto first = document({"run", "zoo:tiny-gpt", "--random", "--seed", "7"}, "outputs");
  EXPECT_EQ(first, document({"run", "zoo:tiny-gpt", "--random", "--seed", "7"}, "outputs"));
  EXPECT_NE(first, document({"run", "zoo:tiny-gpt", "--random", "--seed", "8"}, "outputs"));
}

constexpr const char* kDouble = R"(cambium model 1 "double"
%0 "x" = input : f32[2]
%1 "two" = weight [2] : f32[1]
%2 "y" = binary.mul(%0, %1) : f32[2]
output "y" = %2
)";

std::string npy(const std::string& header, const std::string& data) {
  const std::string padded = header + std::string(117 - header.size(), ' ') + "\n";
  return std::string("\x93NUMPY\x01\x00\x76\x00", 10) + padded + data;
}

TEST_F(Cli, ReadsAndWritesArraysOfNumpy) {
  const std::string model = file("double.cambium", kDouble);
  const std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }";
  const std::string x =
      file("x.npy", npy(header, std::string("\x00\x00\x80\x3f\x00\x00\x00\xc0", 8)));  // 1, -2
  const auto outputs = document({"run", model, "--input", "x=" + x, "-o", path("out")}, "outputs");
  EXPECT_EQ(outputs["outputs"][0]["head"], nlohmann::json({2.0, -4.0}));
  // What was written can be read again: doubled once more.
  const auto again = document({"run", model, "--input", path("out/y.npy")}, "outputs");
  EXPECT_EQ(again["outputs"][0]["head"], nlohmann::json({4.0, -8.0}));

  const std::string wide = "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }";
  const std::string bad = file("wide.npy", npy(wide, std::string(16, '\0')));
  expect_refusal({"run", model, "--input", bad}, {"wide.npy", "f64[2]", "f32[2]"});
  const std::string cut = file("cut.npy", npy(header, "1234"));
  expect_refusal({"run", model, "--input", cut}, {"cut.npy", "8 bytes", "4"});
}

TEST_F(Cli, MeasuresTheExampleOnRealImages) {
  if (!has_onnx()) GTEST_SKIP() << "needs ONNX";
  if (!fs::exists("/usr/share/datasets/fashion-mnist")) GTEST_SKIP() << "needs the data set";
  const auto all = document({"run", kExample, "--data", "fashion-mnist"}, "accuracy");
  EXPECT_EQ(all["images"], 10000);
  EXPECT_EQ(all["correct"], 9139);  // examples/fashion_mnist/ORIGIN.md
  const auto raw = document(
      {"run", kExample, "--data", "fashion-mnist", "--limit", "500", "--mean", "0", "--std", "1"},
      "accuracy");
  EXPECT_EQ(raw["images"], 500);
  EXPECT_EQ(raw["mean"], nlohmann::json({0.0}));
}

// ---- converting
TEST_F(Cli, ConvertsThereAndBack) {
  const auto structure = [](const std::string& model) {
    return document({"inspect", model}, "inspect")["structure"];
  };
  const ProcessOutcome outcome = run({"zoo", "export", "tiny-resnet", path("a.cambium")});
  EXPECT_TRUE(outcome.succeeded()) << outcome.errors;
  EXPECT_EQ(outcome.output, "");
  EXPECT_EQ(structure(path("a.cambium")), structure("zoo:tiny-resnet"));
  if (!has_onnx()) return;
  EXPECT_TRUE(run({"convert", path("a.cambium"), path("b.onnx")}).succeeded());
  EXPECT_TRUE(run({"convert", path("b.onnx"), path("c.cambium")}).succeeded());
  EXPECT_EQ(structure(path("c.cambium")), structure("zoo:tiny-resnet"));
  // Weights came along: the same inputs give the same outputs.
  const auto outputs = [](const std::string& model) {
    return document({"run", model, "--random"}, "outputs")["outputs"];
  };
  EXPECT_EQ(outputs(path("c.cambium")), outputs("zoo:tiny-resnet"));
}

TEST_F(Cli, WorkThatFailsIsNotBadInput) {
  const ProcessOutcome outcome =
      run({"convert", "zoo:tiny-resnet", path("missing/folder/a.cambium")});
  EXPECT_EQ(outcome.text(), "exit code 1");
  EXPECT_NE(outcome.errors.find("cannot be written"), std::string::npos) << outcome.errors;
}

// There is no such study either: that is found out later.
TEST_F(Cli, AnOutputThatCannotBeWrittenIsRefusedBeforeTheWork) {
  const std::string there = file("there", "a file"), none = path("none.study");
  const std::vector<std::vector<std::string>> commands = {
      {"run", "zoo:tiny-resnet", "--random", "-o", there},
      {"export", none, "best", "-o", there + "/out"},
      {"report", none, "-o", there},
      {"study", "pack", none, "-o", path("missing/lines")}};
  for (const std::vector<std::string>& command : commands) {
    const ProcessOutcome outcome = run(command);
    EXPECT_EQ(outcome.text(), "exit code 1") << command[0];
    EXPECT_NE(outcome.errors.find("cannot be written"), std::string::npos) << outcome.errors;
  }
  // And what is there stays until there is something to put in its place.
  expect_refusal({"study", "pack", none, "-o", there}, {"none.study"});
  EXPECT_EQ(read_file(there).value(), "a file");
  for (const auto& entry : fs::directory_iterator(folder_.path())) {
    EXPECT_EQ(entry.path().filename(), "there") << "left behind";
  }
}

// ---- hostile files
TEST_F(Cli, RefusesHostileFilesInOneLineThatNamesThem) {
  expect_refusal({"inspect", path("none.cambium")}, {"none.cambium", "does not exist"});
  expect_refusal({"inspect", file("empty.cambium", "")}, {"empty.cambium", "line 1"});
  expect_refusal({"inspect", file("cut.cambium", std::string(kDouble).substr(0, 60))},
                 {"cut.cambium", "line 3"});
  expect_refusal({"inspect", file("bytes.cambium", std::string("cambium\0model", 13))},
                 {"bytes.cambium", "line 1"});
  if (!has_onnx()) return;
  expect_refusal({"inspect", path("none.onnx")}, {"none.onnx"});
  expect_refusal({"inspect", file("empty.onnx", "")}, {"empty.onnx"});
  expect_refusal({"inspect", file("text.onnx", "this is not a model")}, {"text.onnx"});
  const std::string example = read_file(kExample).value();
  expect_refusal({"inspect", file("cut.onnx", example.substr(0, example.size() / 2))},
                 {"cut.onnx"});
}

TEST_F(Cli, RefusesToRunWhatDoesNotFitTheMachine) {
  const std::string model = file("huge.cambium", R"(cambium model 1 "huge"
%0 "x" = input : f32[100000, 1000000]
%1 "y" = unary.exp(%0) : f32[100000, 1000000]
output "y" = %1
)");
  EXPECT_TRUE(run({"inspect", model}).succeeded());
  const ProcessOutcome outcome = run({"run", model, "--random"});
  EXPECT_EQ(outcome.text(), "exit code 1");
  EXPECT_NE(outcome.errors.find("MiB of memory"), std::string::npos) << outcome.errors;
}

}  // namespace
}  // namespace cambium::tests
