#include "compile/memory_plan.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace cambium::compile {
namespace {

bool meet(const Lifetime& a, const Lifetime& b) {
  return a.first <= b.last && b.first <= a.last;
}

std::int64_t most_alive(std::span<const Lifetime> lifetimes) {
  std::vector<std::pair<std::int64_t, std::int64_t>> changes;  // at which call, how many bytes
  for (const Lifetime& l : lifetimes) {
    changes.emplace_back(l.first, aligned(l.bytes));
    changes.emplace_back(l.last + 1, -aligned(l.bytes));
  }
  std::sort(changes.begin(), changes.end());  // at one call what goes comes before what is new
  std::int64_t alive = 0, most = 0;
  for (const auto& change : changes) {
    alive += change.second;
    most = std::max(most, alive);
  }
  return most;
}

constexpr int kRounds = 32;

using Order = std::vector<std::size_t>;

// Places values in that order, each at the tightest gap that the ones before leave.
MemoryPlan placed_in(const Order& order, std::span<const Lifetime> lifetimes) {
  MemoryPlan plan;
  plan.offsets.assign(lifetimes.size(), 0);
  Order placed;  // by offset
  for (const std::size_t i : order) {
    const std::int64_t bytes = aligned(lifetimes[i].bytes);
    std::int64_t end = 0;  // of what was passed
    std::int64_t best = -1, best_gap = 0;
    for (const std::size_t other : placed) {
      if (!meet(lifetimes[i], lifetimes[other])) continue;
      const std::int64_t gap = plan.offsets[other] - end;
      if (gap >= bytes && (best < 0 || gap < best_gap)) {
        best = end;
        best_gap = gap;
      }
      end = std::max(end, plan.offsets[other] + aligned(lifetimes[other].bytes));
    }
    plan.offsets[i] = best >= 0 ? best : end;
    plan.bytes = std::max(plan.bytes, plan.offsets[i] + bytes);
    const auto by_offset = [&](std::size_t a, std::size_t b) {
      return plan.offsets[a] < plan.offsets[b];
    };
    placed.insert(std::upper_bound(placed.begin(), placed.end(), i, by_offset), i);
  }
  return plan;
}

// Orders in which greedy placement does well, each where the others do not.
std::vector<Order> promising_orders(std::span<const Lifetime> lifetimes) {
  Order by_size(lifetimes.size());
  std::iota(by_size.begin(), by_size.end(), std::size_t{0});
  std::stable_sort(by_size.begin(), by_size.end(), [&](std::size_t a, std::size_t b) {
    return lifetimes[a].bytes > lifetimes[b].bytes;
  });
  const auto span_of = [&](std::size_t i) { return lifetimes[i].last - lifetimes[i].first + 1; };
  Order by_span = by_size;  // those that live long are in everybody's way
  std::stable_sort(by_span.begin(), by_span.end(),
                   [&](std::size_t a, std::size_t b) { return span_of(a) > span_of(b); });
  Order by_area = by_size;
  std::stable_sort(by_area.begin(), by_area.end(), [&](std::size_t a, std::size_t b) {
    return span_of(a) * lifetimes[a].bytes > span_of(b) * lifetimes[b].bytes;
  });
  // What is alive together with much is placed while there is still a choice.
  std::vector<std::int64_t> company(lifetimes.size(), 0);
  for (std::size_t i = 0; i < lifetimes.size(); ++i) {
    for (std::int64_t call = lifetimes[i].first; call <= lifetimes[i].last; ++call) {
      std::int64_t alive = 0;
      for (const Lifetime& l : lifetimes) {
        if (l.first <= call && call <= l.last) alive += l.bytes;
      }
      company[i] = std::max(company[i], alive);
    }
  }
  Order by_company = by_size;
  std::stable_sort(by_company.begin(), by_company.end(),
                   [&](std::size_t a, std::size_t b) { return company[a] > company[b]; });
  return {by_size, by_span, by_area, by_company};
}

}  // namespace

MemoryPlan plan_memory(std::span<const Lifetime> lifetimes) {
  const std::int64_t least = most_alive(lifetimes);
  MemoryPlan best;
  for (Order order : promising_orders(lifetimes)) {
    for (int round = 0; round < kRounds && best.bytes != least; ++round) {
      MemoryPlan plan = placed_in(order, lifetimes);
      // What sticks out on top comes first the next time.
      const auto top = std::find_if(order.begin(), order.end(), [&](std::size_t i) {
        return plan.offsets[i] + aligned(lifetimes[i].bytes) == plan.bytes;
      });
      if (best.offsets.empty() || plan.bytes < best.bytes) best = std::move(plan);
      if (top == order.begin() || top == order.end()) break;
      std::rotate(order.begin(), top, top + 1);
    }
  }
  best.live_bytes = least;
  return best;
}

}  // namespace cambium::compile
