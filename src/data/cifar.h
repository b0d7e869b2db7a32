// Reads CIFAR-10 and CIFAR-100 as published, in the binary and in the Python form, from a folder or
// from the sub-folder that the archive makes. Refuses missing, truncated and damaged files by path.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "data/images.h"
#include "data/split.h"

namespace cambium::data {

// The layout of one of the two data sets, as data, so that tests can read smaller ones with the
// same code.
struct CifarForm {
  int classes = 10;
  int label_bytes = 1;  // in a binary record; the last byte is the class
  std::vector<std::string> train_files, test_files;          // binary: ".bin" is appended
  std::int64_t train_records = 10000, test_records = 10000;  // in each file
  std::string label_field;                                   // of the Python form
  std::string names_file, names_field;                       // Python form: names of the classes
  std::string names_text;                                    // binary form: the same, one a line
  std::string binary_folder, python_folder;                  // the folders that the archives make
};

CifarForm cifar10_form();
CifarForm cifar100_form();  // the 100 fine classes

Result<ImageSet> load_cifar(const std::string& folder, Part part, const CifarForm& form);

}  // namespace cambium::data
