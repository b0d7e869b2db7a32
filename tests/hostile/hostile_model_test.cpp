#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "compile/library_texts.h"
#include "hostile_cli.h"
#include "hostile_models.h"
#include "model/dot.h"
#include "model/pytorch/check_testing.h"
#include "model/text.h"
#include "report/plain_svg.h"

namespace cambium::tests {
namespace {

class HostileModel : public HostileCli {
 protected:
  std::string file_of(const std::string& name, const model::Model& model) const {
    return file(name, model::to_text(model));
  }
  std::vector<std::string> files_under(const std::string& folder) const {
    std::vector<std::string> names;
    for (const auto& each : fs::recursive_directory_iterator(path(folder))) {
      names.push_back(fs::relative(each.path(), path(folder)).string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }
};

TEST_F(HostileModel, IsImportedByPythonAndComputesTheSame) {
  model::PytorchCheck check;
  for (const std::string& text : texts_) check.add(hostile_model(text));
  check.add(hostile_model(texts_, false));
  check.add(hostile_model(texts_, true));
  check.run();
}

TEST_F(HostileModel, HasHeadersThatAnyCompilerTakes) {
  std::vector<std::string> command = {"cc",      "-std=c99", "-trigraphs", "-Wall",
                                      "-Wextra", "-Werror",  "-pedantic",  "-fsyntax-only"};
  for (std::size_t i = 0; i < texts_.size(); ++i) {
    compile::CompiledModel model;
    model.name = texts_[i];
    model.driver = compile::c_name(texts_[i]) + "_run";
    model.machine.name = model.machine.cpu = texts_[i];
    model.inputs = model.outputs = {{DType::F32, {4}}};
    model.input_names = model.output_names = {texts_[i]};
    const std::string header = file("h" + std::to_string(i) + ".h", header_text(model));
    expect_plain(*read_file(header), "header " + std::to_string(i));
    expect_plain(manifest_text(model), "manifest " + std::to_string(i));
    command.push_back(file("h" + std::to_string(i) + ".c",
                           "#include \"h" + std::to_string(i) + ".h\"\nextern int used;\n"));
  }
  const auto outcome = run_process({command, "", {}});
  if (!outcome.ok()) GTEST_SKIP() << "there is no C compiler";
  EXPECT_TRUE(outcome->succeeded()) << outcome->errors.substr(0, 3000);
}

TEST_F(HostileModel, IsDrawnWithAllItsNodesAndNoLinks) {
  const model::Model model = hostile_model(texts_, false);
  const std::string dot = model::to_dot(model);
  expect_plain(dot, "the drawing");
  const auto drawn = run_process({{"dot", "-Tsvg"}, dot, {}});
  if (!drawn.ok()) GTEST_SKIP() << "Graphviz is not installed";
  ASSERT_TRUE(drawn->succeeded()) << drawn->errors.substr(0, 1000);
  EXPECT_TRUE(report::is_plain_svg(drawn->output));
  std::size_t nodes = 0;
  for (std::size_t at = drawn->output.find("class=\"node\""); at != std::string::npos;
       at = drawn->output.find("class=\"node\"", at + 1)) {
    ++nodes;
  }
  EXPECT_EQ(nodes, texts_.size() +
                       1);  // an input, a node a text from the third on, the composite, an output
}

TEST_F(HostileModel, ItsTextFormIsPlainAndReadsBack) {
  for (const bool names_weights : {false, true}) {
    const std::string text = model::to_text(hostile_model(texts_, names_weights));
    expect_plain(text, "the text form");
    const auto again = model::parse_text(text);
    ASSERT_TRUE(again.ok()) << again.rejection().message();
    EXPECT_EQ(model::to_text(*again), text);
  }
}

TEST_F(HostileModel, EveryCommandShowsItsNames) {
  const std::string nodes = file_of("nodes.cambium", hostile_model(texts_, false));
  const std::string weights = file_of("weights.cambium", hostile_model(texts_, true));
  for (const std::string& model : {nodes, weights}) {
    expect_plain_run({"inspect", model}, 0);
    expect_plain_run({"inspect", model, "--json"}, 0);
    expect_plain_run({"inspect", model, "--dot"}, 0);
    expect_plain_run({"inspect", model, "--targets", "block:" + texts_[2]}, 2);
    expect_plain_run({"inspect", model, "--program"}, 0);
    expect_plain_run({"inspect", model, "--program", "--json"}, 0);
    expect_plain_run({"inspect", model, "--program", "0", "--trace", "--scheduled"}, 0);
    expect_plain_run({"inspect", model, "--program", "no such node"}, 2);
    expect_plain_run({"run", model, "--random", "-o", path("out")}, 0);
    expect_plain_run({"run", model, "--random", "--json"}, 0);
    expect_plain_run({"run", model, "--input", "a\x1b[2J=x.npy"}, 2);
    expect_plain_run({"convert", model, path("again.cambium")}, 0);
  }
  EXPECT_EQ(files_under("out").size(), 1U) << "the name of an output is no path";
}

TEST_F(HostileModel, GoesThroughOnnxAndBack) {
  if (!has_onnx()) GTEST_SKIP() << "built without ONNX";
  for (const bool names_weights : {false, true}) {
    const std::string model = file_of("model.cambium", hostile_model(texts_, names_weights));
    expect_plain_run({"convert", model, path("model.onnx")}, 0);
    expect_plain_run({"inspect", path("model.onnx"), "--json"}, 0);
    expect_plain_run({"run", path("model.onnx"), "--random"}, 0);
  }
}

TEST_F(HostileModel, CompilesToALibraryWhoseFilesStayInTheFolder) {
  if (!has_llvm()) GTEST_SKIP() << "built without LLVM";
  std::vector<std::string> names = {"../../../../tmp/hostile", std::string(100'000, 'n'), "\xff",
                                    "*/\n#error hostile\n/*"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string model = file_of("model.cambium", hostile_model(names[i]));
    const std::string folder = "library" + std::to_string(i);
    expect_plain_run({"compile", model, "-o", path(folder), "--json"}, 0);
    EXPECT_EQ(files_under(folder).size(), 4U);
    expect_plain(*read_file(path(folder) + "/manifest.json"), "the manifest");
  }
}

TEST_F(HostileModel, IsTunedAndExplained) {
  if (!has_llvm()) GTEST_SKIP() << "built without LLVM";
  const std::string model = file_of("model.cambium", hostile_model("\x1b[2J\n\u202e\xff|"));
  const std::string db = path("tuning.db");
  expect_plain_run({"tune", model, "--trials", "1", "--threads", "1", "--no-model", "--db", db}, 0);
  expect_plain_run({"tune", "--export", path("records.jsonl"), "--db", db}, 0);
  expect_plain(*read_file(path("records.jsonl")), "the records");
  expect_plain_run({"why", "1", "--db", db}, 0);
  expect_plain_run({"why", "1", "--db", db, "--json"}, 0);
}

// What is refused names what it found: each of these files holds hostile texts.
TEST_F(HostileModel, IsRefusedInOneLineThatObeysNobody) {
  const auto refused = [&](const std::vector<std::string>& arguments) {
    const ProcessOutcome outcome = plain_run(arguments);
    EXPECT_NE(outcome.code, 0) << arguments[0];
    EXPECT_EQ(std::count(outcome.errors.begin(), outcome.errors.end(), '\n'), 1) << outcome.errors;
  };
  for (const std::string text : {"\x1b[2J\u202egnp\u009b2J\xff", "\r\x1b[K\nnote: all is well\n"}) {
    const std::string name = model::quoted(text);
    refused({"inspect", path(text)});
    refused({"inspect", "zoo:" + text});
    refused({"convert", "zoo:tiny-resnet", path(text)});
    refused({"inspect", "zoo:tiny-resnet", "--bind", text + "=1"});
    refused({"inspect", "zoo:tiny-resnet", "--targets", text});
    refused({"run", "zoo:tiny-resnet", "--data", text});
    refused({"run", "zoo:tiny-resnet", "--random", "--" + text});
    refused({"synth", "parse", file("a.operator", text)});
    refused({"synth", "parse", text});
    refused({"tune", text});
    refused({"tune", "--import", file("a.jsonl", text + "\n"), "--db", path("t.db")});
    refused({"why", text, "--db", path("t.db")});
    refused({"study", "list", path(text)});
    refused({"report", file("no.study", text + std::string(600, 'x'))});
    refused({"bench", text});
    refused({"machine", text});
    const std::string begin = "cambium model 1 " + name + "\n";
    refused({"inspect", file("a.cambium", begin + text)});
    refused({"inspect", file("b.cambium", begin + "%0 " + name + " = " + text)});
    refused({"inspect",
             file("c.cambium", begin + "%0 " + name + " = input : f32[2]\n%1 " + name +
                                   " = matmul(%0, %0) : f32[2]\noutput " + name + " = %1\n")});
    refused({"inspect", file("d.onnx", text)});
  }
}

}  // namespace
}  // namespace cambium::tests
