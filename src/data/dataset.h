// The entry to this folder: opens a data set by its spec and returns its splits. A data set opened
// for search (the default) refuses the test split, so that no search sees it by accident. train and
// engine call this.
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
  CarveOptions validation = {};  // text uses only the share: its validation split is contiguous
};

class Dataset {
 public:
  bool is_text() const;
  const DataSpec& spec() const;

  // Reads the files on the first call. Train and Validation share one copy. Refuses SplitSealed,
  // NoSuchSplit, WrongDataKind, and what the readers refuse.
  Result<ImageSplit> images(Split split, ThreadPool& pool) const;
  Result<TextSplit> text(Split split) const;

  // The class names of an image folder, in the order of their numbers. None for data sets with
  // fixed numbers, and for a folder that is refused.
  std::vector<std::string> named_classes(ThreadPool& pool) const;

  // The usual constants for known data sets. For an image folder, measured on its Train split.
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
