// Trains a model on a data set and measures its quality. The validation split is carved out of the
// training split. Only `judge` reads the test split. A loss that is not finite is a result
// ("diverged at step n"), not an error. Called by engine.
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

// The quality on a split. Images: accuracies; text: perplexity and the accuracy of the next token.
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

// On a GPU: the time of a step, and the share of its kernels.
struct StepTime {
  double seconds = 0;
  double kernels = 0;         // launched per step
  double kernel_seconds = 0;  // during which at least one of them ran
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
  model::Model model;  // with the best weights on validation, or the last ones
  double seconds = 0;
  double samples_per_second = 0;  // without evaluation
  std::int64_t parameters = 0;
  std::string note;  // about the checkpoint that it continued from; empty: nothing
  // A failure outside of the training: the checkpoint could not be written or memory ran out, which
  // ended it, or its kernels could not be traced. The model is as it was then.
  std::optional<Rejection> failed;
  bool replayed = false;            // on a GPU, the step was recorded and replayed
  std::string not_replayed;         // why not, on a GPU
  std::optional<StepTime> kernels;  // if asked for
};

struct Progress {
  std::int64_t step = 0, steps = 0, epoch = 0, epochs = 0;
  double loss = 0, samples_per_second = 0, seconds_left = 0;
  std::optional<Quality> validation;  // of the epoch before
  const Epoch* finished = nullptr;    // the epoch that has just ended; reported once
};

struct TrainOptions {
  Recipe recipe;
  Device device;
  int threads = 1;
  std::uint64_t seed = 1;
  bool validates = true;   // false: trains on the whole training split, no validation
  std::string checkpoint;  // a file; written after every epoch, read first if it exists
  double seconds = 0;      // 0: no limit
  StoppingRule* stopping = nullptr;
  KernelProvider* kernels = nullptr;
  bool replays = true;  // on a GPU, replays a recorded step if possible
  bool traces = false;  // on a GPU, measures its kernels; refuses Unavailable without CUPTI
  std::function<void(const Progress&)> progress;   // about ten times a second
  const std::atomic<bool>* interrupted = nullptr;  // ends after the step and writes the checkpoint
};

// The model's first input takes a batch of samples along its first dimension, whose size in the
// graph does not matter. Its first output gives one row of scores per sample (or per token).
// Refuses a model or data that does not fit: ShapeMismatch (classes, image size, channels),
// LabelOutOfRange, NotEnoughMemory (the batch), BadOption, WrongDataKind. Also refuses a checkpoint
// of another training (BadRecord) and one that cannot be written (Unwritable).
Result<TrainReport> train(const model::Model& model, const data::Dataset& data,
                          const TrainOptions& options);

// Several trainings, `at_once` of them at a time, begun in this order. Each runs in its own thread
// with its own number of threads, and on a GPU on its own stream, which raises the total rate if
// one training does not fill the GPU. Each gives the same result as alone, unless they share a
// stopping rule, which then learns in the order in which they end. One thread at a time calls rules
// and progress. After an interrupt, trainings that had not begun are left out, except the first.
struct TrainJob {
  model::Model model;
  const data::Dataset* data = nullptr;
  TrainOptions options;
};
std::vector<Result<TrainReport>> train_together(std::span<const TrainJob> jobs, int at_once);

// The quality of a model on a split, with its present weights.
struct JudgeOptions {
  Device device;
  int threads = 1;
  std::int64_t batch = 256, length = 128;
  Precision precision = Precision::F32;
};
Result<Quality> judge(const model::Model& model, const data::Dataset& data, data::Split split,
                      const JudgeOptions& options);
// Refuses all that `judge` refuses except for lack of memory, and judges nothing. Called before a
// training whose result will be judged.
Status check_split(const model::Model& model, const data::Dataset& data, data::Split split,
                   const JudgeOptions& options);

}  // namespace cambium::train
