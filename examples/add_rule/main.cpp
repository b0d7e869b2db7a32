// Schedules one program with the rules of Cambium and with one more, and times the native code of
// both: exit code 0 if both compute what they should and the rule makes it faster, 77 without LLVM.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "codegen/codegen.h"
#include "program/build.h"
#include "schedule/rules/space.h"
#include "use_lines_up.h"

namespace {

using namespace cambium;

constexpr std::int64_t kSize = 2048;
constexpr std::uint64_t kSchedules = 8;  // of each space; the best counts
constexpr int kRounds = 7;

// y = (x + transposed x) / 2
program::Program symmetrize(program::Context& cx) {
  program::Builder b(cx, "symmetrize");
  const program::Mem x = b.input("x", {kSize, kSize}), y = b.output("y", {kSize, kSize});
  b.block("y", {program::spatial("i", kSize), program::spatial("j", kSize)}, [&](program::Point p) {
    return assign(y, {p[0], p[1]}, (x(p[0], p[1]) + x(p[1], p[0])) * 0.5);
  });
  return b.finish();
}

struct Data {
  std::vector<float> x = std::vector<float>(kSize * kSize), y = x;
};

bool is_right(const Data& data) {
  for (std::size_t i = 0; i < kSize; ++i) {
    for (std::size_t j = 0; j < kSize; ++j) {
      const float wanted = (data.x[i * kSize + j] + data.x[j * kSize + i]) * 0.5F;
      if (data.y[i * kSize + j] != wanted) return false;
    }
  }
  return true;
}

double seconds_of(cambium_kernel kernel, Data& data) {
  void* buffers[] = {data.x.data(), data.y.data()};
  const auto start = std::chrono::steady_clock::now();
  kernel(buffers, nullptr, nullptr);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

struct Best {
  double seconds = 1e9;
  std::string trace;
};

// The best of several schedules: the one that the rules prefer and some that are drawn.
Result<Best> best_of(const schedule::Space& space, const Machine& machine, const char* name,
                     Data& data) {
  program::Context cx;
  const program::Program program = symmetrize(cx);
  CAMBIUM_TRY(codegen::Jit jit, codegen::Jit::create());
  Best best;
  for (std::uint64_t seed = 0; seed < kSchedules; ++seed) {
    schedule::DraftOptions options;
    options.seed = seed;
    if (seed == 0) options.otherwise = schedule::Otherwise::Preferred;
    CAMBIUM_TRY(const schedule::Schedule s,
                schedule::generate(cx, program, machine, space, options));
    codegen::CodegenOptions naming;
    naming.symbol = name + std::to_string(seed);
    CAMBIUM_TRY(const codegen::ObjectCode code,
                codegen::compile_kernel(cx, s.program(), machine, naming));
    CAMBIUM_REQUIRE(jit.add(code));
    CAMBIUM_TRY(void* symbol, jit.find(naming.symbol));
    const auto kernel = reinterpret_cast<cambium_kernel>(symbol);
    std::fill(data.y.begin(), data.y.end(), -1.0F);
    seconds_of(kernel, data);
    if (!is_right(data)) return Rejection(Reason::WrongResult, "y", naming.symbol);
    for (int round = 0; round < kRounds; ++round) {
      const double seconds = seconds_of(kernel, data);
      if (seconds < best.seconds) best = {seconds, schedule::to_text(s.trace())};
    }
  }
  return best;
}

int report(const Rejection& why) {
  std::printf("%s\n", why.message().c_str());
  return why.reason() == Reason::Unavailable ? 77 : 1;
}

}  // namespace

int main() {
  const Machine machine = host_machine();
  Data data;
  for (std::size_t i = 0; i < data.x.size(); ++i) data.x[i] = static_cast<float>(i * 7 % 1001);

  schedule::Space space = schedule::whole_space();
  const auto before = best_of(space, machine, "before", data);
  if (!before.ok()) return report(before.rejection());
  space.rules.push_back(add_rule::use_lines_up());
  const auto after = best_of(space, machine, "after", data);
  if (!after.ok()) return report(after.rejection());

  std::printf("without the rule %.2f ms, with it %.2f ms: %.2f times as fast\n%s",
              before->seconds * 1e3, after->seconds * 1e3, before->seconds / after->seconds,
              after->trace.c_str());
  return before->seconds > after->seconds * 1.3 ? 0 : 1;
}
