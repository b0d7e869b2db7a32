// Reads a folder of images with one sub-folder per class: DIR/train/CLASS/* beside DIR/test/CLASS/*
// (or DIR/val/CLASS/*), or DIR/CLASS/* alone, which has no test split. Files and classes are in the
// order of their names. The classes of the training part number those of the test part by name; the
// test part may lack some. Refuses images that it cannot decode, by path; a class without images
// (NoSamples); a class name that is not UTF-8 (BadOption, because model files name classes); and a
// class of the test part that the training part lacks (UnknownClass).
#pragma once

#include <string>

#include "base/result.h"
#include "base/thread_pool.h"
#include "data/images.h"
#include "data/split.h"

namespace cambium::data {

// size > 0 crops and resizes every image to size x size. Otherwise all images must have one size.
Result<ImageSet> load_image_folder(const std::string& folder, Part part, int size,
                                   ThreadPool& pool);

}  // namespace cambium::data
