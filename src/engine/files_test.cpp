#include "engine/files.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "base/features.h"
#include "base/file.h"
#include "base/scratch_folder_testing.h"
#include "engine/memory.h"
#include "engine/npy.h"
#include "model/builder.h"
#include "model/fingerprint.h"

namespace cambium::engine {
namespace {

TEST(Files, LoadsAModelOfTheZooWithItsSizes) {
  const auto loaded = load_model("zoo:tiny-resnet", {{{"batch", 4}, {"classes", 3}}, 1});
  ASSERT_TRUE(loaded.ok()) << loaded.rejection().message();
  EXPECT_EQ(loaded->model.type(loaded->model.outputs()[0].value).dims, (model::Ints{4, 3}));
}

TEST(Files, SeedsTheWeightsOfTheZoo) {
  const auto content = [](std::uint64_t seed) {
    return content_of(load_model("zoo:tiny-resnet", {{}, seed}).value().model);
  };
  EXPECT_EQ(content(1), content(1));
  EXPECT_NE(content(1), content(2));
}

TEST(Files, RefusesASizeThatTheModelDoesNotHave) {
  const auto loaded = load_model("zoo:tiny-resnet", {{{"height", 4}}, 1});
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.rejection().reason(), Reason::UnknownBinding);
}

TEST(Files, KeepsAModelInTextForm) {
  const ScratchFolder folder;
  const std::string path = folder / "kept.cambium";
  const auto model = load_model("zoo:tiny-resnet").value().model;
  ASSERT_TRUE(save_model(model, path).ok());
  EXPECT_EQ(content_of(load_model(path).value().model), content_of(model));
  EXPECT_EQ(load_model(path, {{{"batch", 2}}, 1}).rejection().reason(), Reason::UnknownBinding);
  std::filesystem::remove(path);
}

TEST(Files, KeepsTheNamesOfClasses) {
  const ScratchFolder folder;
  const auto model = load_model("zoo:tiny-resnet").value().model;
  const std::vector<std::string> classes = {"ant", "d\xc3\xa9j\xc3\xa0", "a \"quoted\"\nname #"};
  std::vector<std::string> paths = {folder / "kept.cambium"};
  if (require_feature("onnx").ok()) paths.push_back(folder / "kept.onnx");
  for (const std::string& path : paths) {
    ASSERT_TRUE(save_model(model, path, classes).ok());
    const auto loaded = load_model(path);
    ASSERT_TRUE(loaded.ok()) << loaded.rejection().message();
    EXPECT_EQ(loaded->classes, classes) << path;
    EXPECT_EQ(loaded->model.nodes().size(), model.nodes().size());
    ASSERT_TRUE(save_model(model, path).ok());
    EXPECT_TRUE(load_model(path)->classes.empty()) << path;
    // Names that no text can hold are left out, rather than changed.
    ASSERT_TRUE(save_model(model, path, {"\xff", "b"}).ok());
    EXPECT_TRUE(load_model(path)->classes.empty()) << path;
  }
}

TEST(Files, SaysBeforeTheWorkThatAModelCannotBeWritten) {
  const ScratchFolder folder;
  const auto model = load_model("zoo:tiny-resnet").value().model;
  for (const char* name : {"none/net.cambium", "none/net.onnx"}) {
    EXPECT_EQ(check_model_path(folder / name).rejection().reason(), Reason::Unwritable);
    EXPECT_EQ(check_savable(model, folder / name).rejection().reason(), Reason::Unwritable);
  }
  EXPECT_TRUE(check_savable(model, folder / "net.cambium").ok());
  EXPECT_EQ(check_savable(model, folder / "net.onnx").ok(), require_feature("onnx").ok());
  EXPECT_FALSE(std::filesystem::exists(folder / "net.onnx"));
}

TEST(Files, RefusesFormsThatItDoesNotKnow) {
  EXPECT_EQ(load_model("net.pt").rejection().reason(), Reason::BadOption);
  EXPECT_EQ(check_model_path("net.pt").rejection().reason(), Reason::BadOption);
  EXPECT_EQ(load_tensor("x.csv").rejection().reason(), Reason::BadOption);
  EXPECT_EQ(load_tensor(ScratchFolder() / "none.npy").rejection().reason(), Reason::NotFound);
}

TEST(Files, RefusesOnnxWhereTheBuildLacksIt) {
  if (require_feature("onnx").ok()) GTEST_SKIP() << "this build has it";
  EXPECT_EQ(load_model("net.onnx").rejection().reason(), Reason::Unavailable);
  EXPECT_EQ(load_tensor("x.pb").rejection().reason(), Reason::Unavailable);
}

TEST(Memory, RefusesWhatNoMachineHolds) {
  model::Builder b("huge");
  const model::Value x = b.input("x", {DType::F32, {1 << 19, 1 << 18}});
  b.output("y", b.add(model::Unary{model::UnaryFn::Exp}, {x}));
  const model::Model model = std::move(b).finish().value();
  EXPECT_TRUE(check_memory(model, 0).ok());  // it has no weights
  const Status status = check_memory(model, 1000);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.rejection().reason(), Reason::NotEnoughMemory);
}

}  // namespace
}  // namespace cambium::engine
