// How generated code is called. It is plain C, because the runner, the compiled libraries and the
// users of these libraries share it.
//
//   void kernel(void* const* buffers, void* workspace, const cambium_parallel* parallel);
//
// `buffers` holds the parameters of the program in order. `workspace` is aligned to 64 bytes and
// holds shared_bytes + workers * worker_bytes, as the compiler said. `parallel` shares the
// iterations of parallel loops among threads; NULL runs them in order in the calling thread.
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Iterations begin..end-1 of a loop, done by worker number `worker` (0 .. workers-1). */
typedef void (*cambium_task)(void* context, int64_t begin, int64_t end, int64_t worker);

typedef struct cambium_parallel {
  /* Calls task for pieces of 0..n-1 of at most `grain` iterations, each once, and returns when all
     are done. No two pieces run at once with the same worker number. */
  void (*run)(void* self, int64_t n, int64_t grain, cambium_task task, void* context);
  void* self;
  int64_t workers;
} cambium_parallel;

typedef void (*cambium_kernel)(void* const* buffers, void* workspace,
                               const cambium_parallel* parallel);

#ifdef __cplusplus
}
#endif
