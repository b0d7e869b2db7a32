#include "engine/run.h"

#include <cmath>
#include <filesystem>

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/scratch_folder_testing.h"
#include "engine/files.h"
#include "engine/npy.h"
#include "model/builder.h"

namespace cambium::engine {
namespace {

using model::Tensor;

model::Model sum_of_two() {
  model::Builder b("sum");
  const model::Value x = b.input("x", {DType::F32, {2}}), y = b.input("y", {DType::F32, {2}});
  b.output("z", b.add(model::Binary{model::BinaryFn::Add}, {x, y}));
  return std::move(b).finish().value();
}

TEST(Run, NeedsEveryInputByItsName) {
  const ScratchFolder folder;
  const std::string path = folder / "x.npy";
  ASSERT_TRUE(write_file(path, to_npy(Tensor::of<float>({2}, {1, 2}))).ok());
  const model::Model model = sum_of_two();
  const auto both = read_inputs(model, {{"x", path}, {"y", path}});
  ASSERT_TRUE(both.ok()) << both.rejection().message();
  const auto outcome = run_model(model, *both, {});
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome->executor, "reference");
  EXPECT_EQ(outcome->outputs[0].name, "z");
  EXPECT_EQ(outcome->outputs[0].value.as<float>()[1], 4);

  EXPECT_EQ(read_inputs(model, {{"x", path}}).rejection().message(),
            "--input: give y=FILE too (f32[2])");
  EXPECT_EQ(read_inputs(model, {{"", path}}).rejection().reason(), Reason::BadOption);
  EXPECT_EQ(read_inputs(model, {{"x", path}, {"z", path}}).rejection().reason(), Reason::BadOption);
}

TEST(Run, SummarizesWithoutCountingNans) {
  const OutputRow row =
      summarize({"y", Tensor::of<float>({4}, {1, std::nanf(""), -3, std::nanf("")})});
  EXPECT_EQ(row.low, -3);
  EXPECT_EQ(row.high, 1);
  EXPECT_EQ(row.mean, -1);
  EXPECT_EQ(row.nans, 2);
  EXPECT_EQ(row.head.size(), 4u);
}

TEST(Run, WritesOutputsOnlyIntoTheirFolder) {
  const ScratchFolder scratch;
  const std::string folder = scratch / "out";
  const Tensor one = Tensor::scalar<float>(1);
  const std::vector<NamedTensor> outputs = {{"../../a/b", one}, {"", one}, {"..", one}};
  std::vector<OutputRow> rows(outputs.size());
  ASSERT_TRUE(write_outputs(outputs, folder, rows).ok());
  for (const OutputRow& row : rows) {
    EXPECT_EQ(std::filesystem::path(row.file).parent_path(), folder);
    EXPECT_TRUE(load_tensor(row.file).ok());
  }
}

TEST(Run, RandomInputsFollowTheSeed) {
  const model::Model model = sum_of_two();
  const auto first = random_inputs(model, 1), again = random_inputs(model, 1);
  EXPECT_EQ(first[0].fingerprint(), again[0].fingerprint());
  EXPECT_NE(first[0].fingerprint(), first[1].fingerprint());
  EXPECT_NE(first[0].fingerprint(), random_inputs(model, 2)[0].fingerprint());
}

}  // namespace
}  // namespace cambium::engine
