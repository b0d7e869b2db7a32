// A folder of images, one sub-folder per class: DIR/train/CLASS/* with DIR/test/CLASS/* (or
// DIR/val/CLASS/*) beside it, or DIR/CLASS/* alone, which then has no test split. Classes and files
// are taken in the order of their names. Refuses what it cannot decode, by path.
#pragma once

#include <string>

#include "base/result.h"
#include "base/thread_pool.h"
#include "data/images.h"
#include "data/split.h"

namespace cambium::data {

// size > 0 cuts and resizes every image to size x size; otherwise all must have one size.
Result<ImageSet> load_image_folder(const std::string& folder, Part part, int size,
                                   ThreadPool& pool);

}  // namespace cambium::data
