// A thread pool in the form that generated code calls.
#pragma once

#include "base/thread_pool.h"
#include "codegen/kernel_abi.h"

namespace cambium::compile {

// The pool must outlive the result.
cambium_parallel parallel_over(ThreadPool& pool);

}  // namespace cambium::compile
