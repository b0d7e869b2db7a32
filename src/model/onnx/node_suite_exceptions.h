// Cases of ONNX's test suite that use supported operators in an unsupported form.
#pragma once

#include <string_view>

namespace cambium::model {

struct SuiteException {
  std::string_view name;  // of the case, or the common part before `_` of a group of cases
  const char* reason;
  bool group = true;
};

// clang-format off
inline constexpr SuiteException kSuiteExceptions[] = {
    {"test_cast_FLOAT_to_STRING", "strings"},
    {"test_cast_STRING_to_FLOAT", "strings"},
    {"test_castlike_FLOAT_to_STRING", "strings"},
    {"test_castlike_STRING_to_FLOAT", "strings"},
    {"test_identity_sequence", "sequences and optional values"},
    {"test_identity_opt", "sequences and optional values"},
    {"test_if_seq", "sequences and optional values"},
    {"test_if_opt", "sequences and optional values"},
    {"test_castlike_FLOAT_to_BFLOAT16", "data that contradict the shapes which the model declares"},
    {"test_castlike_BFLOAT16_to_FLOAT", "data that contradict the shapes which the model declares"},
    {"test_cast_FLOAT_to_BFLOAT16", "bfloat16 by truncation; here it is rounded to nearest even"},
    {"test_training_dropout_default", "dropout in training mode: it is random"},
    {"test_training_dropout_mask", "dropout in training mode: it is random"},
    {"test_training_dropout", "dropout in training mode: it is random", false},
    {"test_resize_tf_crop_and_resize", "Resize with tf_crop_and_resize"},
};
// clang-format on

inline const char* exception_for(std::string_view label) {
  for (const SuiteException& row : kSuiteExceptions) {
    const bool starts = label.substr(0, row.name.size()) == row.name;
    if (label == row.name || (row.group && starts && label[row.name.size()] == '_')) {
      return row.reason;
    }
  }
  return nullptr;
}

}  // namespace cambium::model
