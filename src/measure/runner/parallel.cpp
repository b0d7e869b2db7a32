#include "measure/runner/parallel.h"

#include <algorithm>

namespace cambium::measure {
namespace {

void run_on(void* self, std::int64_t n, std::int64_t grain, cambium_task task, void* context) {
  static_cast<ThreadPool*>(self)->parallel_for_workers(
      n, std::max<std::int64_t>(grain, 1),
      [&](std::int64_t begin, std::int64_t end, int worker) { task(context, begin, end, worker); });
}

}  // namespace

Team::Team(int threads) : pool_(threads), parallel_{run_on, &pool_, threads} {}

}  // namespace cambium::measure
