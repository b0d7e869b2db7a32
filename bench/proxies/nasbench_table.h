// The table of NAS-Bench-201: cells with the accuracies that their networks were trained to. A CSV
// file with a line of names first; ArchitectureString and CIFAR10TestAccuracy200Epochs are read.
// Refuses files that are something else, naming the line. Called by nasbench.cpp.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "model/zoo/nasbench201.h"

namespace cambium::bench {

struct NasBenchRow {
  model::zoo::Cell cell;
  double accuracy = 0;  // CIFAR-10 test, percent
};

Result<std::vector<NasBenchRow>> read_nasbench(const std::string& path);

}  // namespace cambium::bench
