// Trains a model on a data set and says how good it became. The validation split is carved out of
// the training split; the test split is only read by `judge`, never here. A loss that is not finite
// ends the training as a result ("diverged at step n"), not as an error. Called by engine.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/dataset.h"
#include "model/model.h"
#include "train/device.h"
#include "train/kernel_provider.h"
#include "train/recipe.h"
#include "train/stopping.h"

namespace cambium::train {

// Of a split. Images: accuracies; text: perplexity and the accuracy of the next token.
struct Quality {
  std::int64_t samples = 0;
  double loss = 0;  // mean cross-entropy without smoothing
  double top1 = 0, top5 = 0;
  double perplexity = 0;  // of text; 0 otherwise
};

struct Epoch {
  std::int64_t number = 0;  // 1, 2, ...
  double loss = 0;          // mean over its batches, as optimized
  double rate = 0;          // at its last step
  std::optional<Quality> validation;
  double seconds = 0;
  double samples_per_second = 0;
};

// Of a GPU: what a step takes, and what its kernels take of that.
struct StepTime {
  double seconds = 0;
  double kernels = 0;         // launched per step
  double kernel_seconds = 0;  // in which at least one of them ran
  double outside() const { return seconds > 0 ? 1 - kernel_seconds / seconds : 0; }
};

enum class Ending : std::uint8_t { Finished, StoppedEarly, Diverged, Interrupted, OutOfTime };

struct TrainReport {
  Ending ending = Ending::Finished;
  std::string why;        // of an early end
  std::int64_t step = 0;  // where it ended
  std::vector<Epoch> epochs;
  std::optional<Quality> best, last;  // validation
  std::int64_t best_epoch = 0;
  model::Model model;  // with the weights that were judged best on validation, or the last ones
  double seconds = 0;
  double samples_per_second = 0;  // without evaluation
  std::int64_t parameters = 0;
  std::string note;  // about the checkpoint that it went on from; empty: nothing
  // What failed although the training did not: its checkpoint could not be written or memory ran
  // out, and it ended there, or its kernels could not be traced. The model is as it was then.
  std::optional<Rejection> failed;
  bool replayed = false;            // the step of a GPU was recorded and replayed
  std::string not_replayed;         // why not, of a GPU
  std::optional<StepTime> kernels;  // where asked for
};

struct Progress {
  std::int64_t step = 0, steps = 0, epoch = 0, epochs = 0;
  double loss = 0, samples_per_second = 0, seconds_left = 0;
  std::optional<Quality> validation;  // of the epoch before
  const Epoch* finished = nullptr;    // the epoch that has just ended, told once
};

struct TrainOptions {
  Recipe recipe;
  Device device;
  int threads = 1;
  std::uint64_t seed = 1;
  bool validates = true;   // false: trains on the whole training split, no validation
  std::string checkpoint;  // a file; written after every epoch, read first if it is there
  double seconds = 0;      // 0: no limit
  StoppingRule* stopping = nullptr;
  KernelProvider* kernels = nullptr;
  bool replays = true;  // on a GPU, a recorded step where possible, instead of launch after launch
  bool traces = false;  // on a GPU, says what its kernels take; refuses Unavailable without CUPTI
  std::function<void(const Progress&)> progress;   // about ten times a second
  const std::atomic<bool>* interrupted = nullptr;  // ends after the step, checkpoint written
};

// The model's first input takes a batch of samples along its first dimension, whatever size it has
// in the graph; its first output gives one row of scores per sample (or per token). Refuses what
// does not fit: ShapeMismatch (classes, image size, channels), LabelOutOfRange, NotEnoughMemory
// (the batch), BadOption, WrongDataKind, a checkpoint of something else (BadRecord) and one that
// cannot be written (Unwritable).
Result<TrainReport> train(const model::Model& model, const data::Dataset& data,
                          const TrainOptions& options);

// Several trainings, `at_once` of them at a time, begun in this order: each in a thread of its own
// with its own number of threads, and on a GPU on a stream of its own, which raises the total rate
// where one alone does not fill it. Each gives what it gives alone, unless they share a stopping
// rule, which then learns in the order in which they end. Rules and progress are called by one
// thread at a time. What had not begun when it was interrupted is left out, but for the first.
struct TrainJob {
  model::Model model;
  const data::Dataset* data = nullptr;
  TrainOptions options;
};
std::vector<Result<TrainReport>> train_together(std::span<const TrainJob> jobs, int at_once);

// The quality of a model as it is on a split.
struct JudgeOptions {
  Device device;
  int threads = 1;
  std::int64_t batch = 256, length = 128;
  Precision precision = Precision::F32;
};
Result<Quality> judge(const model::Model& model, const data::Dataset& data, data::Split split,
                      const JudgeOptions& options);
// Refuses all that `judge` refuses but for memory, and judges nothing: to be asked before a
// training whose result is to be judged.
Status check_split(const model::Model& model, const data::Dataset& data, data::Split split,
                   const JudgeOptions& options);

}  // namespace cambium::train
