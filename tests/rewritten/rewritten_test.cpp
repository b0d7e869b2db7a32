// tiny-ResNet with all of its 3x3 convolutions replaced by operators that were sampled: sound, and
// the same by the reference executor, as ONNX, as native code and as PyTorch source.
#include <cmath>

#include <gtest/gtest.h>

#include "base/scratch_folder_testing.h"
#include "compile/compile_testing.h"
#include "model/onnx/round_trip_testing.h"
#include "model/pytorch/check_testing.h"
#include "model/verify.h"
#include "model/zoo/zoo.h"
#include "onnx_runtime_testing.h"
#include "spaces/coordinate/search/space.h"

namespace cambium::spaces::coordinate {
namespace {

class Rewritten : public testing::Test {
 protected:
  void SetUp() override {
    space_ = CoordinateSpace::make(base_, model::select(base_, "conv:k=3").value()).value();
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      Candidate candidate{model::structure_of(base_), space_->samples()->sample(seed).value(), {}};
      documents_.push_back(candidate.edits[0].document);
      models_.push_back(spaces::apply(base_, candidate, {space_.get()}).value());
    }
  }

  model::Model base_ = model::zoo::build("tiny-resnet", {.batch = 2, .image = 16}).value();
  std::unique_ptr<CoordinateSpace> space_;
  std::vector<std::string> documents_;
  std::vector<model::Model> models_;
};

TEST_F(Rewritten, AreSoundAndComputeFiniteNumbers) {
  for (std::size_t i = 0; i < models_.size(); ++i) {
    SCOPED_TRACE(documents_[i]);
    EXPECT_TRUE(model::verify(models_[i]).ok());
    const auto inputs = compile::random_inputs(models_[i], 3);
    const std::vector<double> y = model::execute(models_[i], inputs).value()[0].to_doubles();
    for (const double value : y) EXPECT_TRUE(std::isfinite(value));
  }
}

TEST_F(Rewritten, LeaveAsOnnxThatTheCheckerAcceptsAndThatComputesTheSame) {
  const ScratchFolder folder;
  for (std::size_t i = 0; i < models_.size(); ++i) {
    SCOPED_TRACE(documents_[i]);
    const std::string file = folder / ("model" + std::to_string(i) + ".onnx");
    ASSERT_TRUE(model::export_onnx(models_[i], file).ok());
    const auto inputs = compile::random_inputs(models_[i], 3);
    const model::Model read = model::import_onnx(file).value().model;
    compile::expect_near(model::execute(models_[i], inputs).value(),
                         model::execute(read, inputs).value(), 1e-4);
  }
  model::expect_checker_accepts(folder.path());
}

TEST_F(Rewritten, LeaveAsStandardOnnxThatOnnxRuntimeComputesAlike) {
  const ScratchFolder folder;
  tests::OnnxRuntimeCheck check;
  for (std::size_t i = 0; i < models_.size(); ++i) {
    const std::string file = folder / ("model" + std::to_string(i) + ".onnx");
    ASSERT_TRUE(model::export_onnx(models_[i], file).ok());
    const auto inputs = compile::random_inputs(models_[i], 3);
    check.add(file, inputs, model::execute(models_[i], inputs).value());
  }
  check.run();
}

TEST_F(Rewritten, ComputeTheSameAsNativeCode) {
  CAMBIUM_SKIP_WITHOUT_LLVM();
  for (std::size_t i = 0; i < models_.size(); ++i) {
    SCOPED_TRACE(documents_[i]);
    compile::expect_native_equals_reference(models_[i]);
  }
}

TEST_F(Rewritten, ComputeTheSameInPytorch) {
  model::PytorchCheck check;
  for (const model::Model& model : models_) check.add(model);
  check.run();
}

}  // namespace
}  // namespace cambium::spaces::coordinate
