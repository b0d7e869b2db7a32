#include "sequence.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "program/fingerprint.h"
#include "program/text.h"
#include "program/verify.h"
#include "program/walk.h"
#include "schedule/trace/random_step_testing.h"

namespace cambium {
namespace {

using program::Array;
using program::Context;
using program::Program;
using program::Scalar;
using program::ScalarKind;

using Values = std::vector<std::vector<double>>;

Result<Values> run(Context& cx, const Program& program, std::span<const Array> arguments,
                   std::uint64_t seed) {
  CAMBIUM_TRY(const program::Interpreter code,
              program::Interpreter::compile(cx, program, program::Precision::Double));
  CAMBIUM_TRY(const std::vector<Array> outputs, code.run(arguments, seed));
  Values values;
  for (const Array& output : outputs) values.push_back(output.as_doubles());
  return values;
}

bool is_exact(Scalar scalar) {
  if (!is_floating(scalar->type)) return true;
  switch (scalar->kind) {
    case ScalarKind::Const: return scalar->number() == std::floor(scalar->number());
    case ScalarKind::Unary:
      return scalar->unary() == program::UnaryFn::Neg || scalar->unary() == program::UnaryFn::Abs;
    case ScalarKind::Binary:
      return scalar->binary() != program::BinaryFn::Div &&
             scalar->binary() != program::BinaryFn::Pow;
    default: return true;
  }
}

// Whether whole numbers stay whole, so that no order of the operations rounds.
bool is_exact(const Program& program) {
  bool exact = true;
  for (const program::Site& site : program::sites_of(program)) {
    const auto look = [&](Scalar scalar) { exact = exact && is_exact(scalar); };
    program::for_each_scalar(site.block->body->value, look);
  }
  return exact;
}

// Empty: they agree.
std::string difference(const Values& found, const Values& wanted, double tolerance) {
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    double largest = 0;
    for (const double v : wanted[i]) {
      if (std::isfinite(v)) largest = std::max(largest, std::fabs(v));
    }
    for (std::size_t j = 0; j < wanted[i].size(); ++j) {
      const double a = found[i][j], b = wanted[i][j];
      if (a == b || (std::isnan(a) && std::isnan(b))) continue;
      if (std::fabs(a - b) <= tolerance * largest) continue;
      return "element " + std::to_string(j) + " of output " + std::to_string(i) + " is " +
             std::to_string(a) + ", not " + std::to_string(b);
    }
  }
  return "";
}

std::string name_of(const schedule::Step& step) {
  return std::visit([](const auto& s) { return std::string(s.kName); }, step);
}

// Empty: the trace of the schedule makes it again.
std::string replay_difference(const schedule::Schedule& schedule, const Program& origin) {
  const std::string text = schedule::to_text(schedule.trace());
  const Result<schedule::Trace> trace = schedule::parse_trace(text);
  if (!trace.ok()) return trace.rejection().message() + "\n" + text;
  const Result<schedule::Schedule> again = schedule::replay(schedule.context(), origin, *trace);
  if (!again.ok()) return again.rejection().message() + "\n" + text;
  if (program::fingerprint_of(again->program()) == program::fingerprint_of(schedule.program()))
    return "";
  return "the trace replays to another program:\n" + text;
}

}  // namespace

std::vector<Array> whole_arguments(const Program& program, std::uint64_t seed) {
  std::vector<Array> arguments;
  for (const program::Buffer* buffer : program.parameters) {
    if (buffer->role == program::Role::Output) continue;
    Rng rng = Rng(seed).split(buffer->name);
    const bool positive = buffer->dims.size() < 2 || !is_floating(buffer->dtype);
    std::vector<double> numbers(static_cast<std::size_t>(buffer->elements()));
    for (double& v : numbers) {
      v = static_cast<double>(buffer->dtype == DType::Bool ? rng.between(0, 1)
                              : positive                   ? rng.between(1, 3)
                                                           : rng.between(-3, 3));
    }
    Array array;
    array.dtype = buffer->dtype;
    if (!is_floating(buffer->dtype)) {
      array.elements = std::vector<std::int64_t>(numbers.begin(), numbers.end());
    } else if (buffer->dtype == DType::F64) {
      array.elements = std::move(numbers);
    } else {
      array.elements = std::vector<float>(numbers.begin(), numbers.end());
    }
    arguments.push_back(std::move(array));
  }
  return arguments;
}

std::string apply_random_steps(schedule::Schedule& schedule, const Program& origin,
                               std::span<const Array> arguments, std::uint64_t seed,
                               StepCounts& counts) {
  Context& cx = schedule.context();
  const Result<Values> wanted = run(cx, schedule.program(), arguments, seed);
  if (!wanted.ok()) return wanted.rejection().message();
  const double tolerance = is_exact(schedule.program()) ? 0 : 1e-9;
  Rng rng = Rng(seed).split("steps");
  for (std::uint64_t n = rng.below(12) + 1; n > 0; --n) {
    const Program before = schedule.program();
    const schedule::Step step = schedule::random_step(before, rng);
    StepCount& count = counts[name_of(step)];
    if (!schedule.apply(step).ok()) {
      ++count.refused;
      continue;
    }
    ++count.accepted;
    const auto failure = [&](const std::string& what) {
      return what + "\n" + program::to_text(cx, before) + schedule::to_text(step) + "\n" +
             program::to_text(cx, schedule.program());
    };
    const Status sound = program::check(cx, schedule.program(), program::Stage::Scheduled);
    if (!sound.ok()) return failure(sound.rejection().message());
    const Result<Values> found = run(cx, schedule.program(), arguments, seed);
    if (!found.ok()) return failure(found.rejection().message());
    const std::string words = difference(*found, *wanted, tolerance);
    if (!words.empty()) return failure(words);
  }
  return replay_difference(schedule, origin);
}

void decompose_inits(schedule::Schedule& schedule) {
  for (const program::Site& site : program::sites_of(schedule.program())) {
    if (site.block->body->init == nullptr) continue;
    std::vector<std::string> loops;
    for (const program::Loop* loop : site.loops) loops.emplace_back(loop->name());
    loops.emplace_back();  // directly before the block
    for (const std::string& loop : loops) {
      if (schedule.apply(schedule::DecomposeReduction{std::string(site.block->name), loop}).ok())
        break;
    }
  }
}

std::uint64_t sequences_asked(std::uint64_t usual) {
  const char* asked = std::getenv("CAMBIUM_PROPERTY_CASES");
  return asked == nullptr ? usual : std::strtoull(asked, nullptr, 10);
}

}  // namespace cambium
