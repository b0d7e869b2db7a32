// A thread pool as generated code sees it.
#pragma once

#include "base/thread_pool.h"
#include "codegen/kernel_abi.h"

namespace cambium::compile {

// Valid as long as the pool.
cambium_parallel parallel_over(ThreadPool& pool);

}  // namespace cambium::compile
