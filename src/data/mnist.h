// Reads MNIST and data sets in its format (Fashion-MNIST): a folder of four idx files, plain or
// gzip. Refuses missing, truncated and mismatched files by path. dataset.cpp calls it.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "data/images.h"
#include "data/split.h"

namespace cambium::data {

// Labels must be below the number of class names.
Result<ImageSet> load_mnist(const std::string& folder, Part part,
                            std::vector<std::string> class_names);

}  // namespace cambium::data
