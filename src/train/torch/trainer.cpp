#include "train/trainer.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <new>
#include <system_error>
#include <utility>

#include <fmt/core.h>

#include "base/check.h"
#include "base/outputs.h"
#include "model/cost.h"
#include "train/rate.h"
#include "train/torch/checkpoint.h"
#include "train/torch/evaluate.h"
#include "train/torch/guarded.h"
#include "train/torch/memory.h"
#include "train/torch/network.h"
#include "train/torch/step.h"
#include "train/torch/task.h"
#include "train/torch/tensors.h"

namespace cambium::train {

namespace {

using torch::Tensor;
using Tensors = std::vector<Tensor>;
using Clock = std::chrono::steady_clock;

constexpr double kDivergence = 1e4;        // times the first loss, or 1 if that was less
constexpr std::int64_t kStepsUnread = 50;  // on a GPU, where reading a loss waits for the step
constexpr std::int64_t kStepsTraced = 20;
constexpr double kProgressSeconds = 0.1;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

Tensors copies(const Tensors& tensors) {
  Tensors out;
  for (const Tensor& each : tensors) out.push_back(each.detach().clone());
  return out;
}

void copy_into(const Tensors& tensors, const Tensors& values) {
  const torch::NoGradGuard without_gradients;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    Tensor to = tensors[i];
    to.copy_(values[i]);
  }
}

bool is_like(const Tensors& some, const Tensors& others) {
  if (some.size() != others.size()) return false;
  for (std::size_t i = 0; i < some.size(); ++i) {
    if (some[i].sizes() != others[i].sizes() || some[i].scalar_type() != others[i].scalar_type()) {
      return false;
    }
  }
  return true;
}

// Whether the network runs with every batch size that occurs: all batches are alike except the
// last.
Status check_batches(const Network& network, Batches& batches) {
  CAMBIUM_REQUIRE(network.takes_batch(batches.largest()));
  batches.begin(0);
  return network.takes_batch(batches.feed(batches.count() - 1)[0].size(0));
}

// Whether there is anything to train: a forward pass shows which parameters the scores depend on.
Status check_trainable(Network& network, Batches& batches, const TrainOptions& options) {
  batches.begin(0);
  const Tensor scores = scores_of(network, batches.batch(0), Network::Mode::Inference,
                                  options.recipe.precision, options.device);
  if (scores.requires_grad()) return Ok{};
  return Rejection(Reason::ShapeMismatch, "the model's scores",
                   "depend on no weight with a gradient");
}

// One training. Its state consists of `done_`, which a checkpoint holds, and of the tensors of
// network and optimizer.
class Training {
 public:
  Training(const model::Model& model, const TrainOptions& options, bool is_text, Network network,
           std::unique_ptr<Batches> batches, std::unique_ptr<Batches> validation)
      : model_(model),
        options_(options),
        recipe_(options.recipe),
        is_text_(is_text),
        batches_(std::move(batches)),
        validation_(std::move(validation)),
        step_(std::move(network), *batches_, recipe_, options.device, options.replays),
        state_(step_.state()),
        averaged_(step_.averaged()) {}

  Status resume(const Fingerprint& training, const Fingerprint& classes) {
    done_.training = training;
    done_.classes = classes;
    done_.threads = options_.threads;
    done_.device = options_.device.text();
    if (options_.checkpoint.empty()) return Ok{};
    CAMBIUM_REQUIRE(check_output_file(options_.checkpoint));
    std::error_code ignored;
    if (!std::filesystem::exists(options_.checkpoint, ignored)) return Ok{};
    CAMBIUM_TRY(done_, load_checkpoint(options_.checkpoint, training));
    note_other_way();
    CAMBIUM_REQUIRE(check_classes(done_.classes, classes).at(options_.checkpoint));
    done_.classes = classes;
    const bool fits =
        done_.epoch <= recipe_.epochs && done_.index < batches_->count() &&
        is_like(done_.now, state_) && is_like(done_.remembered, step_.remembered()) &&
        (averaged_.empty() ? done_.averaged.empty() : is_like(done_.averaged, state_)) &&
        (done_.best.empty() || is_like(done_.best, state_));
    if (!fits) {
      return Rejection(Reason::BadRecord,
                       "the tensors of the checkpoint differ from those of the model", "", 1)
          .at(options_.checkpoint);
    }
    copy_into(state_, done_.now);
    if (!averaged_.empty()) copy_into(averaged_, done_.averaged);
    copy_into(step_.remembered(), done_.remembered);
    return Ok{};
  }

  // If an allocation fails after the first epoch, the result so far is kept.
  Result<TrainReport> run() {
    auto ran = guarded<TrainReport>(model_, recipe_.batch,
                                    [&]() -> Result<TrainReport> { return run_to_the_end(); });
    if (!ran.ok() && done_.epoch == 0) return ran;
    TrainReport out =
        ran.ok() ? std::move(ran).value() : report(Ending::Interrupted, std::move(ran).rejection());
    if (options_.traces && options_.device.is_cuda() && done_.epoch > 0 && !out.failed) {
      auto kernels = traced();
      if (kernels.ok()) {
        out.kernels = *kernels;
      } else {
        out.failed = std::move(kernels).rejection();
      }
    }
    return out;
  }

 private:
  // Another number of threads or another device adds in another order.
  void note_other_way() {
    const std::string device = options_.device.text();
    const bool is_known = done_.threads > 0 && !done_.device.empty();
    if (is_known && (done_.threads != options_.threads || done_.device != device)) {
      done_.note += fmt::format(
          "{}the checkpoint was written with {} threads on {} and continues with {} on {}; the "
          "result "
          "differs in its last digits",
          done_.note.empty() ? "" : "; ", done_.threads, done_.device, options_.threads, device);
    }
    done_.threads = options_.threads;
    done_.device = device;
  }

  TrainReport run_to_the_end() {
    start_ = Clock::now();
    Status saved = Ok{};
    // The rule of an earlier run may have ended it; the present rule counts.
    if (!done_.stopped.empty()) done_.stopped = reason_to_stop();
    while (done_.epoch < recipe_.epochs && done_.stopped.empty()) {
      // Without its checkpoint it would continue in vain: another stop would lose the work.
      if (!saved.ok()) return report(Ending::Interrupted, saved);
      const Ending ending = run_epoch();
      if (ending == Ending::Diverged) return report(ending);  // the checkpoint stays as it was
      if (ending != Ending::Finished) return report(ending, write_checkpoint());
      if (!finish_epoch()) return report(Ending::Diverged);
      saved = write_checkpoint();
    }
    if (options_.stopping != nullptr) options_.stopping->learn(curve(), done_.stopped.empty());
    return report(done_.stopped.empty() ? Ending::Finished : Ending::StoppedEarly, saved);
  }

  // Traces steps after the training, whose result is discarded, so tracing slows nothing that is
  // reported. They are compared with the time of the epochs, without the first, which begins
  // slowly.
  Result<StepTime> traced() {
    StepTime out;
    const auto first = done_.epochs.begin() + (done_.epochs.size() > 1 ? 1 : 0);
    for (auto epoch = first; epoch != done_.epochs.end(); ++epoch) {
      out.seconds +=
          epoch->seconds / static_cast<double>(batches_->count() * (done_.epochs.end() - first));
    }
    batches_->begin(0);
    const std::int64_t steps = std::min(kStepsTraced, batches_->count());
    CAMBIUM_TRY(const KernelTime kernels, kernel_time(options_.device, [&] {
                  for (std::int64_t i = 0; i < steps; ++i) step_.run(batches_->feed(i), 0, i);
                }));
    out.kernels = static_cast<double>(kernels.kernels) / static_cast<double>(steps);
    out.kernel_seconds = kernels.seconds / static_cast<double>(steps);
    return out;
  }

  std::int64_t steps() const { return recipe_.epochs * batches_->count(); }
  std::int64_t step() const { return done_.epoch * batches_->count() + done_.index; }
  double seconds() const { return done_.seconds + seconds_since(start_); }
  double rate_now() const { return rate_at(recipe_.rate, step(), steps()); }

  // More is better: accuracy, or for text the mean probability that the model gives the next token.
  double score(const Quality& quality) const {
    return is_text_ ? 1 / quality.perplexity : quality.top1;
  }

  Curve curve() const {
    Curve out;
    for (const Epoch& each : done_.epochs) {
      if (each.validation) out.push_back(score(*each.validation));
    }
    return out;
  }

  Tensor step_once() {
    const Feed feed = batches_->feed(done_.index);
    samples_ += feed[0].size(0);
    return step_.run(feed, rate_now(), step());
  }

  // Reads the losses of the steps since the last reading; false: one of them shows a divergence.
  bool read_losses() {
    if (unread_.empty()) return true;
    const Tensor values = torch::stack(unread_).to(torch::kCPU, torch::kDouble);
    const std::int64_t first_step = step() - static_cast<std::int64_t>(unread_.size());
    for (std::size_t i = 0; i < unread_.size(); ++i) {
      const double loss = values.data_ptr<double>()[i];
      const std::int64_t at = first_step + static_cast<std::int64_t>(i);
      if (at == 0) done_.first_loss = loss;
      if (!std::isfinite(loss) || loss > kDivergence * std::max(done_.first_loss, 1.0)) {
        diverge(at + 1, fmt::format("the loss is {:.4g}", loss));
        return false;
      }
      done_.loss_sum += loss;
      last_loss_ = loss;
    }
    unread_.clear();
    return true;
  }

  void diverge(std::int64_t at, const std::string& how) {
    why_ = fmt::format("diverged at step {}: {}", at, how);
    diverged_at_ = at;
  }

  Ending run_epoch() {
    const auto begun = Clock::now();
    const std::int64_t before = samples_;
    batches_->begin(done_.epoch);
    Ending ending = Ending::Finished;
    while (done_.index < batches_->count() && ending == Ending::Finished) {
      unread_.push_back(step_once());
      rate_ = rate_now();
      ++done_.index;
      const bool reads = !options_.device.is_cuda() || done_.index == batches_->count() ||
                         static_cast<std::int64_t>(unread_.size()) >= kStepsUnread;
      if (reads && !read_losses()) return Ending::Diverged;
      tell(begun, before);
      if (done_.index == batches_->count()) break;
      if (options_.interrupted != nullptr && options_.interrupted->load()) {
        ending = Ending::Interrupted;
      } else if (options_.seconds > 0 && seconds_since(start_) > options_.seconds) {
        ending = Ending::OutOfTime;
      }
    }
    if (!read_losses()) return Ending::Diverged;
    epoch_seconds_ = seconds_since(begun);
    epoch_samples_ = samples_ - before;
    return ending;
  }

  // False: the last step ruined the weights, which only a later loss shows.
  bool finish_epoch() {
    Epoch epoch;
    epoch.number = done_.epoch + 1;
    epoch.loss = done_.loss_sum / static_cast<double>(batches_->count());
    epoch.rate = rate_;
    epoch.seconds = epoch_seconds_;
    epoch.samples_per_second = static_cast<double>(epoch_samples_) / epoch_seconds_;
    if (validation_ != nullptr) epoch.validation = validated();
    const double behind = epoch.validation ? epoch.validation->loss : loss_of_last_batch();
    if (!std::isfinite(behind)) {
      diverge(step(), fmt::format("the next loss is {:.4g}", behind));
      return false;
    }
    if (epoch.validation) keep_if_best(epoch.number, *epoch.validation);
    done_.epochs.push_back(std::move(epoch));
    ++done_.epoch;
    done_.index = 0;
    done_.loss_sum = 0;
    tell_now();
    done_.stopped = reason_to_stop();
    return true;
  }

  // Empty: the rule lets it continue, or there is no rule.
  std::string reason_to_stop() const {
    if (options_.stopping == nullptr || validation_ == nullptr) return "";
    return options_.stopping->stops(curve(), recipe_.epochs).value_or("");
  }

  // With the present weights.
  double loss_of_last_batch() {
    const torch::NoGradGuard without_gradients;
    const Batch batch = batches_->batch(batches_->count() - 1);
    const Tensor scores = scores_of(step_.network(), batch, Network::Mode::Inference,
                                    recipe_.precision, options_.device);
    return torch::cross_entropy_loss(scores, batch.targets).item<double>();
  }

  Quality validated() {
    const Tensors last = averaged_.empty() ? Tensors() : copies(state_);
    if (!averaged_.empty()) copy_into(state_, averaged_);
    const Quality quality =
        evaluate(step_.network(), *validation_, is_text_, recipe_.precision, options_.device);
    if (!averaged_.empty()) copy_into(state_, last);
    return quality;
  }

  void keep_if_best(std::int64_t epoch, const Quality& quality) {
    if (done_.best_epoch > 0 && score(quality) <= score(*best_quality())) return;
    done_.best_epoch = epoch;
    done_.best = copies(averaged_.empty() ? state_ : averaged_);
  }

  std::optional<Quality> best_quality() const {
    if (done_.best_epoch == 0) return {};
    return done_.epochs[static_cast<std::size_t>(done_.best_epoch - 1)].validation;
  }

  Status write_checkpoint() {
    if (options_.checkpoint.empty()) return Ok{};
    Checkpoint out = done_;
    out.seconds = seconds();
    out.now = state_;
    out.averaged = averaged_;
    out.remembered = step_.remembered();
    return save_checkpoint(out, options_.checkpoint);
  }

  void tell(Clock::time_point begun, std::int64_t before) {
    if (!options_.progress || seconds_since(told_) < kProgressSeconds) return;
    const double passed = seconds_since(begun);
    speed_ = passed > 0 ? static_cast<double>(samples_ - before) / passed : 0;
    tell_now();
  }

  void tell_now() {
    if (!options_.progress) return;
    Progress progress;
    progress.step = step();
    progress.steps = steps();
    progress.epoch = std::min(done_.epoch + 1, recipe_.epochs);
    progress.epochs = recipe_.epochs;
    progress.loss = last_loss_;
    progress.samples_per_second = speed_;
    const double rate = static_cast<double>(step()) / std::max(seconds(), 1e-9);
    if (rate > 0) progress.seconds_left = static_cast<double>(steps() - step()) / rate;
    if (!done_.epochs.empty()) progress.validation = done_.epochs.back().validation;
    progress.finished = done_.index == 0 && !done_.epochs.empty() ? &done_.epochs.back() : nullptr;
    options_.progress(progress);
    told_ = Clock::now();
  }

  TrainReport report(Ending ending, const Status& saved = Ok{}) {
    TrainReport out;
    out.ending = ending;
    if (!done_.note.empty()) out.note = options_.checkpoint + ": " + done_.note;
    if (!saved.ok()) out.failed = saved.rejection();
    switch (ending) {
      case Ending::Finished: break;
      case Ending::StoppedEarly: out.why = done_.stopped; break;
      case Ending::Diverged: out.why = why_; break;
      case Ending::Interrupted: out.why = fmt::format("interrupted at step {}", step()); break;
      case Ending::OutOfTime: out.why = fmt::format("out of time at step {}", step()); break;
    }
    out.step = ending == Ending::Diverged ? diverged_at_ : step();
    out.epochs = done_.epochs;
    out.best_epoch = done_.best_epoch;
    out.best = best_quality();
    if (!done_.epochs.empty()) out.last = done_.epochs.back().validation;
    out.model = judged(ending);
    out.seconds = seconds();
    out.samples_per_second = mean_speed();
    out.replayed = step_.is_replayed();
    out.not_replayed = step_.not_replayed();
    for (const Parameter& each : step_.network().parameters())
      out.parameters += each.tensor.numel();
    return out;
  }

  double mean_speed() const {
    double samples = static_cast<double>(epoch_samples_), spent = epoch_seconds_;
    if (!done_.epochs.empty()) samples = spent = 0;
    for (const Epoch& each : done_.epochs) {
      samples += each.samples_per_second * each.seconds;
      spent += each.seconds;
    }
    return spent > 0 ? samples / spent : 0;
  }

  // The weights that were best on validation; without validation the last ones, unless they are
  // ruined.
  model::Model judged(Ending ending) {
    if (!done_.best.empty()) {
      copy_into(state_, done_.best);
    } else if (ending == Ending::Diverged) {
      return model_;
    } else if (!averaged_.empty()) {
      copy_into(state_, averaged_);
    }
    return step_.network().trained();
  }

  const model::Model& model_;
  const TrainOptions& options_;
  const Recipe& recipe_;
  bool is_text_;
  std::unique_ptr<Batches> batches_, validation_;
  Step step_;
  const Tensors &state_, &averaged_;  // of the step
  Checkpoint done_;

  Clock::time_point start_ = Clock::now(), told_ = start_;
  std::int64_t samples_ = 0, epoch_samples_ = 0;
  double epoch_seconds_ = 0, rate_ = 0, last_loss_ = 0, speed_ = 0;
  Tensors unread_;
  std::string why_;
  std::int64_t diverged_at_ = 0;
};

}  // namespace

Result<TrainReport> train(const model::Model& model, const data::Dataset& data,
                          const TrainOptions& options) {
  const Recipe& recipe = options.recipe;
  CAMBIUM_REQUIRE(check(recipe));
  if (options.threads < 1) return Rejection(Reason::BadOption, "threads", "at least 1");
  set_threads(options.threads);
  const std::shared_ptr<void> stream = own_stream(options.device);
  return guarded<TrainReport>(model, recipe.batch, [&]() -> Result<TrainReport> {
    TaskOptions task;
    task.batch = recipe.batch;
    task.length = recipe.length;
    task.augmentation = recipe.augmentation;
    task.channels_last = recipe.channels_last;
    task.trains = true;
    task.whole = !options.validates;
    task.device = options.device;
    task.seed = options.seed;
    CAMBIUM_TRY(std::unique_ptr<Batches> batches,
                batches_of(model, data, data::Split::Train, task));
    std::unique_ptr<Batches> validation;
    if (options.validates) {
      task.trains = false;
      task.augmentation = {};
      CAMBIUM_TRY(validation, batches_of(model, data, data::Split::Validation, task));
    }
    if (!options.device.is_cuda()) {
      CAMBIUM_REQUIRE(check_batch_memory(model, batches->largest()));
      keep_memory();
    }
    CAMBIUM_TRY(Network network,
                Network::make(model, {options.device, recipe.channels_last, options.kernels}));
    CAMBIUM_REQUIRE(check_batches(network, *batches));
    if (validation != nullptr) CAMBIUM_REQUIRE(check_batches(network, *validation));
    CAMBIUM_REQUIRE(check_trainable(network, *batches, options));
    Training training(model, options, data.is_text(), std::move(network), std::move(batches),
                      std::move(validation));
    CAMBIUM_REQUIRE(training.resume(training_of(model, data, options), classes_of(data)));
    return training.run();
  });
}

namespace {

// Calls use(network, batches) when both are made and fit each other.
template <class T, class Use>
Result<T> with_split(const model::Model& model, const data::Dataset& data, data::Split split,
                     const JudgeOptions& options, const Use& use) {
  if (options.threads < 1 || options.batch < 1) {
    return Rejection(Reason::BadOption, "threads and batch", "at least 1");
  }
  set_threads(options.threads);
  const std::shared_ptr<void> stream = own_stream(options.device);
  return guarded<T>(model, options.batch, [&]() -> Result<T> {
    TaskOptions task;
    task.batch = options.batch;
    task.length = options.length;
    task.device = options.device;
    CAMBIUM_TRY(const std::unique_ptr<Batches> batches, batches_of(model, data, split, task));
    CAMBIUM_TRY(Network network,
                Network::make(model, {options.device, /*channels_last=*/true, nullptr}));
    CAMBIUM_REQUIRE(check_batches(network, *batches));
    return use(network, *batches);
  });
}

}  // namespace

Result<Quality> judge(const model::Model& model, const data::Dataset& data, data::Split split,
                      const JudgeOptions& options) {
  return with_split<Quality>(model, data, split, options, [&](Network& network, Batches& batches) {
    return evaluate(network, batches, data.is_text(), options.precision, options.device);
  });
}

Status check_split(const model::Model& model, const data::Dataset& data, data::Split split,
                   const JudgeOptions& options) {
  return with_split<Ok>(model, data, split, options, [](Network&, Batches&) { return Ok{}; });
}

}  // namespace cambium::train
