// The front of this folder: open a data set by its spec, ask it for a split. A data set opened for
// search (the default) refuses the test split, so that no search can look at it by accident.
// Called by train and engine.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/thread_pool.h"
#include "data/augment.h"
#include "data/carve.h"
#include "data/images.h"
#include "data/spec.h"
#include "data/split.h"
#include "data/text_set.h"

namespace cambium::data {

struct DataOptions {
  Access access = Access::Search;
  CarveOptions validation = {};  // for text only the share counts: its validation is contiguous
};

class Dataset {
 public:
  bool is_text() const;
  const DataSpec& spec() const;

  // Reads the files on the first call; Train and Validation share one copy. Refuses SplitSealed,
  // NoSuchSplit, WrongDataKind, and whatever the readers refuse.
  Result<ImageSplit> images(Split split, ThreadPool& pool) const;
  Result<TextSplit> text(Split split) const;

  // Of an image folder, whose names number its classes; none for sets whose numbers are fixed, and
  // for a folder that is refused.
  std::vector<std::string> named_classes(ThreadPool& pool) const;

  // The usual constants of the known sets; for an image folder, measured on its Train split.
  Result<Normalization> normalization(ThreadPool& pool) const;

 private:
  friend Result<Dataset> open_dataset(std::string_view spec, const DataOptions& options);
  struct State;
  explicit Dataset(std::shared_ptr<State> state) : state_(std::move(state)) {}
  Status check_access(Split split, bool text) const;

  std::shared_ptr<State> state_;
};

// Refuses a bad spec, a share outside [0, 1) and a path that does not exist.
Result<Dataset> open_dataset(std::string_view spec, const DataOptions& options = {});

}  // namespace cambium::data
