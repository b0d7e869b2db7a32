// Hostile traces: what is read is printed as it reads back, and each step of it is applied to a
// convolution or refused. The steps are tried one by one, so that one that is refused does not keep
// the next from being tried; what they make is sound.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "program/text.h"
#include "program/verify.h"
#include "schedule/trace/schedule.h"

namespace {

using namespace cambium;  // NOLINT(google-build-using-namespace)

constexpr const char* kConvolution = R"(
program conv(x: f32[1, 4, 6, 6] input, w: f32[4, 4, 3, 3] constant, y: f32[1, 4, 6, 6] output) {
  local p: f32[1, 4, 8, 8]
  for n.p in 1 { for c.p in 4 { for h.p in 8 { for v.p in 8 {
    block pad(spatial n = n.p, spatial c = c.p, spatial h = h.p, spatial v = v.p) {
      p[n, c, h, v] = select([1 <= h && h < 7 && 1 <= v && v < 7], x[n, c, h - 1, v - 1], 0.0)
    }
  } } } }
  for n in 1 { for co in 4 { for oh in 6 { for ow in 6 { for ci in 4 { for kh in 3 { for kw in 3 {
    block conv(spatial n = n, spatial co = co, spatial oh = oh, spatial ow = ow, reduce ci = ci, reduce kh = kh, reduce kw = kw) {
      y[n, co, oh, ow] += p[n, ci, oh + kh, ow + kw] * w[co, ci, kh, kw] init 0.0
    }
  } } } } } } }
}
)";

constexpr std::size_t kMostSteps = 64;  // a long one says no more than a short one

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(bytes), size);
  const auto trace = schedule::parse_trace(input);
  if (!trace.ok()) {
    CAMBIUM_CHECK(!trace.rejection().message().empty(), "a refusal says why");
    return 0;
  }
  const std::string text = schedule::to_text(*trace);
  const auto again = schedule::parse_trace(text);
  CAMBIUM_CHECK(again.ok() && schedule::to_text(*again) == text, text);
  program::Context cx;
  const auto program = program::parse(cx, kConvolution);
  CAMBIUM_CHECK(program.ok(), program.rejection().message());
  static_cast<void>(schedule::replay(cx, *program, *trace).ok());
  schedule::Schedule scheduled(cx, *program);
  for (std::size_t i = 0; i < trace->size() && i < kMostSteps; ++i) {
    if (!scheduled.apply((*trace)[i].step).ok()) continue;
    const Status sound = program::check(cx, scheduled.program(), program::Stage::Scheduled);
    CAMBIUM_CHECK(sound.ok(), sound.rejection().message() + "\n" + text);
  }
  return 0;
}
