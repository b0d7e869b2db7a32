#include "measure/ceilings.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/json.h"
#include "measure/probes.h"

namespace cambium::measure {
namespace {

using SteadyClock = std::chrono::steady_clock;
using nlohmann::json;

// Of the file, and of what is probed: numbers of another probe are not believed.
constexpr int kFormat = 2;

// Calls of `work` for a while; the rate of the fastest stretch, in amounts per second.
template <class F>
double best_rate(double amount, double seconds, const F& work) {
  double best = 0;
  const auto end = SteadyClock::now() + std::chrono::duration<double>(seconds);
  do {
    const auto begin = SteadyClock::now();
    volatile float kept = work();
    (void)kept;
    const double took = std::chrono::duration<double>(SteadyClock::now() - begin).count();
    best = std::max(best, amount / took);
  } while (SteadyClock::now() < end);
  return best;
}

struct Free {
  void operator()(float* p) const { std::free(p); }
};

// Floats that were written, so that they are pages of their own and not the page of zeros.
class Block {
 public:
  Block(const Probes& probes, std::int64_t bytes)
      : probes_(probes),
        count_(bytes / 4 / unit() * unit()),
        data_(static_cast<float*>(std::aligned_alloc(64, static_cast<std::size_t>(count_ * 4)))) {
    std::fill_n(data_.get(), count_, 1.0f);
  }
  std::int64_t bytes() const { return 4 * count_; }
  float read(std::int64_t times) const {
    float sum = 0;
    for (std::int64_t i = 0; i < times; ++i) sum += probes_.read(data_.get(), count_);
    return sum;
  }

 private:
  std::int64_t unit() const { return kReadUnroll * probes_.lanes; }

  const Probes& probes_;
  std::int64_t count_;
  std::unique_ptr<float, Free> data_;
};

double bandwidth(const Probes& probes, std::int64_t bytes, double seconds) {
  const Block block(probes, bytes);
  const std::int64_t times = std::max<std::int64_t>(1, (4 << 20) / block.bytes());
  (void)block.read(1);
  return 1e-9 * best_rate(static_cast<double>(times * block.bytes()), seconds,
                          [&] { return block.read(times); });
}

double fma_gflops(const Probes& probes, double seconds) {
  constexpr std::int64_t kIterations = 20'000;
  const double flops = 2.0 * static_cast<double>(kIterations * probes.chains * probes.lanes);
  return 1e-9 * best_rate(flops, seconds, [&] { return probes.fma(kIterations); });
}

// The same on every core at once, added up.
template <class F>
double on_all_cores(int cores, const F& probe) {
  std::vector<double> rates(static_cast<std::size_t>(cores));
  std::vector<std::thread> threads;
  for (double& rate : rates) threads.emplace_back([&rate, &probe] { rate = probe(); });
  for (std::thread& thread : threads) thread.join();
  double all = 0;
  for (const double rate : rates) all += rate;
  return all;
}

json to_json(const Ceilings& c) {
  return {{"fma_gflops", c.fma_gflops},
          {"loads_per_ns", c.loads_per_ns},
          {"l1_gbs", c.l1_gbs},
          {"l2_gbs", c.l2_gbs},
          {"l3_gbs", c.l3_gbs},
          {"dram_gbs", c.dram_gbs},
          {"all_fma_gflops", c.all_fma_gflops},
          {"all_dram_gbs", c.all_dram_gbs}};
}

std::optional<Ceilings> from_json(const json& value) {
  Ceilings c;
  bool is_whole = value.is_object();
  const auto take = [&](const char* name, double& to) {
    is_whole = is_whole && value.contains(name) && value[name].is_number();
    if (is_whole) to = value[name].get<double>();
    is_whole = is_whole && to > 0;
  };
  take("fma_gflops", c.fma_gflops);
  take("loads_per_ns", c.loads_per_ns);
  take("l1_gbs", c.l1_gbs);
  take("l2_gbs", c.l2_gbs);
  take("l3_gbs", c.l3_gbs);
  take("dram_gbs", c.dram_gbs);
  take("all_fma_gflops", c.all_fma_gflops);
  take("all_dram_gbs", c.all_dram_gbs);
  if (!is_whole) return std::nullopt;
  return c;
}

// What the file says, or an empty file of this format.
Result<json> read_all(const std::string& path) {
  const json empty = {{"format", kFormat}, {"machines", json::object()}};
  const auto text = read_file(path, 1 << 20);
  if (!text) {
    if (text.rejection().reason() == Reason::NotFound) return empty;
    return text.rejection();
  }
  auto parsed = parse_json(*text);
  const bool is_ours = parsed.ok() && parsed->is_object() && parsed->contains("format") &&
                       (*parsed)["format"] == kFormat && parsed->contains("machines") &&
                       (*parsed)["machines"].is_object();
  return is_ours ? *parsed : empty;
}

}  // namespace

Ceilings probe_ceilings(const Machine& machine) {
  const Probes& probes = probes_of(machine.isa);
  Ceilings c;
  (void)fma_gflops(probes, 0.02);  // out of idle
  c.fma_gflops = fma_gflops(probes, 0.1);
  c.l1_gbs = bandwidth(probes, std::min<std::int64_t>(machine.l1_bytes / 2, 16 << 10), 0.1);
  c.loads_per_ns = c.l1_gbs / static_cast<double>(4 * probes.lanes);
  c.l2_gbs =
      bandwidth(probes, std::max<std::int64_t>(machine.l2_bytes / 2, 2 * machine.l1_bytes), 0.1);
  // A share of the last level, which other machines on the same processor use too.
  c.l3_gbs = bandwidth(
      probes, std::clamp<std::int64_t>(machine.l3_bytes / 4, 2 * machine.l2_bytes, 4 << 20), 0.1);
  const std::int64_t beyond = std::clamp<std::int64_t>(2 * machine.l3_bytes, 64 << 20, 256 << 20);
  c.dram_gbs = bandwidth(probes, beyond, 0.15);
  c.all_fma_gflops = on_all_cores(machine.cores, [&] { return fma_gflops(probes, 0.1); });
  c.all_dram_gbs =
      on_all_cores(machine.cores, [&] { return bandwidth(probes, beyond / machine.cores, 0.15); });
  return c;
}

Result<Machine> with_ceilings(Machine machine, const std::string& path) {
  if (!machine.runs_here()) {
    return Rejection(Reason::ForeignMachine, machine.name, host_machine().model);
  }
  CAMBIUM_TRY(json all, read_all(path));
  const std::string key = fingerprint_of(machine).text();
  json& machines = all["machines"];
  if (machines.contains(key)) machine.ceilings = from_json(machines[key]);
  if (machine.ceilings) return machine;
  machine.ceilings = probe_ceilings(machine);
  machines[key] = to_json(*machine.ceilings);
  machines[key]["model"] = machine.model;
  CAMBIUM_REQUIRE(write_file(path, pretty_json_text(all)));
  return machine;
}

}  // namespace cambium::measure
