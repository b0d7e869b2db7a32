// A folder of images, one sub-folder per class: DIR/train/CLASS/* with DIR/test/CLASS/* (or
// DIR/val/CLASS/*) beside it, or DIR/CLASS/* alone, which then has no test split. Files are taken
// in the order of their names, and so are the classes of the training part, which number those of
// the test part by name: it may lack some. Refuses what it cannot decode, by path, a class without
// images (NoSamples) or whose name is not UTF-8 (BadOption: files of models name classes), and a
// class of the test part that training lacks (UnknownClass).
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
