#include "measure/measure.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <string.h>

#include "base/machine.h"
#include "measure/connection.h"
#include "measure/staging.h"

namespace cambium::measure {

using codegen::ObjectCode;
using program::Array;

struct Runner::State {
  State(const std::string& executable, const Limits& given)
      : limits(given), connection(executable, given.memory_bytes) {}

  Limits limits;
  Connection connection;
  double reference = 0;  // the calibration loop, as this Runner saw it first
  Fingerprint machine = fingerprint_of(host_machine());

  Result<Reply> ask(Staging& staging, Request request, double seconds);
  Status add(Staging& staging, const Contender& contender, int threads) const;
  // Runs what was added last, and checks what it computes. What is written stays for timing.
  Result<double> check(Staging& staging, const Contender& contender, int threads);
};

namespace {

// What a kernel did when it died, in words.
Rejection crash(const Reply& reply, const Staging& staging) {
  const auto signal = static_cast<int>(reply.numbers[0]);
  const std::int64_t job = reply.numbers[1], buffer = reply.numbers[2], wrote = reply.numbers[4];
  const auto touch = static_cast<Touch>(reply.numbers[3]);
  const char* const name = ::sigabbrev_np(signal);
  std::string text = std::string("SIG") + (name == nullptr ? "?" : name);
  const bool is_known = job >= 0 && job < static_cast<std::int64_t>(staging.jobs().size());
  if (!is_known || touch == Touch::Elsewhere) {
    return Rejection(Reason::KernelCrashed, std::move(text));
  }
  const std::string place = staging.name_of(static_cast<std::size_t>(job), buffer);
  if (touch != Touch::Inside && wrote == 1) return Rejection(Reason::GuardTouched, place);
  const char* const did = wrote == 1 ? " writing " : wrote == 0 ? " reading " : " touching ";
  const char* const where = touch == Touch::Before   ? "before '"
                            : touch == Touch::Inside ? "'"
                                                     : "behind '";
  return Rejection(Reason::KernelCrashed, text + did + where + place + "'");
}

std::int64_t whole_seconds(double seconds) {
  return static_cast<std::int64_t>(std::ceil(std::min(seconds, 1e6)));
}

std::vector<const Array*> pointers_to(std::span<const Array> arrays) {
  std::vector<const Array*> pointers;
  for (const Array& array : arrays) pointers.push_back(&array);
  return pointers;
}

}  // namespace

// Asks the runner, and turns what it says into a refusal or a reply of Done.
Result<Reply> Runner::State::ask(Staging& staging, Request request, double seconds) {
  request.jobs = staging.jobs();
  request.alarm_seconds = whole_seconds(seconds) + 5;
  auto asked = connection.ask(request, seconds);
  if (!asked) {
    // Died without a word: no handler saw it, as when the system ran out of memory.
    const bool is_kernel = asked.rejection().reason() == Reason::RunnerFailed;
    if (!is_kernel) return asked;
    return Rejection(Reason::KernelCrashed, "the runner died: " + asked.rejection().message());
  }
  Reply& reply = *asked;
  switch (reply.outcome) {
    case Outcome::Done: break;
    case Outcome::BadObject: return Rejection(Reason::BadObject, std::move(reply.text));
    case Outcome::SymbolMissing: return Rejection(Reason::SymbolMissing, std::move(reply.text));
    case Outcome::Crashed: return crash(reply, staging);
    case Outcome::Hello:
    case Outcome::Refused: return Rejection(Reason::RunnerFailed, std::move(reply.text));
  }
  for (std::size_t i = 0; i < staging.jobs().size(); ++i) {
    CAMBIUM_REQUIRE(staging.check_guards(i));
  }
  return reply;
}

Status Runner::State::add(Staging& staging, const Contender& contender, int threads) const {
  const Case& test = contender.test;
  const bool is_plain = contender.buffers == nullptr;
  return staging.add(contender.code, is_plain ? test.buffers : *contender.buffers,
                     is_plain ? pointers_to(test.arguments) : contender.arguments, threads);
}

Result<double> Runner::State::check(Staging& staging, const Contender& contender, int threads) {
  CAMBIUM_REQUIRE(add(staging, contender, threads));
  CAMBIUM_REQUIRE(staging.write());
  Request request;
  request.mode = Mode::Run;
  request.threads = threads;
  CAMBIUM_REQUIRE(ask(staging, std::move(request), limits.seconds));
  CAMBIUM_TRY(const auto outputs, staging.outputs(0));
  return check_outputs(contender.test, outputs);
}

Runner::Runner(std::unique_ptr<State> state) : state_(std::move(state)) {}
Runner::Runner(Runner&&) noexcept = default;
Runner& Runner::operator=(Runner&&) noexcept = default;
Runner::~Runner() = default;

Result<Runner> Runner::start(const std::string& executable, const Limits& limits) {
  auto state = std::make_unique<State>(executable, limits);
  CAMBIUM_REQUIRE(state->connection.start());
  return Runner(std::move(state));
}

void Runner::limit_seconds(double seconds) {
  state_->limits.seconds = seconds;
}

Result<std::vector<Array>> Runner::run(const ObjectCode& code, const KernelBuffers& buffers,
                                       std::span<const Array> arguments, int threads) {
  return run_with(code, buffers, pointers_to(arguments), threads);
}

Result<std::vector<Array>> Runner::run_with(const ObjectCode& code, const KernelBuffers& buffers,
                                            std::vector<const Array*> arguments, int threads) {
  CAMBIUM_REQUIRE(state_->connection.start());
  Staging staging(state_->connection.memory(), state_->limits.memory_bytes);
  CAMBIUM_REQUIRE(staging.add(code, buffers, std::move(arguments), threads));
  CAMBIUM_REQUIRE(staging.write());
  Request request;
  request.mode = Mode::Run;
  request.threads = threads;
  CAMBIUM_REQUIRE(state_->ask(staging, std::move(request), state_->limits.seconds));
  return staging.outputs(0);
}

Result<Measurement> Runner::rank(const Contender& contender, int threads,
                                 const RankingOptions& options) {
  CAMBIUM_REQUIRE(state_->connection.start());
  Staging staging(state_->connection.memory(), state_->limits.memory_bytes);
  CAMBIUM_TRY(const double error, state_->check(staging, contender, threads));
  Request request;
  request.mode = Mode::Rank;
  request.threads = threads;
  request.ranking = options;
  if (threads == 1) request.ranking.burst.clock = Clock::ThreadCpu;
  const double calls = static_cast<double>(options.attempts) * 4;
  CAMBIUM_TRY(const Reply reply,
              state_->ask(staging, std::move(request), state_->limits.seconds * calls));
  if (reply.reals.size() != 4) return Rejection(Reason::RunnerFailed, "the reply is no ranking");
  const double calibration = reply.reals[3];
  if (state_->reference == 0) state_->reference = calibration;
  Measurement measurement;
  measurement.value = reply.reals[0] * state_->reference / calibration;
  measurement.spread = reply.reals[1];
  measurement.samples = static_cast<int>(reply.reals[2]);
  measurement.machine = state_->machine;
  measurement.max_error = error;
  return measurement;
}

Result<Comparison> Runner::compare(const Contender& ours, const Contender& theirs, int threads,
                                   const ComparisonOptions& options) {
  CAMBIUM_REQUIRE(state_->connection.start());
  for (const Contender* contender : {&ours, &theirs}) {
    Staging staging(state_->connection.memory(), state_->limits.memory_bytes);
    CAMBIUM_REQUIRE(state_->check(staging, *contender, threads));
  }
  Staging staging(state_->connection.memory(), state_->limits.memory_bytes);
  for (const Contender* contender : {&ours, &theirs}) {
    CAMBIUM_REQUIRE(state_->add(staging, *contender, threads));
  }
  CAMBIUM_REQUIRE(staging.write());
  Request request;
  request.mode = Mode::Compare;
  request.threads = threads;
  request.comparison = options;
  if (threads == 1) request.comparison.burst.clock = Clock::ThreadCpu;
  const double calls = static_cast<double>(options.rounds) * 8;
  CAMBIUM_TRY(const Reply reply,
              state_->ask(staging, std::move(request), state_->limits.seconds * calls));
  if (reply.reals.size() != 7) return Rejection(Reason::RunnerFailed, "the reply is no comparison");
  Comparison comparison;
  std::size_t next = 0;
  Comparison::fields(comparison, [&](const char*, auto& field) {
    field = static_cast<std::remove_reference_t<decltype(field)>>(reply.reals[next++]);
  });
  return comparison;
}

}  // namespace cambium::measure
