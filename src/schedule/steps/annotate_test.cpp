#include "schedule/steps/annotate.h"

#include "schedule/steps/step_testing.h"

namespace cambium::schedule {
namespace {

constexpr std::string_view kTwoCopies = R"(
  program copy(x: f32[8] input, y: f32[8] output) {
    local t: f32[8]
    for i in 8 { block t(spatial i = i) { t[i] = x[i] } }
    for j in 8 { block y(spatial i = j) { y[i] = t[i] } }
  })";

TEST(Annotate, MarksLoopsBlocksAndBuffers) {
  Subject s(kTwoCopies);
  s.apply(Annotate{Part::Loop, "i", "unroll", "", 2});
  s.apply(Annotate{Part::Loop, "i", "unroll", "", 4});
  s.apply(Annotate{Part::Buffer, "t", "space", "register", 0});
  s.apply(Annotate{Part::Buffer, "t", "align", "", 64});
  s.apply(Annotate{Part::Block, "y", "kernel", "6x4", 0});
  s.apply(Prefetch{"t", 3});
  EXPECT_EQ(s.text(), Subject::tidy(R"(
    program copy(x: f32[8] input, y: f32[8] output) {
      local t: f32[8] @align(64) @space("register")
      for i in 8 @unroll(4) { block t(spatial i = i) @prefetch(3) { t[i] = x[i] } }
      for j in 8 { block y(spatial i = j) @kernel("6x4") { y[i] = t[i] } }
    })"));
}

TEST(Annotate, RefusesAndSaysWhy) {
  Subject s(kTwoCopies);
  EXPECT_EQ(s.refusal(Annotate{Part::Loop, "z", "unroll", "", 2}), Reason::UnknownName);
  EXPECT_EQ(s.refusal(Annotate{Part::Block, "z", "prefetch", "", 2}), Reason::UnknownName);
  EXPECT_EQ(s.refusal(Annotate{Part::Buffer, "z", "align", "", 2}), Reason::UnknownName);
  EXPECT_EQ(s.refusal(Prefetch{"z", 2}), Reason::UnknownName);
  EXPECT_EQ(s.refusal(Annotate{Part::Loop, "i", "speed", "", 2}), Reason::UnknownHint);
  EXPECT_EQ(s.refusal(Annotate{Part::Block, "t", "unroll", "", 2}), Reason::UnknownHint);
  EXPECT_EQ(s.refusal(Annotate{Part::Loop, "i", "unroll", "much", 2}), Reason::UnknownHint);
  EXPECT_EQ(s.refusal(Annotate{Part::Buffer, "t", "space", "", 2}), Reason::UnknownHint);
  EXPECT_EQ(s.refusal(Annotate{Part::Buffer, "t", "space", "a\"b", 0}), Reason::UnknownHint);
  EXPECT_EQ(s.refusal(Annotate{Part::Buffer, "t", "align", "", 48}), Reason::UnknownHint);
  EXPECT_EQ(s.refusal(Prefetch{"t", 0}), Reason::UnknownHint);
}

}  // namespace
}  // namespace cambium::schedule
