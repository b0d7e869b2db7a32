#include "train/trainer.h"

#include <cmath>
#include <limits>
#include <new>

#include "base/file.h"
#include "model/composite.h"
#include "model/fingerprint.h"
#include "model/zoo/zoo.h"
#include "train/torch/trainer_testing.h"

namespace cambium::train {
namespace {

void expect_equal(const TrainReport& one, const TrainReport& other) {
  EXPECT_EQ(model::content_of(one.model), model::content_of(other.model));
  ASSERT_EQ(one.epochs.size(), other.epochs.size());
  for (std::size_t i = 0; i < one.epochs.size(); ++i) {
    EXPECT_EQ(one.epochs[i].loss, other.epochs[i].loss);
    EXPECT_EQ(one.epochs[i].rate, other.epochs[i].rate);
    ASSERT_EQ(one.epochs[i].validation.has_value(), other.epochs[i].validation.has_value());
    if (!one.epochs[i].validation) continue;
    EXPECT_EQ(one.epochs[i].validation->loss, other.epochs[i].validation->loss);
    EXPECT_EQ(one.epochs[i].validation->top1, other.epochs[i].validation->top1);
  }
  EXPECT_EQ(one.best_epoch, other.best_epoch);
}

TEST_F(Trainer, LearnsLinesAndJudgesThemOnTheTestSplit) {
  const TrainReport report = trained(options());
  EXPECT_EQ(report.ending, Ending::Finished);
  ASSERT_EQ(report.epochs.size(), 4u);
  EXPECT_EQ(report.step, 4 * 11);  // 360 of 400 images, 32 at a time
  EXPECT_LT(report.epochs.back().loss, report.epochs.front().loss);
  ASSERT_TRUE(report.best);
  EXPECT_EQ(report.best->samples, 40);
  EXPECT_GT(report.best->top1, 0.9);
  EXPECT_GE(report.best->top5, report.best->top1);
  EXPECT_EQ(report.parameters, 8 * 9 + 16 + 512 * 10 + 10);
  const auto test = judge(report.model, lines(data::Access::Evaluation), data::Split::Test, {});
  ASSERT_TRUE(test.ok()) << test.rejection().message();
  EXPECT_EQ(test->samples, 100);
  EXPECT_GT(test->top1, 0.9);
}

TEST_F(Trainer, LearnsWithEveryOptimizer) {
  for (const OptimizerKind kind : {OptimizerKind::AdamW, OptimizerKind::RmsProp}) {
    TrainOptions with = options();
    with.recipe.optimizer.kind = kind;
    with.recipe.optimizer.momentum = 0;
    with.recipe.rate.peak = 0.01;
    with.recipe.optimizer.clip = 5;
    with.recipe.label_smoothing = 0.1;
    EXPECT_GT(trained(with).best->top1, 0.8);
  }
}

TEST_F(Trainer, NeverReadsTheSealedTestSplit) {
  const auto refused = judge(small_network(), lines(), data::Split::Test, {});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.rejection().reason(), Reason::SplitSealed);
}

TEST_F(Trainer, GivesTheSameBitsForTheSameSeed) {
  TrainOptions with = options();
  with.recipe.augmentation = {.pad = 1, .flip = true, .cutout = 2};
  with.recipe.ema = 0.9;
  const TrainReport one = trained(with);
  expect_equal(one, trained(with));
  with.seed = 2;
  EXPECT_NE(model::content_of(one.model), model::content_of(trained(with).model));
}

TEST_F(Trainer, ResumesBitForBitAfterAKillBetweenEpochsAndAnInterruptionWithin) {
  for (const OptimizerKind kind : {OptimizerKind::Sgd, OptimizerKind::AdamW}) {
    TrainOptions with = options();
    with.recipe.optimizer.kind = kind;
    with.recipe.rate.peak = 0.02;
    with.recipe.augmentation = {.pad = 1, .flip = true, .cutout = 2};
    with.recipe.ema = 0.9;
    const TrainReport whole = trained(with);

    const data::test::TempFolder folder;
    with.checkpoint = folder / "training.checkpoint";
    std::atomic<bool> stop{false};
    with.interrupted = &stop;
    // After the second epoch and one step; what a kill would leave is the file alone.
    with.progress = [&](const Progress& progress) {
      if (progress.finished != nullptr && progress.finished->number == 2) stop = true;
    };
    const TrainReport part = trained(with);
    EXPECT_EQ(part.ending, Ending::Interrupted);
    EXPECT_EQ(part.step, 2 * 11 + 1);
    stop = false;
    with.progress = nullptr;
    expect_equal(trained(with), whole);
    expect_equal(trained(with), whole);  // a finished one is only read
  }
}

TEST_F(Trainer, GivesTheSameBitsTogetherAsOneByOne) {
  const data::Dataset data = lines();
  std::vector<TrainJob> jobs;
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    TrainOptions with = options();
    with.seed = seed;
    with.recipe.augmentation = {.pad = 1, .flip = true, .cutout = 2};
    jobs.push_back({small_network(), &data, with});
  }
  jobs[3].options.recipe.epochs = 0;
  const auto together = train_together(jobs, 3);
  ASSERT_EQ(together.size(), jobs.size());
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const auto alone = train(jobs[i].model, data, jobs[i].options);
    ASSERT_EQ(together[i].ok(), alone.ok());
    if (alone.ok()) expect_equal(*together[i], *alone);
  }
  EXPECT_EQ(together[3].rejection().reason(), Reason::BadOption) << "the others go on";
}

TEST_F(Trainer, BeginsNoOtherAfterAnInterruption) {
  const data::Dataset data = lines();
  const std::atomic<bool> stop{true};
  TrainOptions with = options();
  with.interrupted = &stop;
  const std::vector<TrainJob> jobs(3, {small_network(), &data, with});
  const auto done = train_together(jobs, 1);
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(done[0]->ending, Ending::Interrupted);
}

TEST_F(Trainer, SharesARuleAmongTrainingsAtOnce) {
  const data::Dataset data = lines();
  const auto rule = halving_rule(1, 2);
  int told = 0;  // by one thread at a time
  std::vector<TrainJob> jobs;
  for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6}) {
    TrainOptions with = options();
    with.seed = seed;
    with.stopping = rule.get();
    with.progress = [&told](const Progress& progress) {
      if (progress.finished != nullptr) ++told;
    };
    jobs.push_back({small_network(), &data, with});
  }
  int epochs = 0;
  for (const auto& each : train_together(jobs, 2)) {
    ASSERT_TRUE(each.ok());
    epochs += static_cast<int>(each->epochs.size());
  }
  EXPECT_EQ(told, epochs);
  EXPECT_TRUE(rule->stops({0.0}, 4)) << "the rule knows curves";
}

TEST_F(Trainer, RunsStepAfterStepOnACpu) {
  TrainOptions with = options();
  with.recipe.epochs = 1;
  with.traces = true;  // a matter of GPUs
  const TrainReport report = trained(with);
  EXPECT_FALSE(report.replayed);
  EXPECT_EQ(report.not_replayed, "");
  EXPECT_FALSE(report.kernels);
}

// On a GPU only: a recorded step computes what the same launches compute one by one.
TEST_F(Trainer, ReplaysOnAGpuWhatItWouldLaunch) {
  const auto gpu = device_of("cuda");
  if (!gpu.ok()) GTEST_SKIP() << gpu.rejection().message();
  for (const OptimizerKind kind :
       {OptimizerKind::Sgd, OptimizerKind::AdamW, OptimizerKind::RmsProp}) {
    TrainOptions with = options();
    with.device = *gpu;
    with.recipe.optimizer.kind = kind;
    with.recipe.optimizer.clip = 1;
    with.recipe.rate.peak = 0.01;
    with.recipe.label_smoothing = 0.1;
    with.recipe.ema = 0.9;
    with.recipe.augmentation = {.pad = 1, .flip = true, .cutout = 2};
    with.traces = true;
    const TrainReport replayed = trained(with);
    EXPECT_TRUE(replayed.replayed) << replayed.not_replayed;
    EXPECT_EQ(replayed.not_replayed, "");
    ASSERT_TRUE(replayed.kernels);
    EXPECT_GT(replayed.kernels->kernels, 10);
    EXPECT_GT(replayed.kernels->kernel_seconds, 0);
    with.replays = false;
    const TrainReport launched = trained(with);
    EXPECT_FALSE(launched.replayed);
    EXPECT_NE(launched.not_replayed, "");
    ASSERT_EQ(replayed.epochs.size(), launched.epochs.size());
    for (std::size_t i = 0; i < replayed.epochs.size(); ++i) {
      EXPECT_NEAR(replayed.epochs[i].loss, launched.epochs[i].loss, 2e-3);
    }
  }
}

TEST_F(Trainer, SaysOnAGpuWhereItDiverged) {
  const auto gpu = device_of("cuda");
  if (!gpu.ok()) GTEST_SKIP() << gpu.rejection().message();
  TrainOptions with = options();
  with.device = *gpu;
  with.recipe.rate = {.law = RateLaw::Constant, .peak = 1e5};
  const TrainReport ruined = trained(with);
  EXPECT_EQ(ruined.ending, Ending::Diverged);
  EXPECT_GE(ruined.step, 2);
  EXPECT_LE(ruined.step, 11);
}

TEST_F(Trainer, TrainsTogetherOnAGpu) {
  const auto gpu = device_of("cuda");
  if (!gpu.ok()) GTEST_SKIP() << gpu.rejection().message();
  const data::Dataset data = lines();
  std::vector<TrainJob> jobs;
  for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6, 7, 8}) {
    TrainOptions with = options();
    with.device = *gpu;
    with.seed = seed;
    jobs.push_back({small_network(), &data, with});
  }
  for (const auto& each : train_together(jobs, 4)) {
    ASSERT_TRUE(each.ok()) << each.rejection().message();
    EXPECT_TRUE(each->replayed) << each->not_replayed;
    EXPECT_GT(each->best->top1, 0.9);
  }
}

TEST_F(Trainer, SaysWhereItDiverged) {
  TrainOptions with = options();
  with.recipe.rate = {.law = RateLaw::Constant, .peak = 1e5};
  const TrainReport ruined = trained(with);
  EXPECT_EQ(ruined.ending, Ending::Diverged);
  EXPECT_GE(ruined.step, 2);
  EXPECT_LE(ruined.step, 11);
  EXPECT_NE(ruined.why.find("diverged at step " + std::to_string(ruined.step)), std::string::npos);
  EXPECT_EQ(model::content_of(ruined.model), model::content_of(small_network()))
      << "nothing was judged, so nothing of it is kept";
}

// The small network with all elements of a weight the same.
model::Model network_with(std::string_view weight, double value) {
  const model::Model whole = small_network();
  model::Builder edit(whole);
  for (const model::NodePtr& node : whole.nodes()) {
    if (node->name != weight) continue;
    edit.set_weight(node->id,
                    model::Tensor::lazy(node->outputs[0], {model::Fill::Law::Constant, value, 0}));
  }
  return std::move(edit).finish().value();
}

TEST_F(Trainer, DivergesAtTheFirstStepWhenTheLossIsNoNumber) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto out = train(network_with("b", nan), lines(), options());
  ASSERT_TRUE(out.ok()) << out.rejection().message();
  EXPECT_EQ(out->ending, Ending::Diverged);
  EXPECT_EQ(out->step, 1);
  EXPECT_NE(out->why.find("nan"), std::string::npos) << out->why;
}

// The one step has a finite loss, and leaves weights with which scores are not finite.
TEST_F(Trainer, SeesThatTheLastStepRuinedTheNetwork) {
  for (const bool validates : {true, false}) {
    TrainOptions with = options();
    with.validates = validates;
    with.recipe.epochs = 1;
    with.recipe.batch = 1000;
    with.recipe.rate = {.law = RateLaw::Constant, .peak = 1e6};
    const model::Model steep = network_with("scale", 1e20);
    const auto out = train(steep, lines(), with);
    ASSERT_TRUE(out.ok()) << out.rejection().message();
    EXPECT_EQ(out->ending, Ending::Diverged);
    EXPECT_EQ(out->step, 1);
    EXPECT_NE(out->why.find("diverged at step 1: "), std::string::npos) << out->why;
    EXPECT_EQ(model::content_of(out->model), model::content_of(steep)) << "nothing of it is kept";
  }
}

TEST_F(Trainer, KeepsTheBestWhenItDivergesLater) {
  // Weight decay that overshoots: every step makes the weights 1.9 times larger, so that the loss
  // passes ten thousand times the first in the second epoch.
  TrainOptions with = options();
  with.recipe.optimizer.momentum = 0;
  with.recipe.optimizer.weight_decay = 290;
  with.recipe.rate = {.law = RateLaw::Constant, .peak = 0.01};
  with.recipe.epochs = 1;
  const TrainReport first = trained(with);
  EXPECT_EQ(first.ending, Ending::Finished);
  const data::test::TempFolder folder;
  with.checkpoint = folder / "training.checkpoint";
  with.recipe.epochs = 2;
  const TrainReport ruined = trained(with);
  EXPECT_EQ(ruined.ending, Ending::Diverged);
  EXPECT_GT(ruined.step, 11);
  EXPECT_EQ(ruined.best_epoch, 1);
  EXPECT_EQ(model::content_of(ruined.model), model::content_of(first.model));
  EXPECT_TRUE(read_file(with.checkpoint).ok()) << "the checkpoint of the first epoch stays";
  EXPECT_EQ(trained(with).step, ruined.step) << "and going on from it ends the same way";
}

TEST_F(Trainer, StopsByARuleAndTeachesIt) {
  TrainOptions with = options();
  const auto strict = milestone_rule({{2, 1.01}});
  with.stopping = strict.get();
  const TrainReport stopped = trained(with);
  EXPECT_EQ(stopped.ending, Ending::StoppedEarly);
  EXPECT_EQ(stopped.epochs.size(), 2u);
  EXPECT_NE(stopped.why, "");

  const auto curve = curve_rule(1);
  with.stopping = curve.get();
  EXPECT_EQ(trained(with).ending, Ending::Finished) << "the first has nothing to compare with";
  EXPECT_TRUE(curve->stops({0.0}, 4)) << "the rule knows the first curve";
}

// A rule is not a part of what a checkpoint belongs to: it may be lifted, or another one come.
TEST_F(Trainer, GoesOnWhereOnlyTheRuleOfAnEarlierRunEndedIt) {
  const ScratchFolder folder;
  TrainOptions with = options();
  with.checkpoint = folder / "training.checkpoint";
  const auto strict = milestone_rule({{2, 1.01}});
  with.stopping = strict.get();
  ASSERT_EQ(trained(with).ending, Ending::StoppedEarly);
  EXPECT_EQ(trained(with).ending, Ending::StoppedEarly) << "the same rule says the same";
  with.stopping = nullptr;
  const TrainReport finished = trained(with);
  EXPECT_EQ(finished.ending, Ending::Finished);
  EXPECT_EQ(finished.epochs.size(), trained(options()).epochs.size());
}

TEST_F(Trainer, SaysThatACheckpointWasMadeInAnotherWay) {
  const ScratchFolder folder;
  TrainOptions with = options();
  with.recipe.epochs = 1;
  with.checkpoint = folder / "training.checkpoint";
  with.threads = 1;
  EXPECT_EQ(trained(with).note, "");
  EXPECT_EQ(trained(with).note, "");
  with.threads = 2;
  EXPECT_EQ(trained(with).note,
            with.checkpoint +
                ": the checkpoint was written with 1 threads on cpu and "
                "continues with 2 on cpu; the result differs in its last digits");
}

TEST_F(Trainer, EndsWhenTimeIsUp) {
  TrainOptions with = options();
  with.recipe.epochs = 1000;
  with.seconds = 0.2;
  const TrainReport report = trained(with);
  EXPECT_EQ(report.ending, Ending::OutOfTime);
  EXPECT_LT(report.step, 1000 * 11);
}

TEST_F(Trainer, TrainsOnTheWholeSplitWithoutValidation) {
  TrainOptions with = options();
  with.validates = false;
  with.recipe.epochs = 1;
  const TrainReport report = trained(with);
  EXPECT_EQ(report.step, 12);  // 400 images
  EXPECT_FALSE(report.best);
  EXPECT_NE(model::content_of(report.model), model::content_of(small_network()));
}

TEST_F(Trainer, AveragedWeightsAreJudged) {
  TrainOptions with = options();
  with.recipe.ema = 0.999;  // so slow that it stays where it began
  with.recipe.epochs = 1;
  const TrainReport slow = trained(with);
  with.recipe.ema = 0;
  EXPECT_LT(slow.best->top1, trained(with).best->top1);
}

TEST_F(Trainer, TrainsALanguageModel) {
  data::test::TempFolder folder;
  std::string text;
  for (int i = 0; i < 300; ++i) text += "the cat sat on the mat. ";
  folder.write("text.txt", text);
  const auto data = data::open_dataset("text:" + (folder / "text.txt"));
  ASSERT_TRUE(data.ok());
  const auto language = model::zoo::build(
      "tiny-gpt", {.batch = 1, .classes = 0, .image = 0, .length = 16, .width_divisor = 4});
  ASSERT_TRUE(language.ok()) << language.rejection().message();
  TrainOptions with;
  with.recipe = recipe_named("text").value();
  with.recipe.epochs = 2;
  with.recipe.batch = 16;
  with.recipe.length = 16;
  const auto report = train(*language, *data, with);
  ASSERT_TRUE(report.ok()) << report.rejection().message();
  ASSERT_TRUE(report->best);
  EXPECT_LT(report->best->perplexity, 60) << "256 would be knowing nothing";
  EXPECT_NEAR(report->best->perplexity, std::exp(report->best->loss), 1e-9);
  EXPECT_EQ(report->best->samples % 16, 0) << "every place of a window counts";

  with.recipe.length = 32;
  EXPECT_EQ(train(*language, *data, with).rejection().reason(), Reason::ShapeMismatch);
  EXPECT_EQ(train(small_network(), *data, with).rejection().reason(), Reason::ShapeMismatch);
}

// A kernel for the small network's relu, which is a composite then.
struct ReluProvider : KernelProvider {
  int forward = 0, backward = 0;
  std::optional<ProvidedKernel> kernel_for(const model::Model& body) override {
    const std::int64_t n = body.type(body.outputs()[0].value).elements();
    ProvidedKernel kernel;
    kernel.forward = [this, n](const auto& in, const auto& out) {
      ++forward;
      for (std::int64_t i = 0; i < n; ++i) out[0][i] = in[0][i] > 0 ? in[0][i] : 0;
    };
    kernel.backward = [this, n](const auto& in, const auto& gradients, const auto& out) {
      ++backward;
      for (std::int64_t i = 0; i < n; ++i) out[0][i] = in[0][i] > 0 ? gradients[0][i] : 0;
    };
    return kernel;
  }
};

TEST_F(Trainer, UsesKernelsThatAreProvidedForComposites) {
  const model::Model plain = small_network();
  model::Builder b(plain);
  for (const model::NodePtr& node : plain.nodes()) {
    if (node->name != "relu") continue;
    model::Builder body("body");
    const model::Value x = body.input("x", node->outputs[0]);
    body.output("y", body.add(model::Unary{model::UnaryFn::Relu}, {x}));
    const auto place = model::composite_of("test", "relu", std::move(body).finish().value());
    b.replace({node->id, 0}, b.add(place.value(), {node->inputs[0]}, "place"));
  }
  const model::Model composed = std::move(b).finish().value();
  ReluProvider provider;
  TrainOptions with = options();
  with.kernels = &provider;
  const auto provided = train(composed, lines(), with);
  ASSERT_TRUE(provided.ok()) << provided.rejection().message();
  EXPECT_GE(provider.backward, 4 * 11);
  EXPECT_GT(provider.forward, provider.backward) << "validation too";
  const auto expanded = train(composed, lines(), options());
  ASSERT_TRUE(expanded.ok()) << expanded.rejection().message();
  ASSERT_EQ(provided->epochs.size(), expanded->epochs.size());
  for (std::size_t i = 0; i < provided->epochs.size(); ++i) {
    EXPECT_NEAR(provided->epochs[i].loss, expanded->epochs[i].loss, 1e-3);
  }
  int composites = 0;
  for (const model::NodePtr& node : provided->model.nodes()) {
    composites += node->as<model::Composite>() != nullptr;
  }
  EXPECT_EQ(composites, 1) << "what was trained is the model that was given";
}

TEST_F(Trainer, TellsItsProgress) {
  TrainOptions with = options();
  std::vector<std::int64_t> finished;
  std::int64_t last = 0;
  with.progress = [&](const Progress& progress) {
    EXPECT_GE(progress.step, last);
    EXPECT_EQ(progress.steps, 44);
    last = progress.step;
    if (progress.finished != nullptr) finished.push_back(progress.finished->number);
  };
  trained(with);
  EXPECT_EQ(finished, (std::vector<std::int64_t>{1, 2, 3, 4}));
  EXPECT_EQ(last, 44);
}

TEST_F(Trainer, KeepsWhatItHasLearnedWhenMemoryRunsOut) {
  TrainOptions with = options();
  with.progress = [](const Progress& now) {  // in place of an allocation of the next epoch
    if (now.finished != nullptr && now.finished->number == 2) throw std::bad_alloc();
  };
  const TrainReport report = trained(with);
  ASSERT_TRUE(report.failed.has_value());
  EXPECT_EQ(report.failed->reason(), Reason::NotEnoughMemory);
  EXPECT_EQ(report.ending, Ending::Interrupted);
  EXPECT_EQ(report.epochs.size(), 2U);
  const auto quality = judge(report.model, lines(), data::Split::Validation, {});
  ASSERT_TRUE(quality.ok()) << quality.rejection().message();
  EXPECT_EQ(quality->top1, report.best->top1);
}

}  // namespace
}  // namespace cambium::train
