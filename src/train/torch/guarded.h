// Wraps computations of libtorch: a failed allocation becomes a refusal. Any other exception on
// checked input is a bug.
#pragma once

#include <new>
#include <string>

#include "base/check.h"
#include "base/result.h"
#include "train/shortage.h"
#include "train/torch/task.h"
#include "train/torch/torch.h"

namespace cambium::train {

template <class T, class F>
Result<T> guarded(const model::Model& model, std::int64_t batch, F&& compute) {
  try {
    return compute();
  } catch (const std::bad_alloc& error) {
    return out_of_memory(model, batch, error.what());
  } catch (const c10::Error& error) {
    const std::string what = error.what_without_backtrace();
    if (is_shortage(what)) return out_of_memory(model, batch, what);
    report_bug(__FILE__, __LINE__, "libtorch computes what was checked", what);
  }
}

}  // namespace cambium::train
