#include "compile/parallel.h"

#include <algorithm>

namespace cambium::compile {
namespace {

void run(void* self, std::int64_t n, std::int64_t grain, cambium_task task, void* context) {
  static_cast<ThreadPool*>(self)->parallel_for_workers(
      n, std::max<std::int64_t>(grain, 1),
      [=](std::int64_t begin, std::int64_t end, int worker) { task(context, begin, end, worker); });
}

}  // namespace

cambium_parallel parallel_over(ThreadPool& pool) {
  return {run, &pool, pool.threads()};
}

}  // namespace cambium::compile
