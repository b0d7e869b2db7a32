// What the documents of the loop-nest space leave of a convolution gets the schedules that any
// convolution gets: register tiles, and a choice of Winograd's algorithm.
#include <algorithm>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "program/text.h"
#include "schedule/defaults/default_schedule.h"
#include "schedule/rules/documents_testing.h"
#include "schedule/rules/small_operators_testing.h"

namespace cambium::schedule {
namespace {

Machine machine() {
  return *machine_named("avx512");
}

// The blocks that were asked for an algorithm.
std::size_t asked_for_winograd(const Trace& trace) {
  std::set<std::string> keys;
  for (const Record& record : trace) {
    const std::string* key = key_of(record.step);
    if (key != nullptr && key->starts_with("winograd/")) keys.insert(*key);
  }
  return keys.size();
}

TEST(Documents, AreTiledAtTheSizesOfResidualNetworks) {
  constexpr FusedConv kConvs[] = {{32, 64, 64, 3, 1},  {32, 64, 128, 3, 2}, {16, 128, 128, 3, 1},
                                  {8, 256, 256, 3, 1}, {8, 256, 512, 3, 2}, {4, 512, 512, 3, 1},
                                  {56, 64, 64, 3, 1},  {56, 64, 128, 1, 2}, {7, 512, 512, 3, 1}};
  for (const FusedConv& conv : kConvs) {
    for (const NamedDocument& document : documents_for(conv)) {
      Context cx;
      const auto program = after_document(cx, conv, document);
      ASSERT_TRUE(program.ok()) << document.name << ": " << program.rejection().message();
      const auto s = default_schedule(cx, *program, machine(), Default::Preferred);
      ASSERT_TRUE(s.ok()) << document.name << ": " << s.rejection().message();
      EXPECT_EQ(untiled_contraction(*program, s->trace()), "")
          << document.name << ", " << conv.in << " to " << conv.out << " channels, " << conv.size
          << " rows\n"
          << program::to_text(cx, *program);
    }
  }
}

TEST(Documents, ComputeTheSameWithTheirDefaultSchedules) {
  constexpr FusedConv kConvs[] = {
      {8, 32, 32, 3, 1}, {8, 20, 40, 3, 2}, {8, 24, 24, 1, 1, false}, {6, 64, 64, 3, 1}};
  for (const FusedConv& conv : kConvs) {
    for (const NamedDocument& document : documents_for(conv)) {
      Context cx;
      const auto program = after_document(cx, conv, document);
      // Of 20 channels, not every number of groups can be made.
      if (!program.ok()) continue;
      const auto s = default_schedule(cx, *program, machine(), Default::Preferred);
      ASSERT_TRUE(s.ok()) << document.name << ": " << s.rejection().message();
      EXPECT_EQ(difference(cx, *program, s->program()), "") << document.name;
    }
  }
}

TEST(Documents, AreAskedForWinogradsAlgorithm) {
  const FusedConv conv{16, 128, 128, 3, 1};
  for (const NamedDocument& document : documents_for(conv)) {
    // One sum for each channel, taps that the document moves, or few channels.
    const std::string& name = document.name;
    if (name == "depthwise" || name == "spatial bottleneck 2" || name == "peel 2 1" ||
        name.starts_with("narrow groups") || name.find("slabs") != std::string::npos) {
      continue;
    }
    Context cx;
    const auto program = after_document(cx, conv, document);
    ASSERT_TRUE(program.ok()) << name << ": " << program.rejection().message();
    const auto s = default_schedule(cx, *program, machine(), Default::Preferred);
    ASSERT_TRUE(s.ok()) << name << ": " << s.rejection().message();
    const bool has_pieces = name.starts_with("halves") || name.starts_with("peel");
    EXPECT_EQ(asked_for_winograd(s->trace()), has_pieces ? 2u : 1u) << name;
  }
}

}  // namespace
}  // namespace cambium::schedule
