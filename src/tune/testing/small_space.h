// The problem of search tests: a matrix product, rules that tile it, and artificial times. The
// times are a smooth function of the decisions, so a search can improve them.
#pragma once

#include <cmath>
#include <string>
#include <utility>

#include "program/fingerprint.h"
#include "program/text.h"
#include "schedule/rules/space.h"
#include "tune/task.h"

namespace cambium::tune {

inline Task matmul_task(const std::string& name = "matmul", double weight = 1) {
  Task task;
  task.name = name;
  const std::string text = R"(program )" + name + R"((a: f32[64, 64] input, b: f32[64, 64] constant,
                                     c: f32[64, 64] output) {
    for i in 64 { for j in 64 { for k in 64 {
      block matmul(spatial i = i, spatial j = j, reduce k = k) {
        c[i, j] += a[i, k] * b[k, j] init 0.0
      }
    } } }
  })";
  program::Context cx;
  task.program = program::SharedProgram(program::parse(cx, text).value());
  task.fingerprint = program::fingerprint_of(*task.program);
  task.weight = weight;
  return task;
}

// Splits every loop in three and puts the parts in order; some 40,000 schedules.
inline schedule::Rule tile_rule() {
  return {"tile", "splits all loops",
          [](schedule::Draft& draft, const std::string& block) -> Status {
            if (block != "matmul") return Rejection(Reason::NothingToDo, "tile", block);
            schedule::Names outer, middle, inner;
            for (const char* loop : {"i", "j", "k"}) {
              const schedule::Ints factors = draft.perfect_tile(loop, 64, 3, 64);
              CAMBIUM_TRY(const schedule::Names made,
                          draft.apply(schedule::Split{loop, factors, schedule::Tail::Exact}));
              outer.push_back(made[0]);
              middle.push_back(made[1]);
              inner.push_back(made[2]);
            }
            schedule::Names order;
            for (const auto& part : {outer, middle, inner}) {
              order.insert(order.end(), part.begin(), part.end());
            }
            if (draft.branch("order", {"ijk", "ikj"}) == 1) std::swap(order[7], order[8]);
            CAMBIUM_REQUIRE(draft.apply(schedule::Reorder{order}));
            return Ok{};
          }};
}

inline schedule::Space small_space() {
  return {{tile_rule()}};
}

// 1 ms at the best, twice that for every factor of two off in a tile.
inline double planted_seconds(const schedule::Trace& trace) {
  double off = 0;
  for (const auto& [key, decision] : schedule::decisions_of(trace)) {
    if (decision.numbers.size() != 3) {
      off += decision.numbers[0] == 0 ? 1 : 0;
      continue;
    }
    off += std::abs(std::log2(static_cast<double>(decision.numbers[2])) - 3) / 2;
    off += std::abs(std::log2(static_cast<double>(decision.numbers[1])) - 2) / 2;
  }
  return 1e-3 * std::exp2(off);
}

}  // namespace cambium::tune
