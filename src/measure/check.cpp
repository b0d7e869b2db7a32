#include "measure/check.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "base/random.h"
#include "program/arithmetic.h"
#include "program/walk.h"

namespace cambium::measure {
namespace {

using program::Array;
using program::Buffer;
using program::Program;
using program::Scalar;
using program::ScalarKind;

std::int64_t points_of_blocks(const Program& program) {
  std::int64_t all = 0;
  for (const program::Site& site : program::sites_of(program)) {
    std::int64_t points = 1;
    for (const program::Loop* loop : site.loops) {
      if (__builtin_mul_overflow(points, loop->extent(), &points)) {
        return std::numeric_limits<std::int64_t>::max();
      }
    }
    if (__builtin_add_overflow(all, points, &all)) return std::numeric_limits<std::int64_t>::max();
  }
  return all;
}

// Whole inputs from which places in a buffer are computed, with the extent that they index.
std::unordered_map<const Buffer*, std::int64_t> index_inputs(const Program& program) {
  std::unordered_map<const Buffer*, std::int64_t> extents;
  for (const program::Site& site : program::sites_of(program)) {
    program::for_each_scalar(site.block->body->value, [&](Scalar gather) {
      if (gather->kind != ScalarKind::Gather) return;
      for (std::size_t d = 0; d < gather->operands.size(); ++d) {
        program::for_each_scalar(gather->operands[d], [&](Scalar load) {
          if (load->kind != ScalarKind::Load) return;
          const auto found = extents.emplace(load->buffer, gather->buffer->dims[d]);
          found.first->second = std::min(found.first->second, gather->buffer->dims[d]);
        });
      }
    });
  }
  return extents;
}

Array random_array(const Buffer& buffer, const CaseOptions& options, std::int64_t indexes,
                   Rng& rng) {
  Array array;
  array.dtype = buffer.dtype;
  const auto size = static_cast<std::size_t>(buffer.elements());
  if (is_floating(buffer.dtype)) {
    const auto draw = [&] {
      const double number = options.is_whole ? static_cast<double>(rng.between(-3, 3))
                                             : rng.uniform(options.low, options.high);
      return program::stored(number, buffer.dtype);
    };
    if (buffer.dtype == DType::F64) {
      std::vector<double> values(size);
      std::generate(values.begin(), values.end(), draw);
      array.elements = std::move(values);
    } else {
      std::vector<float> values(size);
      for (float& value : values) value = static_cast<float>(draw());
      array.elements = std::move(values);
    }
    return array;
  }
  std::int64_t low = program::fits(-1, buffer.dtype) ? -4 : 0, high = 4;
  if (buffer.dtype == DType::Bool) high = 1;
  if (indexes > 0) {
    low = 0;
    high = indexes - 1;
    while (!program::fits(high, buffer.dtype)) high /= 2;
  }
  std::vector<std::int64_t> values(size);
  for (std::int64_t& value : values) value = rng.between(low, high);
  array.elements = std::move(values);
  return array;
}

std::vector<Array> random_arguments(const Program& program, const CaseOptions& options) {
  const auto indexed = index_inputs(program);
  std::vector<Array> arguments;
  for (std::size_t i = 0; i < program.parameters.size(); ++i) {
    const Buffer& buffer = *program.parameters[i];
    if (buffer.role == program::Role::Output) continue;
    const auto found = indexed.find(&buffer);
    Rng rng = Rng(options.seed).split(i);
    arguments.push_back(
        random_array(buffer, options, found == indexed.end() ? 0 : found->second, rng));
  }
  return arguments;
}

// Both ends, and places at random.
std::vector<std::int64_t> sample(std::int64_t elements, std::int64_t count, Rng rng) {
  std::vector<std::int64_t> places{0, elements - 1};
  for (std::int64_t i = 2; i < count; ++i) places.push_back(rng.between(0, elements - 1));
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  return places;
}

bool are_same(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

// Where both are finite: how far apart, as a share of the bound. Above 1: wrong.
double share(double got, double expected, double bound) {
  if (are_same(got, expected)) return 0;
  const double distance = std::abs(got - expected);
  if (std::isnan(distance)) return std::numeric_limits<double>::infinity();
  return bound > 0 ? distance / bound : std::numeric_limits<double>::infinity();
}

Rejection wrong(const KernelBuffers::Buffer& buffer, std::int64_t element, double got,
                double expected, double bound) {
  return Rejection(Reason::WrongResult, buffer.name,
                   fmt::format("{} instead of {} within {:.2g}", got, expected, bound), element);
}

class Checker {
 public:
  Checker(const Case& test, std::size_t output, const KernelBuffers::Buffer& buffer,
          std::vector<double> got)
      : test_(test), output_(output), buffer_(buffer), got_(std::move(got)) {}

  Result<double> run() const {
    const Case::Output& expected = test_.outputs[output_];
    double worst = 0;
    for (std::size_t i = 0; i < expected.sampled.size(); ++i) {
      const std::int64_t element = expected.sampled[i];
      if (test_.is_exact) break;  // all are compared below
      CAMBIUM_TRY(const double error, judge(element, expected.estimates[i]));
      worst = std::max(worst, error);
    }
    for (std::size_t i = 0; i < expected.values.size(); ++i) {
      const double near = share(got_[i], expected.values[i], expected.slack);
      if (near <= 1) {
        worst = std::max(worst, near);
        continue;
      }
      const auto element = static_cast<std::int64_t>(i);
      if (test_.is_exact) return wrong(buffer_, element, got_[i], expected.values[i], 0);
      std::optional<Estimate> estimate;
      if (!expected.estimates.empty()) estimate = test_.points->at(output_, element);
      // Too much to compute by itself: then the slack is its bound.
      const Estimate own = estimate ? *estimate : Estimate{expected.values[i], expected.slack};
      CAMBIUM_TRY(const double error, judge(element, own));
      worst = std::max(worst, error);
    }
    return worst;
  }

 private:
  Result<double> judge(std::int64_t element, const Estimate& expected) const {
    const double got = got_[static_cast<std::size_t>(element)];
    const double error = share(got, expected.value, expected.error);
    if (error > 1) return wrong(buffer_, element, got, expected.value, expected.error);
    return error;
  }

  const Case& test_;
  std::size_t output_;
  const KernelBuffers::Buffer& buffer_;
  std::vector<double> got_;
};

// With whole numbers, what comes out the same in float and double is exact in every order.
Status interpret_all(program::Context& cx, const Program& lowered, bool is_whole, Case& test) {
  CAMBIUM_TRY(const auto outputs,
              program::interpret(cx, lowered, test.arguments, program::Precision::Double));
  for (std::size_t i = 0; i < outputs.size(); ++i) test.outputs[i].values = outputs[i].as_doubles();
  if (!is_whole) return Ok{};
  CAMBIUM_TRY(const auto stored, program::interpret(cx, lowered, test.arguments));
  test.is_exact = true;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    test.is_exact = test.is_exact && stored[i].as_doubles() == test.outputs[i].values;
  }
  for (Case::Output& output : test.outputs) {
    if (test.is_exact) output.slack = 0;
  }
  return Ok{};
}

// The smallest bound among the samples: what is nearer needs no bound of its own.
double slack_of(const Case::Output& output) {
  double least = std::numeric_limits<double>::infinity();
  for (const Estimate& estimate : output.estimates) least = std::min(least, estimate.error);
  return std::isfinite(least) ? least : 0;
}

// Where an element depends on so much that it has no bound of its own: as if all that the program
// computes were one sum of numbers of the size of the largest result.
double blunt_slack(const Case::Output& output, std::int64_t points) {
  double largest = 0;
  for (const double value : output.values) {
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  }
  return sum_growth(points) * unit_roundoff(DType::F32) * largest;
}

Result<Case> case_with(program::Context& cx, const Program& lowered, const CaseOptions& options) {
  Case test;
  test.buffers = buffers_of(lowered);
  test.arguments = random_arguments(lowered, options);
  CAMBIUM_TRY(Points points, Points::of(lowered, test.arguments));
  test.points = std::make_shared<Points>(std::move(points));
  for (const KernelBuffers::Buffer& buffer : test.buffers.buffers) {
    if (!buffer.is_output) continue;
    Case::Output output;
    const std::size_t number = test.outputs.size();
    for (const std::int64_t element :
         sample(buffer.elements, options.samples, Rng(options.seed).split("samples"))) {
      const auto estimate = test.points->at(number, element, options.sample_budget);
      if (!estimate) break;  // the others cost as much
      output.sampled.push_back(element);
      output.estimates.push_back(*estimate);
    }
    output.slack = slack_of(output);
    test.outputs.push_back(std::move(output));
  }
  if (points_of_blocks(lowered) <= options.interpreted) {
    CAMBIUM_REQUIRE(interpret_all(cx, lowered, options.is_whole, test));
  }
  for (Case::Output& output : test.outputs) {
    if (output.estimates.empty()) output.slack = blunt_slack(output, points_of_blocks(lowered));
  }
  return test;
}

bool has_nan(const Case& test) {
  for (const Case::Output& output : test.outputs) {
    for (const double value : output.values) {
      if (std::isnan(value)) return true;
    }
    for (const Estimate& estimate : output.estimates) {
      if (std::isnan(estimate.value)) return true;
    }
  }
  return false;
}

}  // namespace

Result<Case> make_case(program::Context& cx, const Program& lowered, const CaseOptions& options) {
  CAMBIUM_TRY(Case test, case_with(cx, lowered, options));
  if (options.is_whole || !has_nan(test)) return test;
  CaseOptions positive = options;
  positive.low = 0.1;
  positive.high = 1;
  return case_with(cx, lowered, positive);
}

Result<double> check_outputs(const Case& test, std::span<const Array> outputs) {
  double worst = 0;
  std::size_t next = 0;
  for (const KernelBuffers::Buffer& buffer : test.buffers.buffers) {
    if (!buffer.is_output) continue;
    if (next >= outputs.size() || outputs[next].size() != buffer.elements) {
      return Rejection(Reason::WrongArgument, buffer.name, "it has the wrong size");
    }
    const Checker checker(test, next, buffer, outputs[next].as_doubles());
    CAMBIUM_TRY(const double error, checker.run());
    worst = std::max(worst, error);
    ++next;
  }
  return worst;
}

Status take_second_version(Case& test, std::span<const Array> outputs) {
  CAMBIUM_REQUIRE(check_outputs(test, outputs));
  for (std::size_t i = 0; i < outputs.size(); ++i) test.outputs[i].values = outputs[i].as_doubles();
  return Ok{};
}

}  // namespace cambium::measure
